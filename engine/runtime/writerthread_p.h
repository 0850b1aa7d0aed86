// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QObject>
#include <QThread>

#include <chrono>
#include <memory>

namespace Sandboxio::Detail {

/*! The one thread of an engine that writes to disk: the ledger and the record sinks. Starts with the first object
    that moves in. Its end waits for what was posted before and for what is held, at most \a limit. */
class WriterThread
{
public:
    /*! Lives in the thread and counts who still has to write. */
    class Host final : public QObject
    {
    public:
        void hold() { ++m_holds; }
        void release();
        void leave();

    private:
        int m_holds = 0;
        bool m_leaving = false;
    };

    explicit WriterThread(std::chrono::milliseconds limit);
    ~WriterThread();
    Q_DISABLE_COPY_MOVE(WriterThread)

    /*! \a object lives in the thread from now on and is deleted there when it ends. */
    void adopt(QObject *object);
    /*! Starts the thread. */
    Host *host();

private:
    void start();

    const std::chrono::milliseconds m_limit;
    std::unique_ptr<QThread> m_thread;
    Host *m_host = nullptr;
};

} // namespace Sandboxio::Detail
