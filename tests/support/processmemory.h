// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <QtGlobal>

namespace Sandboxio {

/// False where a sanitizer keeps freed memory for a while: then these figures say little about the program.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool memoryTells = false;
#else
inline constexpr bool memoryTells = true;
#endif

/// Resident memory of this process in bytes; 0 where the system does not tell.
qint64 residentMemory();
/// The most that it has been since forgetPeakMemory().
qint64 peakMemory();
/// False where the system keeps the peak.
bool forgetPeakMemory();

} // namespace Sandboxio
