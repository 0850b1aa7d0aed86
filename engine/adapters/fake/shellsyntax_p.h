// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QList>
#include <QString>

#include <expected>

namespace Sandboxio::Fake {

/*! A piece of a word; variables are replaced only where \a expands. */
struct WordPart
{
    QString text;
    bool expands = true;
    bool operator==(const WordPart &) const = default;
};
using Word = QList<WordPart>;

struct Redirection
{
    enum class Kind { ToFile, AppendToFile, ToStandardError, ToStandardOutput };
    Kind kind = Kind::ToFile;
    bool ofError = false; //!< redirects standard error instead of standard output
    Word target;          //!< for the two file kinds
    bool operator==(const Redirection &) const = default;
};

struct ShellCommand
{
    enum class When { Always, AfterSuccess, AfterFailure };
    When when = When::Always;
    QList<Word> words;
    QList<Redirection> redirections;
    bool background = false;
    bool operator==(const ShellCommand &) const = default;
};

/*! Parses the part of the shell's language that the fake knows: words with quotes and $NAME, `;`, `&&`, `||`,
    `&`, newlines, `>`, `>>`, `2>`, `>&2`, `2>&1`. The error is what a shell would print. */
std::expected<QList<ShellCommand>, QString> parseShell(const QString &text);

} // namespace Sandboxio::Fake
