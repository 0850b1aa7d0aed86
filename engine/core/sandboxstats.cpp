// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "sandboxstats.h"

namespace Sandboxio {

std::optional<double> processorsBusy(const SandboxStats &earlier, const SandboxStats &later)
{
    if (!earlier.cpuTime || !later.cpuTime || !earlier.time.isValid() || !later.time.isValid())
        return std::nullopt;
    const qint64 passedMs = earlier.time.msecsTo(later.time);
    const std::chrono::duration<double, std::milli> used = *later.cpuTime - *earlier.cpuTime;
    if (passedMs <= 0 || used.count() < 0)
        return std::nullopt;
    return used.count() / static_cast<double>(passedMs);
}

} // namespace Sandboxio
