// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "command.h"

#include <QRegularExpression>

namespace Sandboxio {

using namespace Qt::StringLiterals;

Command::Command(std::initializer_list<QString> arguments)
    : m_arguments(arguments)
{}

Command::Command(QStringList arguments)
    : m_arguments(std::move(arguments))
{}

Command Command::shell(const QString &text)
{
    Command command{u"sh"_s, u"-c"_s, text};
    command.m_shell = true;
    return command;
}

QString Command::toString() const
{
    static const QRegularExpression plain(u"\\A[A-Za-z0-9_@%+=:,./-]+\\z"_s);
    if (m_shell)
        return m_arguments.last();
    QStringList words;
    for (const QString &argument : m_arguments) {
        QString quoted = argument;
        if (!plain.match(argument).hasMatch())
            quoted = u'\'' + quoted.replace(u'\'', u"'\\''"_s) + u'\'';
        words.append(quoted);
    }
    return words.join(u' ');
}

} // namespace Sandboxio
