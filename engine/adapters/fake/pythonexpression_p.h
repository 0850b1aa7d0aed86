// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include <variant>

namespace Sandboxio::Fake {

using PythonValue = std::variant<qint64, double, QString>;

struct PythonResult
{
    QList<PythonValue> values; //!< of the expressions between commas
    QString exception;         //!< "ZeroDivisionError: division by zero", as in a traceback
    bool unknown = false;      //!< more than literals, arithmetic and parentheses
};

/*! The values of \a text: string and number literals, + - * / // %, parentheses, commas. */
PythonResult evaluatePython(const QString &text);
/*! As print() writes it. */
QString pythonText(const PythonValue &value);
/*! The statements of \a line, which stand between semicolons, without comments and blanks. */
QStringList pythonStatements(const QString &line);
/*! What a SyntaxError would say about \a line on its own: brackets and quotes that do not match. Empty:
 * nothing. */
QString pythonSyntaxProblem(const QString &line);

} // namespace Sandboxio::Fake
