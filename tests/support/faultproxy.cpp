// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "faultproxy.h"

#include <QFile>

#include <sys/socket.h>

#include "faultproxyconnection_p.h"

namespace Sandboxio {

FaultProxy::FaultProxy(Options options)
    : m_options(std::move(options))
    , m_occurrences(m_options.rules.size(), 0)
{}

FaultProxy::~FaultProxy()
{
    stop();
}

bool FaultProxy::start()
{
    m_listener = listenOnLocalSocket(m_options.listenPath);
    if (!m_listener.isValid())
        return false;
    m_acceptor = std::thread([this] { acceptLoop(); });
    return true;
}

void FaultProxy::stop()
{
    if (!m_listener.isValid())
        return;
    m_stopping = true;
    ::shutdown(m_listener.get(), SHUT_RDWR); // wakes accept()
    m_acceptor.join();
    m_listener.reset();
    QFile::remove(m_options.listenPath);
    for (const Worker &worker : m_workers) {
        ::shutdown(worker.client.get(), SHUT_RDWR);
        ::shutdown(worker.target.get(), SHUT_RDWR);
    }
    for (Worker &worker : m_workers)
        worker.thread.join();
    m_workers.clear();
}

void FaultProxy::release()
{
    ++m_releases;
}

QList<FaultHit> FaultProxy::hits() const
{
    const std::scoped_lock lock(m_mutex);
    return m_hits;
}

void FaultProxy::acceptLoop()
{
    while (!m_stopping) {
        FileDescriptor client(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        joinFinished();
        if (!client.isValid())
            continue;
        FileDescriptor target = connectToLocalSocket(m_options.targetPath);
        if (!target.isValid())
            continue; // the client sees a closed connection
        const std::scoped_lock lock(m_workersMutex);
        Worker &worker = m_workers.emplace_back();
        worker.client = std::move(client);
        worker.target = std::move(target);
        worker.thread = std::thread([this, &worker] {
            FaultProxyConnection(*this, worker.client.get(), worker.target.get()).run();
            ::shutdown(worker.client.get(), SHUT_RDWR);
            ::shutdown(worker.target.get(), SHUT_RDWR);
            worker.done = true;
        });
    }
}

void FaultProxy::joinFinished()
{
    const std::scoped_lock lock(m_workersMutex);
    m_workers.remove_if([](Worker &worker) {
        if (!worker.done)
            return false;
        worker.thread.join();
        return true;
    });
}

void FaultProxy::dropConnections()
{
    const std::scoped_lock lock(m_workersMutex);
    for (const Worker &worker : m_workers) {
        ::shutdown(worker.client.get(), SHUT_RDWR);
        ::shutdown(worker.target.get(), SHUT_RDWR);
    }
}

void FaultProxy::setRules(const QList<FaultRule> &rules)
{
    const std::scoped_lock lock(m_mutex);
    m_options.rules = rules;
    m_occurrences = QList<int>(rules.size(), 0);
}

/// Counts the request and returns what the rules have in store for it.
QList<FaultProxy::DueFault> FaultProxy::noteRequest(const QByteArray &method, const QByteArray &target)
{
    const std::scoped_lock lock(m_mutex);
    const int number = ++m_requestCount;
    if (m_options.onRequest)
        m_options.onRequest(number, method, target);
    QList<DueFault> due;
    for (int i = 0; i < m_options.rules.size(); ++i) {
        const FaultRule &rule = m_options.rules.at(i);
        if (!rule.matches(method, target))
            continue;
        const int occurrence = ++m_occurrences[i];
        if (rule.occurrence == 0 || rule.occurrence == occurrence)
            due.append({{i, method, target, occurrence, rule.phase}, rule});
    }
    return due;
}

void FaultProxy::noteHit(const FaultHit &hit)
{
    const std::scoped_lock lock(m_mutex);
    m_hits.append(hit);
    if (m_options.onHit)
        m_options.onHit(hit);
}

} // namespace Sandboxio
