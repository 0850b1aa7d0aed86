// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include <QByteArray>
#include <QList>
#include <QString>

#include "faultrule.h"
#include "localsocket.h"

namespace Sandboxio {

class FaultProxyConnection;

/// One rule that was met.
struct FaultHit
{
    int rule = 0; ///< Index into the rules, from 0.
    QByteArray method;
    QByteArray target;
    int occurrence = 0;
    FaultRule::Phase phase = FaultRule::Phase::BeforeRequest;
};

/// A proxy between two local sockets that follows HTTP/1.1 far enough to inject faults at requests and replies.
/// Bytes behind an upgrade, and behind the head of a reply that ends by closing, pass through raw in both
/// directions, half-closed ends included. Runs in threads of its own with blocking calls; start(), stop() and
/// the destructor belong to one thread, everything else may be called from any.
class FaultProxy
{
public:
    struct Options
    {
        QString listenPath; ///< Created by start(), removed by stop().
        QString targetPath; ///< One connection is made to it for each client.
        QList<FaultRule> rules = {};
        std::function<void(const FaultHit &)> onHit = {}; ///< In a thread of the proxy, before the action.
        std::function<void(int number, const QByteArray &method, const QByteArray &target)> onRequest =
            {}; ///< For each request that was read whole; as onHit.
    };

    explicit FaultProxy(Options options);
    ~FaultProxy();

    /// Listens. False with errno where it cannot.
    bool start();
    /// Closes everything, waits for the threads and removes the socket.
    void stop();
    /// Lets the connections go on that a rule holds now.
    void release();
    /// Breaks all connections that exist now.
    void dropConnections();
    /// Requests that are read from now on meet @p rules instead; their occurrences are counted anew.
    void setRules(const QList<FaultRule> &rules);

    int requestCount() const { return m_requestCount; }     ///< Read whole from clients.
    int forwardedCount() const { return m_forwardedCount; } ///< Written whole to the target.
    QList<FaultHit> hits() const;

private:
    friend class FaultProxyConnection;

    /// A rule that a request has met.
    struct DueFault
    {
        FaultHit hit;
        FaultRule rule;
    };
    struct Worker
    {
        FileDescriptor client;
        FileDescriptor target;
        std::atomic<bool> done = false;
        std::thread thread;
    };

    void acceptLoop();
    void joinFinished();
    QList<DueFault> noteRequest(const QByteArray &method, const QByteArray &target);
    void noteHit(const FaultHit &hit);

    Options m_options;
    FileDescriptor m_listener;
    std::thread m_acceptor;
    mutable std::mutex m_mutex;
    std::list<Worker> m_workers;
    std::mutex m_workersMutex;
    QList<int> m_occurrences;
    QList<FaultHit> m_hits;
    std::atomic<int> m_requestCount = 0;
    std::atomic<int> m_forwardedCount = 0;
    std::atomic<int> m_releases = 0;
    std::atomic<bool> m_stopping = false;
};

} // namespace Sandboxio
