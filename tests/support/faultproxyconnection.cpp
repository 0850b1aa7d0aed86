// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "faultproxyconnection_p.h"

#include <array>
#include <thread>

#include <QElapsedTimer>

#include <poll.h>
#include <sys/socket.h>

#include <sandboxio/transport/chunkeddecoder.h>

using namespace Qt::StringLiterals;

namespace Sandboxio {

namespace {

constexpr int holdStepMs = 10;

QByteArray errorReply(const QByteArray &message)
{
    const QByteArray body = "{\"message\":\"" + message + "\"}";
    return "HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\n"
           "Connection: close\r\nContent-Length: " +
           QByteArray::number(body.size()) + "\r\n\r\n" + body;
}

constexpr QByteArrayView errorLineReply =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
    "{\"status\":\"Pulling\"}\r\n"
    "{\"errorDetail\":{\"message\":\"injected fault\"},\"error\":\"injected fault\"}\r\n";

QByteArray receive(int fd)
{
    std::array<char, 64 * 1024> piece;
    const ssize_t size = ::recv(fd, piece.data(), piece.size(), 0);
    return size > 0 ? QByteArray(piece.data(), size) : QByteArray();
}

/// The value of header @p name, in lower case; empty where it is absent.
QByteArray headerOf(const QByteArray &head, const QByteArray &name)
{
    const QByteArray lower = head.toLower();
    const qsizetype start = lower.indexOf("\r\n" + name + ':');
    if (start < 0)
        return {};
    const qsizetype value = start + 2 + name.size() + 1;
    return lower.sliced(value, lower.indexOf("\r\n", value) - value).trimmed();
}

/// How many bytes the body behind @p head takes at the start of @p rest; nothing where it is not whole yet.
std::optional<qsizetype> bodySize(const QByteArray &head, QByteArrayView rest)
{
    if (headerOf(head, "transfer-encoding"_ba) != "chunked") {
        const qsizetype size = headerOf(head, "content-length"_ba).toLongLong();
        return rest.size() >= size ? std::optional(size) : std::nullopt;
    }
    ChunkedDecoder decoder;
    qsizetype consumed = 0;
    while (const auto step = decoder.decode(rest.sliced(consumed))) {
        consumed += step->consumed;
        if (step->kind == BodyStep::Kind::End)
            return consumed;
        if (step->kind == BodyStep::Kind::NeedMore)
            return std::nullopt;
    }
    return rest.size(); // malformed: let the target say so
}

/// Copies one direction until its end, then closes that direction, or everything where the sender is gone
/// altogether.
void copy(int from, int to)
{
    while (true) {
        pollfd entry{from, POLLIN, 0};
        if (::poll(&entry, 1, -1) < 0 && errno == EINTR)
            continue;
        const QByteArray bytes = receive(from);
        if (!bytes.isEmpty() && writeAll(to, bytes))
            continue;
        const bool gone = !bytes.isEmpty() || (entry.revents & (POLLHUP | POLLERR));
        ::shutdown(to, gone ? SHUT_RDWR : SHUT_WR);
        if (gone)
            ::shutdown(from, SHUT_RDWR);
        return;
    }
}

} // namespace

FaultProxyConnection::FaultProxyConnection(FaultProxy &proxy, int client, int target)
    : m_proxy(proxy)
    , m_client(client)
    , m_target(target)
{}

void FaultProxyConnection::run()
{
    while (const auto request = readRequest()) {
        if (serve(*request) == Next::Close)
            return;
    }
}

/// The next whole request; nothing where one of the sides closed.
std::optional<FaultProxyConnection::Request> FaultProxyConnection::readRequest()
{
    while (true) {
        const qsizetype headEnd = m_input.indexOf("\r\n\r\n");
        if (headEnd >= 0) {
            const QByteArray head = m_input.first(headEnd + 4);
            if (const auto size = bodySize(head, QByteArrayView(m_input).sliced(head.size()))) {
                const QList<QByteArray> line = head.first(head.indexOf('\r')).split(' ');
                Request request{line.value(0),
                                line.value(1),
                                m_input.first(head.size() + *size),
                                headerOf(head, "connection"_ba).contains("upgrade"),
                                {}};
                m_input.remove(0, request.bytes.size());
                request.due = m_proxy.noteRequest(request.method, request.target);
                return request;
            }
        }
        std::array<pollfd, 2> entries{pollfd{m_client, POLLIN, 0}, pollfd{m_target, POLLIN, 0}};
        if (::poll(entries.data(), entries.size(), -1) < 0 && errno == EINTR)
            continue;
        if (!entries[0].revents)
            return std::nullopt; // the target speaks or closes unasked
        const QByteArray bytes = receive(m_client);
        if (bytes.isEmpty())
            return std::nullopt;
        m_input.append(bytes);
    }
}

FaultProxyConnection::Next FaultProxyConnection::serve(const Request &request)
{
    if (apply(request, FaultRule::Phase::BeforeRequest) == Next::Close || !writeAll(m_target, request.bytes))
        return Next::Close;
    ++m_proxy.m_forwardedCount;
    if (apply(request, FaultRule::Phase::AfterRequest) == Next::Close)
        return Next::Close;
    return relayReply(request);
}

FaultProxyConnection::Next FaultProxyConnection::relayReply(const Request &request)
{
    const bool held = std::ranges::any_of(request.due, [](const FaultProxy::DueFault &due) {
        return due.rule.phase == FaultRule::Phase::BeforeReply;
    });
    HttpResponseDecoder decoder(request.method, request.upgrade);
    ReplyState state = ReplyState::Reading;
    QByteArray reply;
    while (state == ReplyState::Reading) {
        const auto bytes = receiveFromTarget();
        if (!bytes)
            return Next::Close;
        state = bytes->isEmpty() ? ReplyState::Broken : advance(decoder, *bytes);
        if (held)
            reply += *bytes;
        else if (!writeAll(m_client, *bytes))
            return Next::Close;
    }
    if (held && sendHeldReply(request, reply) == Next::Close)
        return Next::Close;
    if (state == ReplyState::Broken || apply(request, FaultRule::Phase::AfterReply) == Next::Close)
        return Next::Close;
    if (state == ReplyState::Complete)
        return Next::GoOn;
    relayRaw();
    return Next::Close;
}

/// Forwards a reply that a rule of phase before-reply asked to see first.
FaultProxyConnection::Next FaultProxyConnection::sendHeldReply(const Request &request, const QByteArray &reply)
{
    for (const auto &[hit, rule] : request.due) {
        if (rule.phase != FaultRule::Phase::BeforeReply)
            continue;
        if (rule.action == FaultRule::Action::Cut || rule.action == FaultRule::Action::Half) {
            m_proxy.noteHit(hit);
            const bool half = rule.action == FaultRule::Action::Half;
            writeAll(m_client,
                     reply.first(std::min<qint64>(reply.size(), half ? reply.size() / 2 : rule.number)));
            return Next::Close;
        }
    }
    if (apply(request, FaultRule::Phase::BeforeReply) == Next::Close || !writeAll(m_client, reply))
        return Next::Close;
    return Next::GoOn;
}

FaultProxyConnection::ReplyState FaultProxyConnection::advance(HttpResponseDecoder &decoder,
                                                               QByteArrayView bytes)
{
    using Kind = HttpResponseDecoder::Step::Kind;
    while (true) {
        const auto step = decoder.decode(bytes);
        if (!step || decoder.isUntilClose() || step->kind == Kind::Upgraded)
            return ReplyState::Raw; // what is not understood passes through as it is
        bytes = bytes.sliced(step->consumed);
        if (step->kind == Kind::End)
            return ReplyState::Complete;
        if (step->kind == Kind::NeedMore)
            return ReplyState::Reading;
    }
}

/// The target's next bytes, empty where it closed; nothing where the client hung up first.
std::optional<QByteArray> FaultProxyConnection::receiveFromTarget()
{
    while (true) {
        std::array<pollfd, 2> entries{pollfd{m_target, POLLIN, 0}, pollfd{m_client, POLLRDHUP, 0}};
        if (::poll(entries.data(), entries.size(), -1) < 0 && errno == EINTR)
            continue;
        if (entries[0].revents)
            return receive(m_target);
        return std::nullopt;
    }
}

/// Does what the rules ask for at @p phase.
FaultProxyConnection::Next FaultProxyConnection::apply(const Request &request, FaultRule::Phase phase)
{
    for (const auto &[hit, rule] : request.due) {
        if (rule.phase != phase)
            continue;
        m_proxy.noteHit(hit);
        switch (rule.action) {
        case FaultRule::Action::Stop:
        case FaultRule::Action::Delay:
            if (hold(rule.action == FaultRule::Action::Stop ? -1 : static_cast<int>(rule.number)) ==
                Next::Close)
                return Next::Close;
            break;
        case FaultRule::Action::Error:
            writeAll(m_client, errorReply(rule.message));
            return Next::Close;
        case FaultRule::Action::ErrorLine:
            writeAll(m_client, errorLineReply);
            return Next::Close;
        case FaultRule::Action::Cut:
        case FaultRule::Action::Half:
            return Next::Close;
        }
    }
    return Next::GoOn;
}

/// Waits until the client hangs up or the proxy stops (Close), or for release() or @p milliseconds (GoOn).
FaultProxyConnection::Next FaultProxyConnection::hold(int milliseconds)
{
    const int releases = m_proxy.m_releases;
    QElapsedTimer timer;
    timer.start();
    while (!m_proxy.m_stopping) {
        if (m_proxy.m_releases != releases || (milliseconds >= 0 && timer.elapsed() >= milliseconds))
            return Next::GoOn;
        pollfd entry{m_client, POLLRDHUP, 0};
        if (::poll(&entry, 1, holdStepMs) > 0)
            return Next::Close;
    }
    return Next::Close;
}

void FaultProxyConnection::relayRaw()
{
    if (!m_input.isEmpty() && !writeAll(m_target, m_input))
        return;
    std::jthread upward([this] { copy(m_client, m_target); });
    copy(m_target, m_client);
}

} // namespace Sandboxio
