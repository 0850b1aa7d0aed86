// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "icons.h"

#include <QApplication>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

QIcon themeIcon(const QString &name, QStyle::StandardPixmap fallback)
{
    return QIcon::fromTheme(name, QApplication::style()->standardIcon(fallback));
}

QIcon applicationIcon()
{
    return QIcon::fromTheme(u"io.sandboxio.Sandboxio"_s,
                            QIcon(u":/sandboxio/icons/hicolor/scalable/apps/io.sandboxio.Sandboxio.svg"_s));
}

} // namespace Sandboxio::Desktop
