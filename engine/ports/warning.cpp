// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "warning.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;

QString warningKindName(EngineWarning::Kind kind)
{
    switch (kind) {
    case EngineWarning::Kind::OrphanedSandbox:
        return u"OrphanedSandbox"_s;
    case EngineWarning::Kind::UnknownIsolation:
        return u"UnknownIsolation"_s;
    case EngineWarning::Kind::Reconnected:
        return u"Reconnected"_s;
    case EngineWarning::Kind::AuditSink:
        return u"AuditSink"_s;
    case EngineWarning::Kind::Provider:
        break;
    }
    return u"Provider"_s;
}

} // namespace Sandboxio
