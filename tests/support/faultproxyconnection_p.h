// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <optional>

#include <sandboxio/transport/httpresponsedecoder.h>

#include "faultproxy.h"

namespace Sandboxio {

/// One client of the proxy, in a thread of its own with blocking calls. Owns neither descriptor.
class FaultProxyConnection
{
public:
    FaultProxyConnection(FaultProxy &proxy, int client, int target);

    /// Returns when the connection is over.
    void run();

private:
    /// What to do after a point of the traffic.
    enum class Next { GoOn, Close };
    /// How far a reply has been read.
    enum class ReplyState { Reading, Complete, Raw, Broken };

    struct Request
    {
        QByteArray method;
        QByteArray target;
        QByteArray bytes;
        bool upgrade = false;
        QList<FaultProxy::DueFault> due;
    };

    std::optional<Request> readRequest();
    Next serve(const Request &request);
    Next relayReply(const Request &request);
    Next sendHeldReply(const Request &request, const QByteArray &reply);
    ReplyState advance(HttpResponseDecoder &decoder, QByteArrayView bytes);
    std::optional<QByteArray> receiveFromTarget();
    Next apply(const Request &request, FaultRule::Phase phase);
    Next hold(int milliseconds);
    void relayRaw();

    FaultProxy &m_proxy;
    int m_client;
    int m_target;
    QByteArray m_input; // from the client, not yet a whole request
};

} // namespace Sandboxio
