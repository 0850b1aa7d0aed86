// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "application.h"

#include "commands/bench.h"
#include "commands/code.h"
#include "commands/cp.h"
#include "commands/create.h"
#include "commands/demo.h"
#include "commands/doctor.h"
#include "commands/explain.h"
#include "commands/kill.h"
#include "commands/list.h"
#include "commands/logs.h"
#include "commands/ls.h"
#include "commands/pause.h"
#include "commands/reap.h"
#include "commands/run.h"
#include "commands/stats.h"
#include "exitcode.h"
#include "translation.h"

#include <QCoreApplication>
#include <QJsonArray>

#include <array>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

struct CommandRow
{
    const char *name;
    const char *summary;
    QCoro::Task<int> (*execute)(Session &session, QStringList arguments);
};

constexpr std::array commands{
    CommandRow{"demo", QT_TRANSLATE_NOOP("Sandboxio::Cli", "show the main job, step by step"), executeDemo},
    CommandRow{"doctor",
               QT_TRANSLATE_NOOP("Sandboxio::Cli", "see what is installed and whether it can be used"),
               executeDoctor},
    CommandRow{"create", QT_TRANSLATE_NOOP("Sandboxio::Cli", "create a sandbox that stays"), executeCreate},
    CommandRow{"list", QT_TRANSLATE_NOOP("Sandboxio::Cli", "list sandboxes"), executeList},
    CommandRow{"run", QT_TRANSLATE_NOOP("Sandboxio::Cli", "run a program in a sandbox"), executeRun},
    CommandRow{"code", QT_TRANSLATE_NOOP("Sandboxio::Cli", "run code in a sandbox"), executeCode},
    CommandRow{"logs", QT_TRANSLATE_NOOP("Sandboxio::Cli", "show background runs and their output"),
               executeLogs},
    CommandRow{"ls", QT_TRANSLATE_NOOP("Sandboxio::Cli", "list a directory in a sandbox"), executeLs},
    CommandRow{"cp", QT_TRANSLATE_NOOP("Sandboxio::Cli", "copy a file into a sandbox or out of it"), executeCp},
    CommandRow{"stats", QT_TRANSLATE_NOOP("Sandboxio::Cli", "show what sandboxes use"), executeStats},
    CommandRow{"pause", QT_TRANSLATE_NOOP("Sandboxio::Cli", "freeze sandboxes"), executePause},
    CommandRow{"resume", QT_TRANSLATE_NOOP("Sandboxio::Cli", "let paused sandboxes go on"), executeResume},
    CommandRow{"kill", QT_TRANSLATE_NOOP("Sandboxio::Cli", "end sandboxes"), executeKill},
    CommandRow{"reap", QT_TRANSLATE_NOOP("Sandboxio::Cli", "find sandboxes that nobody owns, and remove them"),
               executeReap},
    CommandRow{"bench",
               QT_TRANSLATE_NOOP("Sandboxio::Cli", "measure sandboxes beside the provider's own tools"),
               executeBench},
    CommandRow{"explain", QT_TRANSLATE_NOOP("Sandboxio::Cli", "explain an error code"), executeExplain},
};

const CommandRow *findCommand(const QString &name)
{
    for (const CommandRow &command : commands) {
        if (name == QLatin1StringView(command.name))
            return &command;
    }
    return nullptr;
}

int showVersion(Session &session)
{
    session.console().show({{u"version"_s, QCoreApplication::applicationVersion()}},
                           [](const QJsonObject &payload, const Style &) {
                               return u"sandboxio "_s + payload.value("version"_L1).toString() + u'\n';
                           });
    return ExitCode::success;
}

int showHelp(Session &session)
{
    QJsonArray names;
    for (const CommandRow &command : commands)
        names.append(QLatin1StringView(command.name));
    session.console().show({{u"commands"_s, names}},
                           [](const QJsonObject &, const Style &) { return generalHelp(); });
    return ExitCode::success;
}

QCoro::Task<int> dispatch(Session &session, QStringList arguments)
{
    const QString first = arguments.value(arguments.value(0) == "--json"_L1 ? 1 : 0);
    if (first == "--version"_L1)
        co_return showVersion(session);
    if (first == "--help"_L1 || first == "-h"_L1)
        co_return showHelp(session);
    if (const CommandRow *command = findCommand(arguments.value(0)))
        co_return co_await command->execute(session, arguments.sliced(1));
    const QString message =
        first.isEmpty() ? Text::tr("A command is missing.") : Text::tr("There is no command '%1'.").arg(first);
    co_return session.fail(makeError(ErrorKind::ConfigurationError, message,
                                     Text::tr("Run `sandboxio --help` to see the commands.")));
}

QCoro::Task<int> guardedDispatch(Session &session, QStringList arguments)
{
    std::optional<ErrorInfo> failure;
    try {
        co_return co_await dispatch(session, arguments);
    } catch (const SandboxError &error) {
        failure = error.info();
    } catch (const OperationCancelled &) {
        if (const std::optional<int> signal = session.interruption().signal())
            co_return exitCodeOfSignal(*signal);
        failure = makeError(ErrorKind::SandboxError, Text::tr("The operation was cancelled, not by a signal."),
                            Text::tr("Repeat it; `sandboxio reap` shows what may be left."));
    }
    co_return session.fail(*failure);
}

QCoro::Task<> runToExit(Session &session, QStringList arguments)
{
    int code = co_await guardedDispatch(session, arguments);
    if (const std::optional<int> signal = session.interruption().signal())
        code = exitCodeOfSignal(*signal);
    code = co_await session.console().finish(code);
    co_await session.closeEngine();
    QCoreApplication::exit(code);
}

} // namespace

QString generalHelp()
{
    QString help = Text::tr("Usage: sandboxio COMMAND [options]\n"
                            "Create code sandboxes, run code in them, find and remove what is left of them.\n\n"
                            "Commands:\n");
    constexpr int width = 9;
    for (const CommandRow &command : commands)
        help += u"  "_s + QString::fromLatin1(command.name).leftJustified(width) + Text::tr(command.summary) +
                u'\n';
    return help +
           Text::tr("\nEvery command has --help with examples, and --json.\n"
                    "  --version  show the version\n"
                    "  --help     show this help\n\n"
                    "Examples:\n"
                    "  sandboxio demo\n"
                    "  sandboxio run -- python3 -c 'print(6 * 7)'\n"
                    "  sandboxio list\n"
                    "  sandboxio reap --kill\n\n"
                    "The first Ctrl+C cancels and cleans up, the second leaves at once and says what stays.\n"
                    "NO_COLOR turns colours off.\n\n") +
           exitCodeHelp();
}

int runApplication(const QStringList &arguments)
{
    Session session;
    session.console().setJson(wantsJson(arguments));
    QMetaObject::invokeMethod(
        qApp, [&session, arguments] { runToExit(session, arguments); }, Qt::QueuedConnection);
    return QCoreApplication::exec();
}

} // namespace Sandboxio::Cli
