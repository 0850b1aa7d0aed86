// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QList>
#include <QString>
#include <QStringList>

namespace Sandboxio {

/*! What a sandbox may reach, in force before its first instruction. Denied by default; a backend that cannot
    enforce a policy refuses it before anything is created. */
struct SANDBOXIO_CORE_EXPORT NetworkPolicy
{
    enum class Egress {
        Deny,      //!< nothing, name resolution included
        AllowList, //!< only what `allow` names; must not be empty
        Learn,     //!< only what `allow` names, and every denied attempt is reported
        Open,      //!< an ordinary network
    };

    Egress egress = Egress::Deny;
    QStringList allow; //!< host names, CIDRs, with optional ":port"; legal with AllowList and Learn only
    QList<quint16> ingressPorts; //!< ports of the sandbox that may be reached from outside

    bool operator==(const NetworkPolicy &) const = default;

    static NetworkPolicy deny() { return {}; }
    static NetworkPolicy open() { return {Egress::Open, {}, {}}; }
    static NetworkPolicy allowList(const QStringList &allow) { return {Egress::AllowList, allow, {}}; }
};

/*! The stable name used in JSON and DSNs: "deny", "allowlist", "learn", "open". */
SANDBOXIO_CORE_EXPORT QString egressName(NetworkPolicy::Egress egress);

} // namespace Sandboxio
