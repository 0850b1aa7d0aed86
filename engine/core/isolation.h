// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QString>

namespace Sandboxio {

/*! How well the boundary of a sandbox resists an escape through the kernel, and nothing else. Ordered; Unknown
    is the default and satisfies no requirement. */
enum class IsolationTier { Unknown = 0, Container = 10, GVisor = 20, MicroVm = 30 };

/*! Whether \a tier is at least \a minimum. Unknown satisfies nothing, not even a requirement of Unknown. */
constexpr bool satisfies(IsolationTier tier, IsolationTier minimum)
{
    return tier != IsolationTier::Unknown && static_cast<int>(tier) >= static_cast<int>(minimum);
}

/*! The stable name used in JSON and on screen: "Unknown", "Container", "gVisor", "MicroVM". */
SANDBOXIO_CORE_EXPORT QString isolationTierName(IsolationTier tier);

} // namespace Sandboxio
