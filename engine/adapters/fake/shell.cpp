// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "program_p.h"
#include "shellsyntax_p.h"

#include <sandboxio/core/path.h>

#include <QRegularExpression>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;

namespace {

constexpr int syntaxErrorStatus = 2;
constexpr int notFoundStatus = 127;

Sink errorSink()
{
    return {Sink::Kind::StandardError, {}};
}

class ShellProgram final : public Program
{
public:
    ShellProgram(QList<ShellCommand> commands, Surroundings surroundings)
        : m_commands(std::move(commands))
        , m_surroundings(std::move(surroundings))
    {}

    Step next(MemoryFiles &files) override
    {
        while (true) {
            if (!m_steps.isEmpty())
                return m_steps.takeFirst();
            if (m_nested) {
                const Step step = m_nested->next(files);
                const auto *exit = std::get_if<ExitStep>(&step);
                if (!exit)
                    return retargeted(step);
                m_status = exit->code;
                m_nested = nullptr;
                continue;
            }
            if (m_exited || m_position == m_commands.size())
                return ExitStep{m_status, {}};
            begin(m_commands[m_position++], files);
        }
    }

private:
    bool isDue(const ShellCommand &command) const
    {
        return command.when == ShellCommand::When::Always ||
               (command.when == ShellCommand::When::AfterSuccess) == (m_status == 0);
    }

    void begin(const ShellCommand &command, MemoryFiles &files)
    {
        if (!isDue(command))
            return;
        if (command.background) {
            ShellCommand job = command;
            job.background = false;
            job.when = ShellCommand::When::Always;
            m_steps.append(SpawnStep{std::make_shared<ShellProgram>(QList{job}, m_surroundings)});
            m_status = 0;
            return;
        }
        QStringList argv;
        for (const Word &word : command.words)
            argv.append(expanded(word));
        m_output = {};
        m_error = errorSink();
        for (const Redirection &redirection : command.redirections) {
            if (!redirect(redirection, files))
                return;
        }
        execute(argv, files);
    }

    void execute(const QStringList &argv, MemoryFiles &files)
    {
        if (argv.isEmpty()) {
            m_status = 0;
        } else if (argv.first() == "exit"_L1) {
            m_exited = true;
            m_status = argv.value(1, QString::number(m_status)).toInt() & 0xFF;
        } else if (argv.first() == "cd"_L1) {
            changeDirectory(argv.value(1, QLatin1StringView(MemoryFiles::workingDirectory)), files);
        } else if (const std::optional<CommandPlan> plan = planCommand(argv, m_surroundings, files)) {
            m_nested = plan->program;
            m_status = plan->status;
            for (const Step &step : plan->steps)
                m_steps.append(retargeted(step));
        } else {
            complain(u"sh: 1: %1: not found"_s.arg(argv.first()), notFoundStatus);
        }
    }

    void changeDirectory(const QString &path, MemoryFiles &files)
    {
        const QByteArray target = MemoryFiles::resolved(encodePath(path), m_surroundings.directory);
        const auto info = files.stat(target);
        if (info && info->type == FileInfo::Type::Directory) {
            m_surroundings.directory = target;
            m_status = 0;
        } else {
            complain(u"sh: 1: cd: can't cd to %1"_s.arg(path), syntaxErrorStatus);
        }
    }

    bool redirect(const Redirection &redirection, MemoryFiles &files)
    {
        Sink &sink = redirection.ofError ? m_error : m_output;
        if (redirection.kind == Redirection::Kind::ToStandardError) {
            sink = m_error;
            return true;
        }
        if (redirection.kind == Redirection::Kind::ToStandardOutput) {
            sink = m_output;
            return true;
        }
        const QByteArray name = encodePath(expanded(redirection.target));
        const QByteArray path = MemoryFiles::resolved(name, m_surroundings.directory);
        if (path == "/dev/null") {
            sink = {Sink::Kind::Nowhere, {}};
            return true;
        }
        const bool appends = redirection.kind == Redirection::Kind::AppendToFile;
        const auto opened =
            appends ? files.append(path, {}, QDateTime()) : files.write(path, {}, {}, QDateTime());
        if (!opened) {
            complain(u"sh: 1: cannot create %1: %2"_s.arg(decodePath(name), opened.error().message),
                     syntaxErrorStatus);
            return false;
        }
        sink = {Sink::Kind::File, path};
        return true;
    }

    void complain(const QString &line, int status)
    {
        m_steps.append(WriteStep{errorSink(), line.toUtf8() + '\n'});
        m_status = status;
    }

    Step retargeted(Step step) const
    {
        std::visit(
            [this](auto &concrete) {
                if constexpr (requires { concrete.sink; }) {
                    if (concrete.sink.kind == Sink::Kind::StandardOutput)
                        concrete.sink = m_output;
                    else if (concrete.sink.kind == Sink::Kind::StandardError)
                        concrete.sink = m_error;
                }
            },
            step);
        return step;
    }

    QString expanded(const Word &word) const
    {
        QString text;
        for (const WordPart &part : word)
            text += part.expands ? withVariables(part.text) : part.text;
        return text;
    }

    QString withVariables(const QString &text) const
    {
        static const QRegularExpression variable(u"\\$(?:\\{([A-Za-z_]\\w*)\\}|([A-Za-z_]\\w*)|(\\?))"_s);
        QString result;
        qsizetype end = 0;
        auto matches = variable.globalMatch(text);
        while (matches.hasNext()) {
            const QRegularExpressionMatch match = matches.next();
            result += QStringView(text).sliced(end, match.capturedStart() - end);
            result += match.hasCaptured(3)
                          ? QString::number(m_status)
                          : m_surroundings.environment.value(match.captured(1) + match.captured(2));
            end = match.capturedEnd();
        }
        return result + text.sliced(end);
    }

    QList<ShellCommand> m_commands;
    Surroundings m_surroundings;
    qsizetype m_position = 0;
    QList<Step> m_steps;
    std::shared_ptr<Program> m_nested;
    Sink m_output;
    Sink m_error = errorSink();
    int m_status = 0;
    bool m_exited = false;
};

} // namespace

std::shared_ptr<Program> makeShell(const QString &text, const Surroundings &surroundings)
{
    const auto commands = parseShell(text);
    if (commands)
        return std::make_shared<ShellProgram>(*commands, surroundings);
    const QByteArray line = u"sh: 1: %1\n"_s.arg(commands.error()).toUtf8();
    return makeProgram({WriteStep{errorSink(), line}}, ExitStep{syntaxErrorStatus, {}});
}

} // namespace Sandboxio::Fake
