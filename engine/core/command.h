// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QList>
#include <QString>
#include <QStringList>

#include <initializer_list>

namespace Sandboxio {

/*! What to run: an argv list that goes through no shell, or a text for `sh -c` that must be asked for by name.
    A bare string is neither.

    \code
    auto listing = sandbox->run({u"ls"_s, u"-l"_s});
    auto count = sandbox->run(Command::shell(u"ls -l | wc -l"_s));
    \endcode */
class SANDBOXIO_CORE_EXPORT Command
{
public:
    /*! The argv list \a arguments; the first is the program. */
    Command(std::initializer_list<QString> arguments);
    /*! \overload */
    explicit Command(QStringList arguments);
    /*! \a text run by `sh -c`. */
    static Command shell(const QString &text);

    /*! The complete argv, for shell() too: "sh", "-c" and the text. */
    const QStringList &arguments() const { return m_arguments; }
    bool isShell() const { return m_shell; }
    bool isEmpty() const { return m_arguments.isEmpty() || m_arguments.first().isEmpty(); }
    /*! One line for people, quoted as a shell would need it. Not redacted. */
    QString toString() const;
    bool operator==(const Command &) const = default;

private:
    QStringList m_arguments;
    bool m_shell = false;
};

} // namespace Sandboxio
