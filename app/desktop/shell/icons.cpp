// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "icons.h"

#include <QApplication>
#include <QPalette>
#include <QStandardPaths>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

QIcon themeIcon(const QString &name, QStyle::StandardPixmap fallback)
{
    return QIcon::fromTheme(name, QApplication::style()->standardIcon(fallback));
}

void useFallbackTheme()
{
    // Platforms without a desktop do not know where themes are.
    QStringList folders = QIcon::themeSearchPaths();
    folders += QStandardPaths::locateAll(QStandardPaths::GenericDataLocation, u"icons"_s,
                                         QStandardPaths::LocateDirectory);
    folders.removeDuplicates();
    QIcon::setThemeSearchPaths(folders);
    const QPalette palette = QGuiApplication::palette();
    const bool dark =
        palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
    const QString theme = dark ? u"breeze-dark"_s : u"breeze"_s;
    if (QIcon::themeName().isEmpty() || QIcon::themeName() == "hicolor"_L1)
        QIcon::setThemeName(theme);
    QIcon::setFallbackThemeName(theme);
}

QIcon applicationIcon()
{
    return QIcon::fromTheme(u"io.sandboxio.Sandboxio"_s,
                            QIcon(u":/sandboxio/icons/hicolor/scalable/apps/io.sandboxio.Sandboxio.svg"_s));
}

} // namespace Sandboxio::Desktop
