// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <QtGlobal>

namespace Sandboxio {

/// Resident memory of this process in bytes; 0 where the system does not tell.
qint64 residentMemory();
/// The most that it has been since forgetPeakMemory().
qint64 peakMemory();
/// False where the system keeps the peak.
bool forgetPeakMemory();

} // namespace Sandboxio
