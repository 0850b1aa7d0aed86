// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QStyle>

namespace Sandboxio::Desktop {

/*! The icon \a name of the desktop's theme, else the style's \a fallback. */
QIcon themeIcon(const QString &name, QStyle::StandardPixmap fallback);
/*! The icon of the application. */
QIcon applicationIcon();

} // namespace Sandboxio::Desktop
