// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "managedsandbox.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;

bool hasEnded(SandboxState state)
{
    return state == SandboxState::Stopped || state == SandboxState::Failed;
}

QString sandboxStateName(SandboxState state)
{
    switch (state) {
    case SandboxState::Creating:
        return u"creating"_s;
    case SandboxState::Running:
        return u"running"_s;
    case SandboxState::Paused:
        return u"paused"_s;
    case SandboxState::Stopped:
        return u"stopped"_s;
    case SandboxState::Failed:
        return u"failed"_s;
    case SandboxState::Unknown:
        break;
    }
    return u"unknown"_s;
}

QString verdictName(Ownership::Verdict verdict)
{
    switch (verdict) {
    case Ownership::Verdict::InUse:
        return u"in use"_s;
    case Ownership::Verdict::Ended:
        return u"ended"_s;
    case Ownership::Verdict::Orphan:
        return u"orphan"_s;
    case Ownership::Verdict::Unknown:
        break;
    }
    return u"unknown"_s;
}

QString confidenceName(Ownership::Confidence confidence)
{
    switch (confidence) {
    case Ownership::Confidence::Likely:
        return u"likely"_s;
    case Ownership::Confidence::Certain:
        return u"certain"_s;
    case Ownership::Confidence::None:
        break;
    }
    return u"none"_s;
}

} // namespace Sandboxio
