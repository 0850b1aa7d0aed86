// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "application.h"

#include <QCoreApplication>

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("sandboxio"));
    QCoreApplication::setApplicationVersion(QStringLiteral(SANDBOXIO_VERSION));
    return Sandboxio::Cli::runApplication(QCoreApplication::arguments().sliced(1));
}
