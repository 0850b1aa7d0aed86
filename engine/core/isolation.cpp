// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "isolation.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;

QString isolationTierName(IsolationTier tier)
{
    switch (tier) {
    case IsolationTier::Container:
        return u"Container"_s;
    case IsolationTier::GVisor:
        return u"gVisor"_s;
    case IsolationTier::MicroVm:
        return u"MicroVM"_s;
    case IsolationTier::Unknown:
        break;
    }
    return u"Unknown"_s;
}

} // namespace Sandboxio
