// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "policyreport.h"

#include <QJsonArray>

#include <algorithm>

namespace Sandboxio {

using namespace Qt::StringLiterals;

PolicyReport::Verdict policyVerdict(NetworkPolicy::Egress declared, const QList<PolicyCheck> &checks)
{
    using Verdict = PolicyReport::Verdict;
    const bool allControlled = !checks.isEmpty() && std::ranges::all_of(checks, &PolicyCheck::controlReached);
    if (declared == NetworkPolicy::Egress::Open) {
        // Open promises that a network is there, not that every protocol passes.
        if (std::ranges::any_of(checks, &PolicyCheck::insideReached))
            return Verdict::Enforced;
        return allControlled ? Verdict::Violated : Verdict::Inconclusive;
    }
    if (std::ranges::any_of(checks, &PolicyCheck::insideReached))
        return Verdict::Violated;
    return allControlled ? Verdict::Enforced : Verdict::Inconclusive;
}

QString verdictName(PolicyReport::Verdict verdict)
{
    switch (verdict) {
    case PolicyReport::Verdict::Enforced:
        return u"enforced"_s;
    case PolicyReport::Verdict::Violated:
        return u"violated"_s;
    case PolicyReport::Verdict::Inconclusive:
        break;
    }
    return u"inconclusive"_s;
}

QJsonObject PolicyReport::toJson() const
{
    QJsonArray array;
    for (const PolicyCheck &check : checks) {
        array.append(QJsonObject{{u"way"_s, check.way},
                                 {u"controlReached"_s, check.controlReached},
                                 {u"insideReached"_s, check.insideReached},
                                 {u"detail"_s, check.detail}});
    }
    return {{u"verdict"_s, verdictName(verdict)},
            {u"declared"_s, egressName(declared)},
            {u"checkedAt"_s, checkedAt.toString(Qt::ISODate)},
            {u"checks"_s, array}};
}

} // namespace Sandboxio
