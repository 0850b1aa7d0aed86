// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <expected>

#include <QByteArray>
#include <QRegularExpression>
#include <QString>

namespace Sandboxio {

/// One fault at one point of the traffic.
///
/// As text: `METHOD PATHREGEX:OCCURRENCE:PHASE:ACTION[=NUMBER]`, for example
/// `POST /containers/create:1:before-request:stop`. METHOD is `*` for any; PATHREGEX is searched in path and
/// query; OCCURRENCE counts the requests that match this rule, from 1, and 0 means every one.
struct FaultRule
{
    enum class Phase {
        BeforeRequest, ///< The request was read whole, nothing of it was forwarded.
        AfterRequest,  ///< The request was forwarded whole, nothing of the reply was read.
        BeforeReply,   ///< The reply was read whole (its head, where it is an upgrade or ends by closing),
                       ///< nothing of it was forwarded.
        AfterReply,    ///< The reply was forwarded whole (its head, where it is an upgrade).
    };
    enum class Action {
        Stop,      ///< Report and hold the connection until the client hangs up or FaultProxy::release().
        Delay,     ///< Go on after NUMBER milliseconds.
        Cut,       ///< Close both sides, after NUMBER bytes of the reply in phase before-reply.
        Error,     ///< Answer with status 500 instead, then close. Not in phase after-reply.
        Half,      ///< Forward half of the reply, then close both sides. In phase before-reply only.
        ErrorLine, ///< Answer with status 200 and a line of progress followed by a line with an error, then close.
                   ///< Not in phase after-reply.
    };

    QByteArray method = QByteArrayLiteral("*");
    QRegularExpression path;
    int occurrence = 1;
    Phase phase = Phase::BeforeRequest;
    Action action = Action::Stop;
    qint64 number = 0;
    QByteArray message =
        "injected fault"; ///< What Error says; not in the text form, and nothing to escape in it.

    bool matches(const QByteArray &requestMethod, const QByteArray &target) const;

    /// The rule in @p text, or what is wrong with it.
    static std::expected<FaultRule, QString> parse(const QString &text);
};

/// `before-request`, `after-request`, `before-reply`, `after-reply`.
QString phaseName(FaultRule::Phase phase);

} // namespace Sandboxio
