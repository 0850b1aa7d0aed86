// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace Sandboxio::Cli {

/*! Runs the command line \a arguments (without the program's name) in the event loop of the QCoreApplication,
    which must exist. Returns the exit code. */
int runApplication(const QStringList &arguments);

/*! The text of `sandboxio --help`. */
QString generalHelp();

} // namespace Sandboxio::Cli
