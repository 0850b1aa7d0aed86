// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "colorscheme.h"

#include <QApplication>
#include <QPalette>
#include <QStyle>
#include <QStyleHints>

namespace Sandboxio::Desktop {

void applyColorScheme(Qt::ColorScheme scheme)
{
    if (scheme == Qt::ColorScheme::Unknown)
        return;
    QGuiApplication::styleHints()->setColorScheme(scheme);
    if (QGuiApplication::styleHints()->colorScheme() == scheme)
        return;
    // Platforms without a theme of their own ignore the request; there the palette is set here.
    const bool dark = scheme == Qt::ColorScheme::Dark;
    QPalette palette(dark ? QColor(Qt::darkGray).darker(220) : QColor(Qt::lightGray).lighter(120),
                     dark ? QColor(Qt::darkGray).darker(260) : QColor(Qt::lightGray).lighter(125));
    if (dark) {
        palette.setColor(QPalette::Base, QColor(Qt::darkGray).darker(320));
        palette.setColor(QPalette::AlternateBase, QColor(Qt::darkGray).darker(280));
    }
    QApplication::setPalette(palette);
}

} // namespace Sandboxio::Desktop
