// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "pythonexpression_p.h"

#include <QLocale>
#include <QRegularExpression>

#include <cmath>
#include <optional>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;

namespace {

constexpr double largestPlainFloat = 1e16;
constexpr double smallestPlainFloat = 1e-4;
constexpr qsizetype longestString = 1 << 20;

bool isZero(const PythonValue &value)
{
    return std::holds_alternative<qint64>(value)
               ? std::get<qint64>(value) == 0
               : std::holds_alternative<double>(value) && std::get<double>(value) == 0;
}

double toDouble(const PythonValue &value)
{
    return std::holds_alternative<qint64>(value) ? static_cast<double>(std::get<qint64>(value))
                                                 : std::get<double>(value);
}

class Evaluator
{
public:
    explicit Evaluator(const QString &text)
        : m_text(text)
    {}

    PythonResult run()
    {
        PythonResult result;
        while (!m_unknown && m_exception.isEmpty() && skipBlanks()) {
            result.values.append(sum());
            if (skipBlanks() && !take(u","_s))
                m_unknown = true;
        }
        result.exception = m_exception;
        result.unknown = m_unknown;
        return result;
    }

private:
    bool skipBlanks()
    {
        while (m_position < m_text.size() && m_text[m_position].isSpace())
            ++m_position;
        return m_position < m_text.size();
    }
    bool take(const QString &token)
    {
        skipBlanks();
        if (!QStringView(m_text).sliced(m_position).startsWith(token))
            return false;
        m_position += token.size();
        return true;
    }
    PythonValue giveUp()
    {
        m_unknown = true;
        return qint64(0);
    }
    PythonValue raise(const QString &exception)
    {
        if (m_exception.isEmpty())
            m_exception = exception;
        return qint64(0);
    }

    PythonValue sum()
    {
        PythonValue value = product();
        while (!m_unknown && m_exception.isEmpty()) {
            if (take(u"+"_s))
                value = added(value, product());
            else if (take(u"-"_s))
                value = arithmetic(u'-', value, product());
            else
                break;
        }
        return value;
    }
    PythonValue product()
    {
        PythonValue value = factor();
        while (!m_unknown && m_exception.isEmpty()) {
            if (take(u"**"_s))
                return giveUp();
            if (take(u"*"_s))
                value = multiplied(value, factor());
            else if (take(u"//"_s))
                value = arithmetic(u'\\', value, factor());
            else if (take(u"/"_s))
                value = arithmetic(u'/', value, factor());
            else if (take(u"%"_s))
                value = arithmetic(u'%', value, factor());
            else
                break;
        }
        return value;
    }
    PythonValue factor()
    {
        if (take(u"-"_s))
            return arithmetic(u'-', qint64(0), factor());
        if (take(u"("_s)) {
            const PythonValue value = sum();
            return take(u")"_s) ? value : giveUp();
        }
        if (!skipBlanks())
            return giveUp();
        return m_text[m_position] == u'"' || m_text[m_position] == u'\'' ? string() : number();
    }
    PythonValue number()
    {
        static const QRegularExpression shape(u"\\G(\\d+(\\.\\d*)?)(?![\\w.])"_s);
        const QRegularExpressionMatch match = shape.match(m_text, m_position);
        if (!match.hasMatch())
            return giveUp();
        m_position = match.capturedEnd();
        if (match.hasCaptured(2))
            return match.captured(1).toDouble();
        bool fits = false;
        const qint64 value = match.captured(1).toLongLong(&fits);
        return fits ? PythonValue(value) : giveUp();
    }
    PythonValue string()
    {
        const QChar quote = m_text[m_position++];
        QString value;
        while (m_position < m_text.size() && m_text[m_position] != quote) {
            QChar character = m_text[m_position++];
            if (character == u'\\') {
                const QString escapes = u"ntr\\'\""_s;
                const qsizetype which = m_position < m_text.size() ? escapes.indexOf(m_text[m_position]) : -1;
                if (which < 0)
                    return giveUp();
                character = u"\n\t\r\\'\""_s[which];
                ++m_position;
            }
            value += character;
        }
        if (m_position >= m_text.size())
            return giveUp();
        ++m_position;
        return value;
    }

    PythonValue added(const PythonValue &left, const PythonValue &right)
    {
        const bool leftText = std::holds_alternative<QString>(left);
        if (leftText != std::holds_alternative<QString>(right))
            return raise(leftText ? u"TypeError: can only concatenate str (not \"int\") to str"_s
                                  : u"TypeError: unsupported operand type(s) for +: 'int' and 'str'"_s);
        if (leftText)
            return std::get<QString>(left) + std::get<QString>(right);
        return arithmetic(u'+', left, right);
    }
    PythonValue multiplied(const PythonValue &left, const PythonValue &right)
    {
        if (!std::holds_alternative<QString>(left))
            return arithmetic(u'*', left, right);
        const auto *count = std::get_if<qint64>(&right);
        const QString &text = std::get<QString>(left);
        if (!count || *count * std::max<qsizetype>(text.size(), 1) > longestString)
            return giveUp();
        return text.repeated(std::max<qint64>(*count, 0));
    }
    PythonValue arithmetic(char16_t operation, const PythonValue &left, const PythonValue &right)
    {
        if (std::holds_alternative<QString>(left) || std::holds_alternative<QString>(right))
            return giveUp();
        const bool divides = operation == u'/' || operation == u'\\' || operation == u'%';
        if (divides && isZero(right))
            return raise(u"ZeroDivisionError: division by zero"_s);
        const auto *a = std::get_if<qint64>(&left);
        const auto *b = std::get_if<qint64>(&right);
        if (a && b && operation != u'/')
            return integer(operation, *a, *b);
        return floating(operation, toDouble(left), toDouble(right));
    }
    PythonValue integer(char16_t operation, qint64 a, qint64 b)
    {
        qint64 value = 0;
        bool overflow = false;
        if (operation == u'+') {
            overflow = __builtin_add_overflow(a, b, &value);
        } else if (operation == u'-') {
            overflow = __builtin_sub_overflow(a, b, &value);
        } else if (operation == u'*') {
            overflow = __builtin_mul_overflow(a, b, &value);
        } else {
            // Python rounds towards minus infinity.
            overflow = b == -1;
            const qint64 rest = overflow ? 0 : a % b;
            const bool corrects = rest != 0 && (rest < 0) != (b < 0);
            if (!overflow)
                value = operation == u'%' ? rest + (corrects ? b : 0) : a / b - (corrects ? 1 : 0);
        }
        return overflow ? giveUp() : PythonValue(value);
    }
    PythonValue floating(char16_t operation, double a, double b)
    {
        switch (operation) {
        case u'+':
            return a + b;
        case u'-':
            return a - b;
        case u'*':
            return a * b;
        case u'/':
            return a / b;
        default:
            return giveUp();
        }
    }

    QString m_text;
    qsizetype m_position = 0;
    QString m_exception;
    bool m_unknown = false;
};

} // namespace

PythonResult evaluatePython(const QString &text)
{
    PythonResult result = Evaluator(text).run();
    for (const PythonValue &value : std::as_const(result.values)) {
        // Outside this range print() switches to an exponent in a form of its own.
        const double size = std::holds_alternative<double>(value) ? std::abs(std::get<double>(value)) : 0;
        if (!std::isfinite(size) || size >= largestPlainFloat || (size > 0 && size < smallestPlainFloat))
            result.unknown = true;
    }
    return result;
}

QString pythonText(const PythonValue &value)
{
    if (const auto *text = std::get_if<QString>(&value))
        return *text;
    if (const auto *integer = std::get_if<qint64>(&value))
        return QString::number(*integer);
    const QString number = QString::number(std::get<double>(value), 'f', QLocale::FloatingPointShortest);
    return number.contains(u'.') ? number : number + u".0"_s;
}

QStringList pythonStatements(const QString &line)
{
    QStringList statements;
    QString current;
    QChar quote;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar character = line[i];
        if (quote.isNull() && character == u'#')
            break;
        if (quote.isNull() && character == u';') {
            statements.append(current.trimmed());
            current.clear();
            continue;
        }
        current += character;
        if (!quote.isNull() && character == u'\\' && i + 1 < line.size())
            current += line[++i];
        else if (quote.isNull() && (character == u'"' || character == u'\''))
            quote = character;
        else if (character == quote)
            quote = QChar();
    }
    statements.append(current.trimmed());
    statements.removeAll(QString());
    return statements;
}

QString pythonSyntaxProblem(const QString &line)
{
    QString open;
    QChar quote;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar character = line[i];
        if (!quote.isNull()) {
            if (character == u'\\')
                ++i;
            else if (character == quote)
                quote = QChar();
        } else if (character == u'#') {
            break;
        } else if (character == u'"' || character == u'\'') {
            quote = character;
        } else if (u"([{"_s.contains(character)) {
            open += character;
        } else if (const qsizetype which = u")]}"_s.indexOf(character); which >= 0) {
            if (!open.endsWith(u"([{"_s[which]))
                return u"unmatched '%1'"_s.arg(character);
            open.chop(1);
        }
    }
    if (!quote.isNull())
        return u"unterminated string literal"_s;
    if (!open.isEmpty())
        return u"'%1' was never closed"_s.arg(open.back());
    return {};
}

} // namespace Sandboxio::Fake
