// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>

#include <QByteArrayList>
#include <QString>
#include <QStringList>

#include <string>
#include <vector>

namespace Sandboxio::Docker {

/*! A language that runCode() knows and the program that runs it. A plain value, any thread. */
struct CodeLanguage
{
    QString name;    //!< "python"
    QString program; //!< "python3", looked up in the runs' PATH
};

/*! All of them, first the default. What an image has is looked up per sandbox. */
const QList<CodeLanguage> &codeLanguages();

/*! The directories of \a searchPath (the value of PATH; empty: the usual ones), absolute ones only. */
QByteArrayList searchDirectories(const QString &searchPath);

/*! What runs the source in the file \a path, which is private to this run. Python removes the file before the
    first line of the source runs; the others leave that to the caller. */
std::vector<std::string> codeArguments(const QString &language, const std::string &path);

/*! ConfigurationError naming the \a available languages. */
ErrorInfo unknownLanguage(const QString &language, const QStringList &available);

} // namespace Sandboxio::Docker
