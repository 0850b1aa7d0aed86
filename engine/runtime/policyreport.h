// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/networkpolicy.h>
#include <sandboxio/runtime/export.h>

#include <QDateTime>
#include <QJsonObject>
#include <QList>
#include <QMetaType>

namespace Sandboxio {

/*! One way out that was tried. */
struct PolicyCheck
{
    QString way;                 //!< "TCP over IPv4", "UDP over IPv4", "name resolution"…
    bool controlReached = false; //!< the positive control: the same canary answered from outside
    bool insideReached = false;  //!< the sandbox got through
    QString detail;
    bool operator==(const PolicyCheck &) const = default;
};

/*! The answer of Sandbox::verifyPolicy(). Enforced needs that every check had its positive control. */
struct SANDBOXIO_RUNTIME_EXPORT PolicyReport
{
    enum class Verdict { Enforced, Violated, Inconclusive };
    Verdict verdict = Verdict::Inconclusive;
    NetworkPolicy::Egress declared = NetworkPolicy::Egress::Deny;
    QList<PolicyCheck> checks;
    QDateTime checkedAt;
    QJsonObject toJson() const;
};

/*! The verdict that follows from \a checks for a sandbox that declares \a declared. A pure function. */
SANDBOXIO_RUNTIME_EXPORT PolicyReport::Verdict policyVerdict(NetworkPolicy::Egress declared,
                                                             const QList<PolicyCheck> &checks);
/*! The stable name used in JSON: "enforced", "violated", "inconclusive". */
SANDBOXIO_RUNTIME_EXPORT QString verdictName(PolicyReport::Verdict verdict);

} // namespace Sandboxio

Q_DECLARE_METATYPE(Sandboxio::PolicyReport)
