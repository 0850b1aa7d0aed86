// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QByteArray>
#include <QMap>
#include <QString>

#include <chrono>
#include <optional>

namespace Sandboxio {

/*! Size of a terminal in characters. */
struct TerminalSize
{
    int rows = 24;
    int columns = 80;
    bool operator==(const TerminalSize &) const = default;
};

/*! Options of one run of a command. */
struct RunOptions
{
    /*! The run limit: positive, or unset for no timer of its own (the lifetime of the sandbox ends the run).
        Zero or negative is ConfigurationError. */
    std::optional<std::chrono::milliseconds> timeout;
    QMap<QString, QString> env; //!< added to the sandbox's environment; wins over it
    QString workingDirectory;   //!< empty: the sandbox's working directory; relative: resolved there
    QString user;               //!< empty: the sandbox's user
    std::optional<QByteArray>
        standardInput;                     //!< given to the program, then closed; unset: what Process::write()
                                           //!< sends, and nothing for run() and runCode()
    std::optional<TerminalSize> pty;       //!< run on a terminal of this size; needs Capability::Pty
    qint64 outputLimit = 16 * 1024 * 1024; //!< bytes kept of each buffered stream
    bool operator==(const RunOptions &) const = default;
};

/*! Options of one run of code. */
struct RunCodeOptions
{
    std::optional<std::chrono::milliseconds> timeout; //!< as RunOptions::timeout
    QString language =
        QStringLiteral("python");            //!< an unknown one is ConfigurationError naming those there are
    QString context;                         //!< id of a persistent context; needs Capability::StatefulCode
    QMap<QString, QString> env;              //!< as RunOptions::env
    std::optional<QByteArray> standardInput; //!< as RunOptions::standardInput
    qint64 outputLimit = 16 * 1024 * 1024;   //!< as RunOptions::outputLimit
    bool operator==(const RunCodeOptions &) const = default;
};

} // namespace Sandboxio
