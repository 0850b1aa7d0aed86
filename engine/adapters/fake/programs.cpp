// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "program_p.h"

#include <sandboxio/core/path.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype zeroBlock = 64 * 1024;

struct Invocation
{
    const QStringList &argv;
    const Surroundings &surroundings;
    MemoryFiles &files;

    QByteArray resolved(const QString &path) const
    {
        return MemoryFiles::resolved(encodePath(path), surroundings.directory);
    }
};

Step output(const QByteArray &data)
{
    return WriteStep{{}, data};
}

void complain(CommandPlan &plan, const QString &line, int status = 1)
{
    plan.steps.append(WriteStep{{Sink::Kind::StandardError, {}}, line.toUtf8() + '\n'});
    plan.status = status;
}

// What a program prints for an error of the file system, in the words of C's strerror.
QString reason(const ErrorInfo &error)
{
    return error.kind == ErrorKind::PathNotFound ? u"No such file or directory"_s : error.message;
}

CommandPlan echo(const Invocation &invocation)
{
    QStringList words = invocation.argv.sliced(1);
    const bool newline = words.isEmpty() || words.first() != "-n"_L1;
    if (!newline)
        words.removeFirst();
    return {{output(words.join(u' ').toUtf8() + (newline ? "\n" : ""))}, 0, nullptr};
}

QByteArray unescaped(const QString &text)
{
    QByteArray result;
    const QByteArray bytes = text.toUtf8();
    for (qsizetype i = 0; i < bytes.size(); ++i) {
        if (bytes[i] != '\\' || i + 1 == bytes.size()) {
            result += bytes[i];
            continue;
        }
        const char escape = bytes[++i];
        if (escape >= '0' && escape <= '7') {
            qsizetype end = i;
            while (end < bytes.size() && end < i + 3 && bytes[end] >= '0' && bytes[end] <= '7')
                ++end;
            const char byte = static_cast<char>(bytes.sliced(i, end - i).toInt(nullptr, 8));
            result +=
                byte == '%' ? "%%"_ba : QByteArray(1, byte); // written as an escape it begins no conversion
            i = end - 1;
        } else {
            static const QMap<char, char> known{{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'\\', '\\'}};
            result += known.contains(escape) ? QByteArray(1, known[escape]) : QByteArray("\\") + escape;
        }
    }
    return result;
}

CommandPlan printFormatted(const Invocation &invocation)
{
    CommandPlan plan;
    QStringList arguments = invocation.argv.sliced(1);
    if (arguments.isEmpty()) {
        complain(plan, u"printf: usage: printf format [arguments]"_s, 2);
        return plan;
    }
    const QByteArray format = unescaped(arguments.takeFirst());
    QByteArray text;
    for (qsizetype i = 0; i < format.size(); ++i) {
        if (format[i] != '%' || i + 1 == format.size()) {
            text += format[i];
            continue;
        }
        const char conversion = format[++i];
        const QString argument = conversion == '%' || arguments.isEmpty() ? QString() : arguments.takeFirst();
        if (conversion == 's')
            text += argument.toUtf8();
        else if (conversion == 'd')
            text += QByteArray::number(argument.toLongLong());
        else if (conversion == '%')
            text += '%';
        else
            complain(plan, u"printf: the fake does not know %%1"_s.arg(QLatin1Char(conversion)));
    }
    plan.steps.prepend(output(text));
    return plan;
}

CommandPlan cat(const Invocation &invocation)
{
    CommandPlan plan;
    QStringList names = invocation.argv.sliced(1);
    if (names.isEmpty())
        names.append(u"-"_s);
    for (const QString &name : names) {
        const QByteArray path = invocation.resolved(name);
        if (name == "-"_L1) {
            plan.steps.append(CopyInputStep{});
        } else if (path == "/dev/zero") {
            plan.steps.append(RepeatStep{{}, QByteArray(zeroBlock, '\0'), {}});
        } else if (path != "/dev/null") {
            const auto content = invocation.files.read(path);
            if (content)
                plan.steps.append(output(*content));
            else
                complain(plan, u"cat: %1: %2"_s.arg(name, reason(content.error())));
        }
    }
    return plan;
}

CommandPlan head(const Invocation &invocation)
{
    CommandPlan plan;
    const QStringList &argv = invocation.argv;
    bool isNumber = false;
    const qint64 count = argv.value(2).toLongLong(&isNumber);
    if (argv.value(1) != "-c"_L1 || !isNumber || count < 0 || argv.size() != 4) {
        complain(plan, u"head: the fake knows only head -c BYTES FILE"_s);
        return plan;
    }
    const QByteArray path = invocation.resolved(argv[3]);
    if (path == "/dev/zero") {
        plan.steps.append(RepeatStep{{}, QByteArray(zeroBlock, '\0'), count});
    } else if (const auto content = invocation.files.read(path)) {
        plan.steps.append(output(content->first(std::min<qint64>(count, content->size()))));
    } else {
        complain(plan, u"head: cannot open '%1' for reading: %2"_s.arg(argv[3], reason(content.error())));
    }
    return plan;
}

CommandPlan sleepFor(const Invocation &invocation)
{
    CommandPlan plan;
    const QString text = invocation.argv.value(1);
    bool isNumber = false;
    const double seconds = text.toDouble(&isNumber);
    if (text == "infinity"_L1)
        plan.steps.append(SleepStep{});
    else if (isNumber && seconds >= 0 && seconds < 1e9)
        plan.steps.append(SleepStep{std::chrono::milliseconds(std::llround(seconds * 1000))});
    else
        complain(plan, u"sleep: invalid time interval '%1'"_s.arg(text));
    return plan;
}

CommandPlan env(const Invocation &invocation)
{
    QByteArray text;
    for (const auto &[name, value] : invocation.surroundings.environment.asKeyValueRange())
        text += name.toUtf8() + '=' + value.toUtf8() + '\n';
    if (invocation.argv.size() == 1)
        return {{output(text)}, 0, nullptr};
    CommandPlan plan;
    complain(plan, u"env: the fake knows env without arguments only"_s);
    return plan;
}

CommandPlan list(const Invocation &invocation)
{
    CommandPlan plan;
    for (const QString &name : invocation.argv.size() > 1 ? invocation.argv.sliced(1) : QStringList{u"."_s}) {
        const QByteArray path = invocation.resolved(name);
        const auto info = invocation.files.stat(path);
        if (name.startsWith(u'-')) {
            complain(plan, u"ls: the fake knows no option '%1'"_s.arg(name), 2);
        } else if (!info) {
            complain(plan, u"ls: cannot access '%1': %2"_s.arg(name, reason(info.error())), 2);
        } else if (info->type != FileInfo::Type::Directory) {
            plan.steps.append(output(encodePath(name) + '\n'));
        } else {
            QByteArray text;
            for (const FileInfo &entry : invocation.files.list(path).value_or(QList<FileInfo>()))
                text += encodePath(entry.name) + '\n';
            plan.steps.append(output(text));
        }
    }
    return plan;
}

CommandPlan makeDirectories(const Invocation &invocation)
{
    CommandPlan plan;
    QStringList names = invocation.argv.sliced(1);
    const bool parents = names.removeAll(u"-p"_s) > 0;
    for (const QString &name : names) {
        const auto made = invocation.files.makeDirectory(invocation.resolved(name), parents, QDateTime());
        if (!made)
            complain(plan, u"mkdir: cannot create directory '%1': %2"_s.arg(name, reason(made.error())));
    }
    return plan;
}

CommandPlan removeFiles(const Invocation &invocation)
{
    CommandPlan plan;
    QStringList names = invocation.argv.sliced(1);
    const bool recursive = names.removeAll(u"-r"_s) + names.removeAll(u"-rf"_s) > 0;
    for (const QString &name : names) {
        const auto removed = invocation.files.remove(invocation.resolved(name), recursive);
        if (!removed)
            complain(plan, u"rm: cannot remove '%1': %2"_s.arg(name, reason(removed.error())));
    }
    return plan;
}

CommandPlan sequence(const Invocation &invocation)
{
    CommandPlan plan;
    constexpr qint64 longest = 1'000'000;
    const QStringList &argv = invocation.argv;
    bool firstOk = true;
    bool lastOk = false;
    const qint64 first = argv.size() > 2 ? argv[1].toLongLong(&firstOk) : 1;
    const qint64 last = argv.value(argv.size() - 1).toLongLong(&lastOk);
    if (!firstOk || !lastOk || argv.size() > 3 || last - first > longest) {
        complain(plan, u"seq: the fake knows seq [FIRST] LAST, up to a million lines"_s);
        return plan;
    }
    QByteArray text;
    for (qint64 i = first; i <= last; ++i)
        text += QByteArray::number(i) + '\n';
    plan.steps.append(output(text));
    return plan;
}

CommandPlan shell(const Invocation &invocation)
{
    if (invocation.argv.size() == 3 && invocation.argv[1] == "-c"_L1)
        return {{}, 0, makeShell(invocation.argv[2], invocation.surroundings)};
    CommandPlan plan;
    complain(plan, u"sh: the fake knows only sh -c TEXT"_s, 2);
    return plan;
}

CommandPlan python(const Invocation &invocation)
{
    CommandPlan plan;
    if (invocation.argv.size() != 3 || invocation.argv[1] != "-c"_L1) {
        complain(plan, u"python3: the fake knows only python3 -c CODE"_s, 2);
        return plan;
    }
    const auto planned = planPython(invocation.argv[2], u"<string>"_s);
    if (planned)
        return *planned;
    complain(plan, u"python3: %1"_s.arg(planned.error().message), 2);
    return plan;
}

CommandPlan yes(const Invocation &invocation)
{
    const QString word = invocation.argv.value(1, u"y"_s);
    QByteArray block;
    while (block.size() < 8192)
        block += word.toUtf8() + '\n';
    return {{RepeatStep{{}, block, {}}}, 0, nullptr};
}

struct Builtin
{
    QLatin1StringView name;
    CommandPlan (*plan)(const Invocation &);
};

constexpr std::array builtins{
    Builtin{"cat"_L1, cat},
    Builtin{"echo"_L1, echo},
    Builtin{"env"_L1, env},
    Builtin{"false"_L1,
            [](const Invocation &) {
                return CommandPlan{{}, 1, nullptr};
            }},
    Builtin{"head"_L1, head},
    Builtin{"ls"_L1, list},
    Builtin{"mkdir"_L1, makeDirectories},
    Builtin{"printf"_L1, printFormatted},
    Builtin{"pwd"_L1,
            [](const Invocation &i) {
                return CommandPlan{{output(i.surroundings.directory + '\n')}, 0, {}};
            }},
    Builtin{"python3"_L1, python},
    Builtin{"rm"_L1, removeFiles},
    Builtin{"seq"_L1, sequence},
    Builtin{"sh"_L1, shell},
    Builtin{"sleep"_L1, sleepFor},
    Builtin{"true"_L1,
            [](const Invocation &) {
                return CommandPlan{};
            }},
    Builtin{"whoami"_L1,
            [](const Invocation &i) {
                return CommandPlan{{output(i.surroundings.user.toUtf8() + '\n')}, 0, {}};
            }},
    Builtin{"yes"_L1, yes},
};

const Builtin *findBuiltin(const QString &program)
{
    // "/bin/ls" and "ls" are the same program; the fake keeps none of them as files.
    QString name = program;
    for (const QLatin1StringView folder : {"/bin/"_L1, "/usr/bin/"_L1}) {
        if (name.startsWith(folder))
            name.remove(0, folder.size());
    }
    const auto *found = std::ranges::find_if(builtins, [&](const Builtin &b) { return name == b.name; });
    return found == builtins.end() ? nullptr : found;
}

class StepsProgram final : public Program
{
public:
    StepsProgram(QList<Step> steps, const ExitStep &last)
        : m_steps(std::move(steps))
        , m_last(last)
    {}
    Step next(MemoryFiles &) override { return m_steps.isEmpty() ? Step(m_last) : m_steps.takeFirst(); }

private:
    QList<Step> m_steps;
    ExitStep m_last;
};

// Decides what to do when it runs, not when it is asked for: files may have changed by then.
class CommandProgram final : public Program
{
public:
    CommandProgram(QStringList argv, Surroundings surroundings)
        : m_argv(std::move(argv))
        , m_surroundings(std::move(surroundings))
    {}
    Step next(MemoryFiles &files) override
    {
        if (!m_program) {
            const CommandPlan plan =
                planCommand(m_argv, m_surroundings, files).value_or(CommandPlan{{}, 127, {}});
            m_program = plan.program ? plan.program : makeProgram(plan.steps, ExitStep{plan.status, {}});
        }
        return m_program->next(files);
    }

private:
    QStringList m_argv;
    Surroundings m_surroundings;
    std::shared_ptr<Program> m_program;
};

} // namespace

std::shared_ptr<Program> makeProgram(QList<Step> steps, const ExitStep &last)
{
    return std::make_shared<StepsProgram>(std::move(steps), last);
}

std::shared_ptr<Program> makeCommand(const QStringList &argv, const Surroundings &surroundings)
{
    if (!findBuiltin(argv.first()))
        return nullptr;
    return std::make_shared<CommandProgram>(argv, surroundings);
}

QStringList programNames()
{
    QStringList names;
    for (const Builtin &builtin : builtins)
        names.append(builtin.name);
    return names;
}

std::optional<CommandPlan> planCommand(const QStringList &argv, const Surroundings &surroundings,
                                       MemoryFiles &files)
{
    const Builtin *builtin = findBuiltin(argv.first());
    if (!builtin)
        return std::nullopt;
    return builtin->plan({argv, surroundings, files});
}

} // namespace Sandboxio::Fake
