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
    QString name;           //!< "python"
    QString program;        //!< "python3", looked up in the runs' PATH
    QStringList otherNames; //!< what users call it too
};

/*! All of them, first the default. What an image has is looked up per sandbox. */
const QList<CodeLanguage> &codeLanguages();

/*! The name in codeLanguages() of what a user calls \a name, in any case; an unknown one as it is. */
QString languageNamed(const QString &name);

/*! The directories of \a searchPath (the value of PATH; empty: the usual ones), absolute ones only. */
QByteArrayList searchDirectories(const QString &searchPath);

/*! What runs the source in the file \a path, which is private to this run. Python and node remove the file
    before the first line of the source runs; bash leaves that to the caller. \a language is one of codeLanguages(). */
std::vector<std::string> codeArguments(const QString &language, const std::string &path);

/*! ConfigurationError naming the \a available languages. */
ErrorInfo unknownLanguage(const QString &language, const QStringList &available);

} // namespace Sandboxio::Docker
