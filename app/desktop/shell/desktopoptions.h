// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/runtime/doctorreport.h>

#include <QList>
#include <QStringList>

#include <optional>

namespace Sandboxio::Desktop {

/*! What the command line and the environment decide about one start. */
struct DesktopOptions
{
    QList<Target> targets; //!< empty: every installed backend but the demo
    Qt::ColorScheme colorScheme = Qt::ColorScheme::Unknown;
    /*! What becomes of the sandboxes that this program made and that still run when it is quit. */
    enum class AtQuit { Ask, Keep, Stop };
    AtQuit atQuit = AtQuit::Ask;
    bool selfTest = false;
    QString screenshotDirectory; //!< where the screenshot script puts its pictures; empty: no script
    int outputMegabytes = 0;     //!< how much the output script prints; 0: no script
    QString settingsFile;        //!< empty: the user's
    QString outputDirectory;     //!< where output is spooled; empty: the user's cache folder
};

/*! What reading a command line gave. */
struct CommandLineResult
{
    DesktopOptions options;
    QString message;             //!< to print, for --help, --version and errors
    std::optional<int> exitCode; //!< set when the program should end at once
};

/*! Reads \a arguments, the program's name included. A pure function apart from translations. */
CommandLineResult parseCommandLine(const QStringList &arguments);

/*! The targets to show when none were named: the default place of each usable backend except the demo. */
QList<Target> usualTargets(const QList<BackendDescription> &backends);
/*! The built-in demo, absent when it is not installed. */
std::optional<Target> demoTarget(const QList<BackendDescription> &backends);

} // namespace Sandboxio::Desktop
