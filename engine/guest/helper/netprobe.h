// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/guest/protocol/messages.h>

namespace Sandboxio::Guest {

/// Waits up to the probe's limit: for a worker.
NetProbeResult probeNetwork(const NetProbe &probe);

} // namespace Sandboxio::Guest
