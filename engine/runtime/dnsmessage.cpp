// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dnsmessage_p.h"

#include <QtEndian>

namespace Sandboxio::Detail {

namespace {
constexpr qsizetype headerSize = 12;
constexpr qsizetype questionTail = 4; // type and class
constexpr quint16 replyFlag = 0x8000;
constexpr quint16 operationMask = 0x7800;
constexpr quint16 recursionDesired = 0x0100;
constexpr quint16 typeAddress = 1;
constexpr quint16 classInternet = 1;
constexpr quint16 nameOfTheQuestion = 0xc00c; // a pointer to offset 12
constexpr quint32 secondsToLive = 1;

void append(QByteArray &message, quint16 value)
{
    const quint16 bigEndian = qToBigEndian(value);
    message.append(reinterpret_cast<const char *>(&bigEndian), sizeof bigEndian);
}

quint16 at(QByteArrayView message, qsizetype offset)
{
    return qFromBigEndian<quint16>(message.data() + offset);
}

/// Where the one question of \a query ends; -1 when it has not exactly one, whole and without compression.
qsizetype endOfQuestion(QByteArrayView query)
{
    if (query.size() < headerSize || at(query, 4) != 1)
        return -1;
    qsizetype position = headerSize;
    while (position < query.size() && query[position] != 0) {
        const auto length = static_cast<quint8>(query[position]);
        if (length > 63)
            return -1;
        position += length + 1;
    }
    position += 1 + questionTail;
    return position <= query.size() ? position : -1;
}
} // namespace

QByteArray dnsQuery(QByteArrayView name, quint16 id)
{
    QByteArray query;
    for (const quint16 word : {id, recursionDesired, quint16(1), quint16(0), quint16(0), quint16(0)})
        append(query, word);
    for (const QByteArray &label : name.toByteArray().split('.')) {
        query.append(static_cast<char>(label.size()));
        query.append(label);
    }
    query.append('\0');
    append(query, typeAddress);
    append(query, classInternet);
    return query;
}

QByteArray dnsReply(QByteArrayView query, const QHostAddress &address)
{
    const qsizetype end = endOfQuestion(query);
    if (end < 0 || (at(query, 2) & (replyFlag | operationMask)) != 0)
        return {};
    QByteArray reply;
    for (const quint16 word :
         {at(query, 0), quint16(replyFlag | at(query, 2)), quint16(1), quint16(1), quint16(0), quint16(0)})
        append(reply, word);
    reply.append(query.sliced(headerSize, end - headerSize));
    for (const quint16 word : {nameOfTheQuestion, typeAddress, classInternet, quint16(0),
                               quint16(secondsToLive), quint16(sizeof(quint32))})
        append(reply, word);
    const quint32 bytes = qToBigEndian(address.toIPv4Address());
    reply.append(reinterpret_cast<const char *>(&bytes), sizeof bytes);
    return reply;
}

bool isDnsReply(QByteArrayView reply, quint16 id)
{
    return reply.size() > headerSize && at(reply, 0) == id && (at(reply, 2) & replyFlag) && at(reply, 6) > 0;
}

} // namespace Sandboxio::Detail
