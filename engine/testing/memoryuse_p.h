// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QtGlobal>

namespace Sandboxio {

/*! The resident memory of this process, bytes. */
qint64 residentBytes();

} // namespace Sandboxio
