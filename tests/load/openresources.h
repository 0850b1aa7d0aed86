// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QStringList>

namespace Sandboxio::Load {

qsizetype threadCount();
/*! What this process has open, by its kind: the numbers of sockets and pipes say nothing. Sorted. */
QStringList openDescriptors();

} // namespace Sandboxio::Load
