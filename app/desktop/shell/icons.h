// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QStyle>

namespace Sandboxio::Desktop {

/*! The icon \a name of the desktop's theme, else the style's \a fallback. */
QIcon themeIcon(const QString &name, QStyle::StandardPixmap fallback);
/*! Looks icons that the desktop's theme lacks up in one that suits the palette. Called once at start. */
void useFallbackTheme();
/*! The icon of the application. */
QIcon applicationIcon();

} // namespace Sandboxio::Desktop
