// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "resources.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;

QString capName(Resources::Cap cap)
{
    switch (cap) {
    case Resources::Cap::Cpu:
        return u"cpu"_s;
    case Resources::Cap::Memory:
        return u"memory"_s;
    case Resources::Cap::Disk:
        return u"disk"_s;
    case Resources::Cap::Processes:
        break;
    }
    return u"processes"_s;
}

} // namespace Sandboxio
