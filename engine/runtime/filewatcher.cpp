// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filewatcher.h"

#include "enginecore_p.h"
#include "filesteps_p.h"
#include "sandboxhandle_p.h"
#include "taskhelpers_p.h"

#include <sandboxio/core/handover.h>

#include <QPointer>

#include <mutex>

namespace Sandboxio {

namespace Detail {

/*! Carries changes from the I/O thread to a FileWatcher, one batch at a time. */
class FileWatchMailbox
{
public:
    explicit FileWatchMailbox(FileWatcher *handle, std::function<void(FileWatcher *)> wake)
        : m_handle(handle)
        , m_wake(std::move(wake))
    {}

    /*! Ends when the handle has taken \a changes. */
    Operation<void> put(const QList<FileChange> &changes)
    {
        const std::lock_guard lock(m_mutex);
        m_changes = changes;
        m_taken.emplace();
        const Operation<void> taken = m_taken->operation();
        wakeLocked();
        return taken;
    }
    void start()
    {
        const std::lock_guard lock(m_mutex);
        m_started = true;
        wakeLocked();
    }
    /*! Nobody waits for the handle any more. */
    void giveUp()
    {
        const std::lock_guard lock(m_mutex);
        m_taken.reset(); // ends as cancelled
    }
    void detach()
    {
        const std::lock_guard lock(m_mutex);
        m_handle = nullptr;
    }

    struct Contents
    {
        bool started = false; //!< for the first time
        QList<FileChange> changes;
        std::optional<OperationPromise<void>> taken;
    };
    Contents take()
    {
        const std::lock_guard lock(m_mutex);
        return {std::exchange(m_started, false), std::exchange(m_changes, {}), std::exchange(m_taken, {})};
    }

private:
    void wakeLocked() const
    {
        if (m_handle)
            m_wake(m_handle);
    }

    std::mutex m_mutex;
    FileWatcher *m_handle;
    std::function<void(FileWatcher *)> m_wake;
    bool m_started = false;
    QList<FileChange> m_changes;
    std::optional<OperationPromise<void>> m_taken;
};

} // namespace Detail

namespace {

QCoro::Task<void> watchSteps(std::shared_ptr<SandboxPort> port, OperationPromise<void> promise,
                             std::shared_ptr<Detail::FileWatchMailbox> mailbox, QString path, bool recursive)
{
    auto watch = co_await Detail::cancellable(promise, port->files()->watch(path, recursive));
    mailbox->start();
    QObject scope;
    // Letting go of it is what ends a next() that waits.
    promise.onCancelRequested(&scope, [&watch, mailbox] {
        watch.reset();
        mailbox->giveUp();
    });
    while (watch) {
        const QList<FileChange> changes = co_await watch->next();
        if (watch)
            co_await mailbox->put(changes);
    }
    throw OperationCancelled();
}

} // namespace

FileWatcher::FileWatcher(std::shared_ptr<Detail::SandboxHandle> handle, const QString &path, bool recursive)
    : m_path(path)
    , m_mailbox(std::make_shared<Detail::FileWatchMailbox>(
          this, [](FileWatcher *watcher) { postCall(watcher, [watcher] { watcher->drain(); }); }))
{
    const Operation<void> operation = handle->submitRecorded<void>(
        Capability::Watch, Detail::recordOf(RecordEvent::Watch, {path}),
        [mailbox = m_mailbox, path, recursive](const std::shared_ptr<SandboxPort> &port,
                                               OperationPromise<void> promise, const auto &) {
            return watchSteps(port, std::move(promise), mailbox, path, recursive);
        });
    operation.onError(this, [this](const ErrorInfo &error) {
        const QPointer<FileWatcher> alive = this;
        drain();
        if (alive)
            Q_EMIT failed(error);
    });
    m_cancel = [operation] {
        operation.cancel();
    };
}

FileWatcher::~FileWatcher()
{
    m_mailbox->detach();
    m_cancel();
}

void FileWatcher::drain()
{
    const QPointer<FileWatcher> alive = this;
    const Detail::FileWatchMailbox::Contents contents = m_mailbox->take();
    if (contents.started)
        Q_EMIT started();
    if (alive && !contents.changes.isEmpty())
        Q_EMIT changed(contents.changes);
    if (contents.taken)
        contents.taken->finish();
}

} // namespace Sandboxio
