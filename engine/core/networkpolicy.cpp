// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "networkpolicy.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;

QString egressName(NetworkPolicy::Egress egress)
{
    switch (egress) {
    case NetworkPolicy::Egress::AllowList:
        return u"allowlist"_s;
    case NetworkPolicy::Egress::Learn:
        return u"learn"_s;
    case NetworkPolicy::Egress::Open:
        return u"open"_s;
    case NetworkPolicy::Egress::Deny:
        break;
    }
    return u"deny"_s;
}

} // namespace Sandboxio
