// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>

#include <QHostAddress>
#include <QTcpServer>
#include <QUdpSocket>

namespace Sandboxio::Detail {

/*! A server on this host that answers whoever reaches it, by TCP and UDP, and every name
    server query with an address, while a policy is being verified. */
class NetworkCanary final : public QObject
{
    Q_OBJECT
public:
    /*! Listens on every interface. False when no port can be had. */
    bool listen();
    quint16 tcpPort() const { return m_tcp.serverPort(); }
    quint16 udpPort() const { return m_udp.localPort(); }
    /*! Addresses of this host that others can use, at most one for each protocol version. */
    static QList<QHostAddress> reachableAddresses();
    /*! The positive control: whether this program reaches the canary at \a address itself, within two seconds.
     */
    Operation<bool> reachByTcp(const QHostAddress &address);
    Operation<bool> reachByUdp(const QHostAddress &address);
    /*! As a name server: asks for \a name. */
    Operation<bool> reachByDns(const QHostAddress &address, QByteArrayView name);

private:
    void answerTcp();
    void answerUdp();
    QTcpServer m_tcp;
    QUdpSocket m_udp;
};

} // namespace Sandboxio::Detail
