// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "networkcanary_p.h"

#include "dnsmessage_p.h"

#include <QNetworkDatagram>
#include <QNetworkInterface>
#include <QTcpSocket>
#include <QTimer>

namespace Sandboxio::Detail {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {
constexpr auto controlLimit = 2s;
const QByteArray answer = "sandboxio canary\n"_ba;
const auto anyAnswer = [] {
    return true;
};

// Ends at the first bytes with what \a isAnswer says of them, with false at the limit, and cleans up after itself.
template <typename Socket>
Operation<bool> decide(Socket *socket, std::function<bool()> isAnswer)
{
    const OperationPromise<bool> promise;
    QObject::connect(socket, &QIODevice::readyRead, socket, [promise, socket, isAnswer] {
        promise.finish(isAnswer());
        socket->deleteLater();
    });
    QTimer::singleShot(controlLimit, socket, [promise, socket] {
        promise.finish(false);
        socket->deleteLater();
    });
    return promise.operation();
}
} // namespace

bool NetworkCanary::listen()
{
    connect(&m_tcp, &QTcpServer::newConnection, this, &NetworkCanary::answerTcp);
    connect(&m_udp, &QUdpSocket::readyRead, this, &NetworkCanary::answerUdp);
    return m_tcp.listen(QHostAddress::Any) && m_udp.bind(QHostAddress(QHostAddress::Any), 0);
}

void NetworkCanary::answerTcp()
{
    while (QTcpSocket *socket = m_tcp.nextPendingConnection()) {
        socket->write(answer);
        socket->disconnectFromHost();
        connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
    }
}

void NetworkCanary::answerUdp()
{
    while (m_udp.hasPendingDatagrams()) {
        const QNetworkDatagram datagram = m_udp.receiveDatagram();
        if (!datagram.isValid())
            continue;
        const QByteArray reply = dnsReply(datagram.data(), QHostAddress(QHostAddress::LocalHost));
        m_udp.writeDatagram(datagram.makeReply(reply.isEmpty() ? answer : reply));
    }
}

QList<QHostAddress> NetworkCanary::reachableAddresses()
{
    QList<QHostAddress> result;
    bool have4 = false;
    bool have6 = false;
    for (const QHostAddress &address : QNetworkInterface::allAddresses()) {
        bool &have = address.protocol() == QAbstractSocket::IPv4Protocol ? have4 : have6;
        if (have || address.isLoopback() || address.isLinkLocal())
            continue;
        have = true;
        result.append(address);
    }
    return result;
}

Operation<bool> NetworkCanary::reachByTcp(const QHostAddress &address)
{
    auto *socket = new QTcpSocket(this);
    const Operation<bool> decision = decide(socket, anyAnswer);
    socket->connectToHost(address, tcpPort());
    return decision;
}

Operation<bool> NetworkCanary::reachByUdp(const QHostAddress &address)
{
    auto *socket = new QUdpSocket(this);
    const Operation<bool> decision = decide(socket, anyAnswer);
    socket->writeDatagram("?"_ba, address, udpPort());
    return decision;
}

Operation<bool> NetworkCanary::reachByDns(const QHostAddress &address, QByteArrayView name)
{
    constexpr quint16 id = 0x5b10;
    auto *socket = new QUdpSocket(this);
    const Operation<bool> decision =
        decide(socket, [socket] { return isDnsReply(socket->receiveDatagram().data(), id); });
    socket->writeDatagram(dnsQuery(name, id), address, udpPort());
    return decision;
}

} // namespace Sandboxio::Detail
