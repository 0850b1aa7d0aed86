// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../sandboxchoice.h"

namespace Sandboxio::Cli {

/*! The arguments of `sandboxio code`. */
struct CodeArguments
{
    SandboxChoice sandbox;
    std::optional<QString> code; //!< given with -c
    QString file;                //!< a local file, or "-" for standard input
    QString language = QStringLiteral("python");
    std::optional<std::chrono::milliseconds> timeout;
    QMap<QString, QString> env;
    bool interactive = false;
    bool operator==(const CodeArguments &) const = default;
};

Parsed<CodeArguments> parseCode(const QStringList &arguments);
QCoro::Task<int> executeCode(Session &session, QStringList arguments);

} // namespace Sandboxio::Cli
