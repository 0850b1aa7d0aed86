// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/qnamespace.h>

namespace Sandboxio::Desktop {

/*! Makes the whole application light or dark; Unknown follows the desktop. */
void applyColorScheme(Qt::ColorScheme scheme);

} // namespace Sandboxio::Desktop
