// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../session.h"

namespace Sandboxio::Cli {

/*! The arguments of `sandboxio cp`. */
struct CpArguments
{
    enum class Direction { Upload, Download };
    Direction direction = Direction::Upload;
    QString local;
    RemotePath remote;
    QList<Target> targets;
    bool verify = false;
    bool operator==(const CpArguments &) const = default;
};

Parsed<CpArguments> parseCp(const QStringList &arguments);
QCoro::Task<int> executeCp(Session &session, QStringList arguments);

/*! Where a file called \a fileName goes when somebody says \a destination: into it when it is a directory
    (empty, ends with a slash, or \a isDirectory), else there. */
QString destinationPath(const QString &destination, bool isDirectory, const QString &fileName);

} // namespace Sandboxio::Cli
