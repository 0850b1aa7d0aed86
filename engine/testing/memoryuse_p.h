// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QtGlobal>

namespace Sandboxio {

/*! Whether residentBytes() says what the program under test holds: a sanitizer keeps freed memory for a while. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool memoryTells = false;
#else
inline constexpr bool memoryTells = true;
#endif
/*! The resident memory of this process, bytes. */
qint64 residentBytes();

} // namespace Sandboxio
