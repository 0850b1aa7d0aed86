// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "writerthread_p.h"

#include <sandboxio/core/handover.h>

namespace Sandboxio::Detail {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

void WriterThread::Host::release()
{
    --m_holds;
    if (m_leaving && m_holds == 0)
        QThread::currentThread()->quit();
}

void WriterThread::Host::leave()
{
    m_leaving = true;
    if (m_holds == 0)
        QThread::currentThread()->quit();
}

WriterThread::WriterThread(std::chrono::milliseconds limit)
    : m_limit(limit)
{}

WriterThread::~WriterThread()
{
    if (!m_thread)
        return;
    // Queued behind everything that was posted before.
    postCall(m_host, [host = m_host] { host->leave(); });
    if (m_thread->wait(QDeadlineTimer(m_limit)))
        return;
    m_thread->quit(); // a record that is held has no more time
    if (m_thread->wait(QDeadlineTimer(1s)))
        return;
    // It blocks in a sink of somebody else: leave it behind rather than hang with it.
    QThread *stuck = m_thread.release();
    deleteWhenFinished(stuck);
}

void WriterThread::start()
{
    m_thread = std::make_unique<QThread>();
    m_thread->setObjectName(u"sandboxio-writer"_s);
    m_thread->start();
    m_host = new Host;
    adopt(m_host);
    postCall(m_host, [] {}); // from here on it knows the host as it is now
}

WriterThread::Host *WriterThread::host()
{
    if (!m_thread)
        start();
    return m_host;
}

void WriterThread::adopt(QObject *object)
{
    if (!m_thread)
        start();
    const HandOver handOver(object);
    object->moveToThread(m_thread.get());
    QObject::connect(m_thread.get(), &QThread::finished, object, &QObject::deleteLater);
}

} // namespace Sandboxio::Detail
