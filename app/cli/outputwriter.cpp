// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "outputwriter.h"

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include <poll.h>
#include <unistd.h>

namespace Sandboxio::Cli {

namespace {
constexpr qsizetype capacity = 1024 * 1024;

struct Waiter
{
    int descriptor;
    qsizetype room; //!< bytes that may still wait when it ends
    OperationPromise<int> promise;
};

} // namespace

struct OutputWriter::Shared
{
    struct Piece
    {
        int descriptor;
        QByteArray data;
    };

    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Piece> pieces;
    qsizetype waiting = 0; //!< bytes taken and not yet written
    bool writing = false;
    std::atomic<bool> abandoned;
    std::atomic<bool> stopping;
    std::map<int, int> errors;
    std::vector<Waiter> waiters;
    std::thread thread;

    // Writes all of piece; 0 or the errno. Copes with descriptors that somebody else made non-blocking. Never goes on
    // once nothing more shall be written: by then the descriptor may be closed and its number another's.
    int writeAll(const Piece &piece) const
    {
        qsizetype done = 0;
        while (done < piece.data.size()) {
            if (abandoned || stopping)
                return ECANCELED;
            const ssize_t written =
                ::write(piece.descriptor, piece.data.constData() + done, std::size_t(piece.data.size() - done));
            if (written >= 0) {
                done += written;
            } else if (errno == EAGAIN) {
                pollfd writable{piece.descriptor, POLLOUT, 0};
                ::poll(&writable, 1, -1);
            } else if (errno != EINTR) {
                return errno;
            }
        }
        return 0;
    }

    // Ends the waiters that can end. Called with the lock.
    void endWaiters()
    {
        std::erase_if(waiters, [this](const Waiter &waiter) {
            const auto error = errors.find(waiter.descriptor);
            const int status = abandoned ? ECANCELED : error == errors.end() ? 0 : error->second;
            if (status == 0 && waiting > waiter.room)
                return false;
            waiter.promise.finish(status);
            return true;
        });
    }
};

OutputWriter::OutputWriter()
    : m_shared(std::make_shared<Shared>())
{}

OutputWriter::~OutputWriter()
{
    std::thread thread;
    bool busy = false;
    {
        const std::lock_guard lock(m_shared->mutex);
        m_shared->stopping = true;
        busy = m_shared->writing;
        thread = std::move(m_shared->thread);
    }
    m_shared->changed.notify_all();
    if (!thread.joinable())
        return;
    if (busy)
        thread.detach();
    else
        thread.join();
}

Operation<int> OutputWriter::write(int descriptor, const QByteArray &data)
{
    const OperationPromise<int> promise;
    Operation<int> operation = promise.operation();
    const std::lock_guard lock(m_shared->mutex);
    if (!m_shared->abandoned && !m_shared->errors.contains(descriptor) && !data.isEmpty()) {
        m_shared->pieces.push_back({descriptor, data});
        m_shared->waiting += data.size();
        if (!m_shared->thread.joinable())
            m_shared->thread = std::thread(work, m_shared);
        m_shared->changed.notify_all();
    }
    m_shared->waiters.push_back({descriptor, capacity, promise});
    m_shared->endWaiters();
    return operation;
}

Operation<int> OutputWriter::flush(int descriptor)
{
    const OperationPromise<int> promise;
    Operation<int> operation = promise.operation();
    const std::lock_guard lock(m_shared->mutex);
    m_shared->waiters.push_back({descriptor, 0, promise});
    m_shared->endWaiters();
    return operation;
}

void OutputWriter::abandon()
{
    const std::lock_guard lock(m_shared->mutex);
    m_shared->abandoned = true;
    m_shared->pieces.clear();
    m_shared->endWaiters();
}

void OutputWriter::work(const std::shared_ptr<Shared> &shared)
{
    std::unique_lock lock(shared->mutex);
    while (true) {
        shared->changed.wait(lock, [&] { return shared->stopping || !shared->pieces.empty(); });
        if (shared->stopping)
            return;
        const Shared::Piece piece = std::move(shared->pieces.front());
        shared->pieces.pop_front();
        if (!shared->errors.contains(piece.descriptor)) {
            shared->writing = true;
            lock.unlock();
            const int error = shared->writeAll(piece);
            lock.lock();
            shared->writing = false;
            if (error != 0)
                shared->errors.emplace(piece.descriptor, error);
        }
        shared->waiting -= piece.data.size();
        shared->endWaiters();
    }
}

} // namespace Sandboxio::Cli
