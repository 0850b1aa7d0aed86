// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/transport/transporterror.h>

#include <QByteArray>
#include <QJsonArray>
#include <QJsonObject>

#include <expected>
#include <optional>

namespace Sandboxio::Docker {

struct Endpoint;

/*! What a request is for: decides the class and the sentence of its errors. */
struct Purpose
{
    ErrorKind kind = ErrorKind::ConnectError; //!< of an error that has no class of its own
    QString what = {};                        //!< translated, infinitive: "create the container"
};

/*! The error of the answer \a status (400 and above) with \a body. The daemon's text becomes the cause. */
ErrorInfo errorOfAnswer(int status, const QByteArray &body, const Purpose &purpose);
/*! The error of a daemon's \a text that came inside an answer that began well (pull progress, Warnings). */
ErrorInfo errorOfText(std::optional<int> status, const QString &text, const Purpose &purpose);
/*! Whether this account may use the socket: for the hint on "permission denied". */
struct SocketAccess
{
    QString group = {}; //!< owner of the socket; empty when not known, or root's own
    bool memberButNotInSession =
        false; //!< the group database has the account, this login session started before
    bool operator==(const SocketAccess &) const = default;
};
/*! Looks at the socket, the group database and this process. */
SocketAccess socketAccess(const QString &path);
/*! The error of a request that had no answer. */
ErrorInfo errorOfTransport(const TransportError &error, const Endpoint &endpoint, const Purpose &purpose,
                           const SocketAccess &access = {});
/*! The error of an answer that this adapter does not understand. */
ErrorInfo malformedAnswer(const QString &detail, const Purpose &purpose);

/*! Whether \a error is the daemon's answer \a status. */
bool isStatus(const ErrorInfo &error, int status);

std::expected<QJsonObject, ErrorInfo> parseObject(const QByteArray &body, const Purpose &purpose);
std::expected<QJsonArray, ErrorInfo> parseArray(const QByteArray &body, const Purpose &purpose);

} // namespace Sandboxio::Docker
