// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "workers.h"

#include "connection.h"
#include "server.h"
#include "supervisor.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <sys/prctl.h>

namespace Sandboxio::Guest {

namespace {

constexpr std::size_t maximumWorkers = 64;
constexpr int resultFd = 3;

[[noreturn]] void runWorker(int pipe, const std::function<std::string()> &work)
{
    ::prctl(PR_SET_NAME, "sandboxio-work");
    if (pipe != resultFd)
        ::dup3(pipe, resultFd, O_CLOEXEC);
    closeDescriptorsFrom(resultFd + 1);
    for (int fd = 0; fd < resultFd; ++fd)
        ::close(fd);
    const std::string frame = work();
    for (std::size_t written = 0; written < frame.size();) {
        const ssize_t count = ::write(resultFd, frame.data() + written, frame.size() - written);
        if (count < 0 && errno != EINTR)
            break;
        written += count > 0 ? std::size_t(count) : 0;
    }
    ::_exit(0);
}

} // namespace

int Workers::start(std::uint64_t connection, std::uint32_t request, const std::function<std::string()> &work)
{
    int ends[2];
    if (m_workers.size() >= maximumWorkers)
        return EAGAIN;
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    auto worker = std::make_unique<Worker>();
    worker->result.reset(ends[0]);
    const UniqueFd writeEnd(ends[1]);
    worker->pid = ::fork();
    if (worker->pid == 0)
        runWorker(ends[1], work);
    if (worker->pid < 0)
        return errno;
    setNonBlocking(ends[0]);
    worker->connection = connection;
    worker->request = request;
    Worker &added = *worker;
    m_workers.emplace(added.pid, std::move(worker));
    added.watch.start(m_server.loop(), ends[0], EPOLLIN, [this, &added](std::uint32_t) { read(added); });
    return 0;
}

void Workers::read(Worker &worker)
{
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(worker.result.get(), bytes.data(), bytes.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count > 0) {
        worker.frame.append(bytes.data(), std::size_t(count));
        if (worker.frame.size() <= maximumFrameSize)
            return;
        ::kill(worker.pid, SIGKILL);
    }
    if (Connection *connection = m_server.findConnection(worker.connection)) {
        if (count == 0 && !worker.frame.empty())
            connection->sendFrame(worker.frame);
        else
            connection->sendResult(worker.request, EIO);
    }
    worker.watch.stop();
    m_workers.erase(worker.pid);
}

void Workers::cancel(std::uint64_t connection)
{
    std::erase_if(m_workers, [connection](const auto &entry) {
        if (entry.second->connection != connection)
            return false;
        ::kill(entry.second->pid, SIGKILL);
        return true;
    });
}

} // namespace Sandboxio::Guest
