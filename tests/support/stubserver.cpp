// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "stubserver.h"

#include <algorithm>

#include <QTimer>

using namespace Qt::StringLiterals;

namespace Sandboxio {

namespace {

constexpr qint64 zeroPiece = 256 * 1024;
constexpr qint64 maximumQueuedZeros = 1024 * 1024;

qsizetype contentLengthOf(const QByteArray &head)
{
    const QByteArray lower = head.toLower();
    const qsizetype start = lower.indexOf("content-length:");
    if (start < 0)
        return 0;
    const qsizetype value = start + 15;
    return lower.sliced(value, lower.indexOf('\r', value) - value).trimmed().toLongLong();
}

} // namespace

StubAnswer StubAnswer::ok(const QByteArray &body, int status)
{
    return {.bytes = "HTTP/1.1 " + QByteArray::number(status) +
                     " Stub\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body};
}

StubAnswer StubAnswer::chunked(const QList<QByteArray> &chunks)
{
    QByteArray bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"_ba;
    for (const QByteArray &chunk : chunks)
        bytes += QByteArray::number(chunk.size(), 16) + "\r\n" + chunk + "\r\n";
    return {.bytes = bytes + "0\r\n\r\n"};
}

StubAnswer StubAnswer::upgrade(const QByteArray &firstBytes)
{
    return {.bytes = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n" + firstBytes,
            .echo = true};
}

StubServerBase::~StubServerBase()
{
    for (const auto &peer : m_peers)
        peer->device->disconnect(this);
}

void StubServerBase::answer(const QByteArray &route, const StubAnswer &answer)
{
    m_answers[route].append(answer);
}

int StubServerBase::requestCount(const QByteArray &route) const
{
    return static_cast<int>(std::ranges::count_if(m_requests, [&route](const StubRequest &request) {
        return request.method + ' ' + request.target == route;
    }));
}

void StubServerBase::dropConnections()
{
    std::vector<std::function<void()>> closers;
    for (const auto &peer : m_peers)
        closers.push_back(peer->close);
    for (const auto &close : closers)
        close();
}

StubServerBase::Peer *StubServerBase::adopt(QIODevice *device, std::function<void()> close)
{
    auto peer = std::make_unique<Peer>();
    peer->device = device;
    peer->close = std::move(close);
    peer->number = ++m_connectionCount;
    m_peers.push_back(std::move(peer));
    connect(device, &QIODevice::readyRead, this, [this, device] { read(device); });
    connect(device, &QIODevice::bytesWritten, this, [this, device] {
        if (Peer *found = find(device))
            feedZeros(*found);
    });
    read(device);
    return find(device);
}

void StubServerBase::remove(QIODevice *device)
{
    std::erase_if(m_peers, [device](const auto &peer) { return peer->device == device; });
}

StubServerBase::Peer *StubServerBase::find(QIODevice *device)
{
    const auto found = std::ranges::find(m_peers, device, [](const auto &peer) { return peer->device; });
    return found == m_peers.end() ? nullptr : found->get();
}

void StubServerBase::read(QIODevice *device)
{
    Peer *peer = find(device);
    if (!peer)
        return;
    const QByteArray bytes = device->readAll();
    if (!peer->raw) {
        peer->input.append(bytes);
        while ((peer = find(device)) && !peer->raw && takeRequest(*peer)) {
        }
        return;
    }
    m_rawBytes.append(bytes);
    if (peer->echo)
        device->write(bytes);
}

bool StubServerBase::takeRequest(Peer &peer)
{
    const qsizetype end = peer.input.indexOf("\r\n\r\n");
    if (end < 0)
        return false;
    const QByteArray head = peer.input.first(end + 4);
    const qsizetype bodySize = contentLengthOf(head);
    if (peer.input.size() < head.size() + bodySize)
        return false;
    const QList<QByteArray> line = head.first(head.indexOf('\r')).split(' ');
    const StubRequest request{line.value(0), line.value(1), head, peer.input.sliced(head.size(), bodySize),
                              peer.number};
    peer.input.remove(0, head.size() + bodySize);
    m_requests.append(request);
    QList<StubAnswer> &answers = m_answers[request.method + ' ' + request.target];
    StubAnswer answer = answers.isEmpty() ? StubAnswer::ok({}, 404) : answers.first();
    if (answers.size() > 1)
        answers.removeFirst();
    if (answer.silent)
        return true;
    if (answer.delay.count() == 0) {
        reply(peer.device, answer);
        return true;
    }
    QTimer::singleShot(answer.delay, peer.device,
                       [this, device = peer.device, answer] { reply(device, answer); });
    return true;
}

void StubServerBase::reply(QIODevice *device, const StubAnswer &answer)
{
    Peer *peer = find(device);
    if (!peer)
        return;
    if (answer.cutAt) {
        device->write(answer.bytes.first(*answer.cutAt));
        peer->close();
        return;
    }
    peer->raw = answer.raw || answer.echo;
    peer->echo = answer.echo;
    peer->zerosLeft = answer.zeros;
    peer->closeAfter = answer.closeAfter;
    device->write(answer.bytes);
    const QByteArray early = std::exchange(peer->input, {});
    if (peer->raw)
        m_rawBytes.append(early);
    else
        peer->input = early;
    if (peer->echo && !early.isEmpty())
        device->write(early);
    feedZeros(*peer);
}

void StubServerBase::feedZeros(Peer &peer)
{
    const qint64 stillQueued = std::min(peer.queuedZeros, peer.device->bytesToWrite());
    m_zerosSent += peer.queuedZeros - stillQueued;
    peer.queuedZeros = stillQueued;
    while (peer.zerosLeft > 0 && peer.queuedZeros < maximumQueuedZeros) {
        const qint64 size = std::min(zeroPiece, peer.zerosLeft);
        peer.zerosLeft -= size;
        peer.queuedZeros += size;
        peer.device->write(QByteArray(size, '\0'));
    }
    if (peer.closeAfter && peer.zerosLeft == 0) {
        peer.closeAfter = false;
        peer.close();
    }
}

LocalStubServer::LocalStubServer()
    : m_path(m_directory.filePath(u"stub.sock"_s))
{
    m_server.listen(m_path);
}

bool LocalStubServer::listenAgain()
{
    return m_server.listen(m_path);
}

TcpStubServer::TcpStubServer()
{
    m_server.listen(QHostAddress::LocalHost);
}

} // namespace Sandboxio
