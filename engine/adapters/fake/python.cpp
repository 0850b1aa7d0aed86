// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "program_p.h"
#include "pythonexpression_p.h"
#include "texts_p.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;

namespace {

class PythonScript
{
public:
    explicit PythonScript(const QString &fileName)
        : m_fileName(fileName)
    {}

    // False when the line ended the program or the fake does not know it.
    bool run(const QString &line)
    {
        ++m_line;
        m_unknown = !line.trimmed().isEmpty() && line.front().isSpace();
        return !m_unknown &&
               std::ranges::all_of(pythonStatements(line), [this](const QString &s) { return step(s); });
    }

    bool isUnknown() const { return m_unknown; }
    int line() const { return m_line; }
    void failSyntax(const QString &line, const QString &text)
    {
        write(Sink::Kind::StandardError, u"  File \"%1\", line %2\n    %3\nSyntaxError: %4\n"_s.arg(m_fileName)
                                             .arg(m_line)
                                             .arg(line.trimmed(), text));
        m_plan.status = 1;
    }
    void nextLine() { ++m_line; }
    CommandPlan plan() const { return m_plan; }
    void restartLines() { m_line = 0; }

private:
    bool step(const QString &statement)
    {
        for (auto handler : {&PythonScript::print, &PythonScript::raise, &PythonScript::exit,
                             &PythonScript::sleep, &PythonScript::harmless}) {
            if (const std::optional<bool> result = (this->*handler)(statement))
                return *result;
        }
        m_unknown = true;
        return false;
    }

    void write(Sink::Kind kind, const QString &text)
    {
        m_plan.steps.append(WriteStep{{kind, {}}, text.toUtf8()});
    }

    bool fail(const QString &exception)
    {
        write(Sink::Kind::StandardError,
              u"Traceback (most recent call last):\n  File \"%1\", line %2, in <module>\n%3\n"_s.arg(m_fileName)
                  .arg(m_line)
                  .arg(exception));
        m_plan.status = 1;
        return false;
    }

    std::optional<bool> evaluated(const QString &text, QList<PythonValue> &values)
    {
        const PythonResult result = evaluatePython(text);
        if (result.unknown)
            return std::nullopt;
        if (!result.exception.isEmpty())
            return fail(result.exception);
        values = result.values;
        return true;
    }

    std::optional<bool> print(const QString &statement)
    {
        static const QRegularExpression call(u"^print\\((.*)\\)$"_s);
        static const QRegularExpression keywords(u",?\\s*(file=sys\\.stderr|flush=True)\\s*$"_s);
        const QRegularExpressionMatch match = call.match(statement);
        if (!match.hasMatch())
            return std::nullopt;
        QString arguments = match.captured(1);
        Sink::Kind kind = Sink::Kind::StandardOutput;
        for (auto keyword = keywords.match(arguments); keyword.hasMatch();
             keyword = keywords.match(arguments)) {
            if (keyword.captured(1).startsWith("file"_L1))
                kind = Sink::Kind::StandardError;
            arguments.truncate(keyword.capturedStart());
        }
        QList<PythonValue> values;
        const std::optional<bool> result = evaluated(arguments, values);
        if (result != true)
            return result;
        QStringList words;
        for (const PythonValue &value : values)
            words.append(pythonText(value));
        write(kind, words.join(u' ') + u'\n');
        return true;
    }

    std::optional<bool> raise(const QString &statement)
    {
        static const QRegularExpression shape(
            u"^raise ([A-Z]\\w*(?:Error|Exception|Exit|Interrupt))(?:\\((.*)\\))?$"_s);
        static const QRegularExpression exact(u"^raise Exception(?:\\((.*)\\))?$"_s);
        const QRegularExpressionMatch plain = exact.match(statement);
        const QRegularExpressionMatch named = shape.match(statement);
        if (!plain.hasMatch() && !named.hasMatch())
            return std::nullopt;
        const QString name = plain.hasMatch() ? u"Exception"_s : named.captured(1);
        QList<PythonValue> values;
        const std::optional<bool> result =
            evaluated(plain.hasMatch() ? plain.captured(1) : named.captured(2), values);
        if (result != true)
            return result;
        return fail(values.isEmpty() ? name : name + u": "_s + pythonText(values.first()));
    }

    std::optional<bool> exit(const QString &statement)
    {
        static const QRegularExpression shape(u"^(?:sys\\.)?exit\\((\\d*)\\)$"_s);
        const QRegularExpressionMatch match = shape.match(statement);
        if (!match.hasMatch())
            return std::nullopt;
        m_plan.status = match.captured(1).toInt() & 0xFF;
        return false;
    }

    std::optional<bool> sleep(const QString &statement)
    {
        static const QRegularExpression shape(u"^time\\.sleep\\((\\d+(?:\\.\\d+)?)\\)$"_s);
        if (statement == "while True: pass"_L1) {
            m_plan.steps.append(SleepStep{});
            return true;
        }
        const QRegularExpressionMatch match = shape.match(statement);
        if (!match.hasMatch())
            return std::nullopt;
        const qint64 duration = std::llround(match.captured(1).toDouble() * 1000);
        m_plan.steps.append(SleepStep{std::chrono::milliseconds(duration)});
        return true;
    }

    std::optional<bool> harmless(const QString &statement)
    {
        static const QRegularExpression import(u"^import (?:sys|time)(?:, ?(?:sys|time))*$"_s);
        if (statement == "pass"_L1 || import.match(statement).hasMatch())
            return true;
        QList<PythonValue> values;
        return evaluated(statement, values);
    }

    QString m_fileName;
    CommandPlan m_plan;
    int m_line = 0;
    bool m_unknown = false;
};

ErrorInfo unknownCode(int line)
{
    return makeError(ErrorKind::ConfigurationError,
                     Text::tr("The in-memory backend has no Python; it cannot run line %1.").arg(line),
                     Text::tr("Script the answer with Fake::Script::onRunCode(), or use a backend that has an "
                              "interpreter."));
}

} // namespace

std::expected<CommandPlan, ErrorInfo> planPython(const QString &code, const QString &fileName)
{
    PythonScript script(fileName);
    const QStringList lines = code.split(u'\n');
    for (const QString &line : lines) {
        script.nextLine();
        if (const QString problem = pythonSyntaxProblem(line); !problem.isEmpty()) {
            // Brackets and quotes may span lines; then the code is right and the fake cannot run it.
            if (pythonSyntaxProblem(code).isEmpty())
                return std::unexpected(unknownCode(script.line()));
            script.failSyntax(line, problem);
            return script.plan();
        }
    }
    script.restartLines();
    for (const QString &line : lines) {
        if (!script.run(line))
            break;
    }
    if (script.isUnknown())
        return std::unexpected(unknownCode(script.line()));
    return script.plan();
}

} // namespace Sandboxio::Fake
