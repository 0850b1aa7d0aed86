// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contexts.h"

#include "codelanguages.h"
#include "dockersandbox.h"
#include "spawnrequest.h"
#include "steps.h"
#include "texts.h"

#include <QUuid>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::seconds startLimit(20);
constexpr qsizetype idDigits = 8;
constexpr qsizetype mostErrorText = 500;

/*! Ends when nothing of the interpreter is left, or its connection, which takes it along, is lost. */
Operation<void> killed(Guest::Interpreter &interpreter)
{
    const OperationPromise<void> promise;
    interpreter.kill([promise](const std::expected<void, Guest::FileError> &) { promise.finish(); });
    return promise.operation();
}

/*! Fails where a living interpreter could not answer: in a sandbox that is paused. */
Operation<void> answering(const std::shared_ptr<DockerSandbox> &sandbox, const Guest::Interpreter &interpreter)
{
    return interpreter.end() ? finishedOperation() : sandbox->whenUsable();
}

QString causeText(const Guest::InterpreterEnd &end, const Resources &resources)
{
    if (end.connectionLost)
        return Text::tr("the connection to the sandbox was lost");
    if (!end.problem.isEmpty())
        return Text::tr("it was killed because %1").arg(end.problem);
    if (end.killed)
        return Text::tr("it was killed, because a cell did not end when it was interrupted");
    if (end.notStarted || !end.status)
        return Text::tr("it did not start");
    const ExitStatus status = exitStatus(*end.status, resources);
    if (status.limit)
        return status.limit->message;
    if (status.signal)
        return Text::tr("signal %1 ended it").arg(*status.signal);
    return status.code ? Text::tr("it exited with %1").arg(*status.code) : Text::tr("how is not known");
}

} // namespace

QStringList contextLanguages(const QStringList &languages)
{
    QStringList able;
    for (const QString &language : Guest::interpreterLanguages()) {
        if (languages.contains(language))
            able.append(language);
    }
    return able;
}

Contexts::Contexts(DockerSandbox &sandbox)
    : m_sandbox(sandbox)
{}

Contexts::~Contexts() = default;

ErrorInfo Contexts::unknown(const QString &id) const
{
    const QString known = QStringList(m_contexts.keys()).join(u", "_s);
    return makeError(ErrorKind::ConfigurationError,
                     Text::tr("There is no context \"%1\" in this connection to the sandbox.").arg(id),
                     known.isEmpty() ? Text::tr("Create one with createContext().")
                                     : Text::tr("Create one with createContext(), or use: %1.").arg(known));
}

ErrorInfo Contexts::ended(const QString &id, const Guest::Interpreter &interpreter) const
{
    return makeError(
        ErrorKind::ExecutionError,
        Text::tr("The interpreter of the context \"%1\" has ended (%2); its state is lost.")
            .arg(id, causeText(interpreter.end().value_or(Guest::InterpreterEnd{.killed = true}),
                               m_sandbox.resources())),
        Text::tr("Restart the context with restartContext(), then run again what its state was made by."));
}

ErrorInfo Contexts::notStarted(const QString &language, const Guest::Interpreter &interpreter) const
{
    const Guest::InterpreterEnd end = interpreter.end().value_or(Guest::InterpreterEnd());
    if (end.notStarted) {
        const Guest::Spawn spawn{.argv = Guest::interpreterProgram(language).argv};
        return spawnError(*end.notStarted, end.stage, spawn, m_sandbox.resources());
    }
    QString detail = lastLines(interpreter.heldErrors(), mostErrorText).trimmed();
    if (detail.isEmpty())
        detail = causeText(end, m_sandbox.resources());
    return makeError(ErrorKind::CreationError,
                     Text::tr("The interpreter of a context for %1 did not start: %2").arg(language, detail),
                     Text::tr("Use an image whose interpreter is in order; contexts need CPython 3.8, bash 4.4 "
                              "or Node 18, or newer."));
}

QCoro::Task<Contexts::InterpreterPtr> Contexts::startSteps(SandboxPtr sandbox, QString language)
{
    co_await sandbox->whenUsable();
    const QStringList able = contextLanguages(sandbox->languages());
    if (!able.contains(language))
        unknownLanguage(language, able).raise();
    ProcessRequest request;
    request.command = Command{language}; // the interpreter has its own
    const auto spawn = spawnRequest(request, sandbox->runDefaults());
    if (!spawn)
        spawn.error().raise();
    const OperationPromise<void> gate;
    const auto open = [gate] {
        gate.finish();
    };
    const InterpreterPtr interpreter(new Guest::Interpreter(sandbox->guest(), *spawn,
                                                            Guest::interpreterProgram(language),
                                                            {.ready = open, .ended = open}),
                                     [](QObject *object) { object->deleteLater(); });
    interpreter->start();
    const bool answered = co_await endsWithin(&sandbox->engine(), gate.operation(), startLimit, std::nullopt);
    if (interpreter->end() && interpreter->end()->connectionLost) {
        const ErrorInfo reason = co_await sandbox->lossReason();
        reason.raise();
    }
    if (!answered || interpreter->end())
        sandbox->contexts().notStarted(language, *interpreter).raise();
    co_return InterpreterPtr(interpreter);
}

Operation<QString> Contexts::create(const QString &language)
{
    return operationOf(createSteps(m_sandbox.shared_from_this(), languageNamed(language)));
}

// The id cannot be that of a context of another client.
QCoro::Task<QString> Contexts::createSteps(SandboxPtr sandbox, QString language)
{
    const InterpreterPtr interpreter = co_await startSteps(sandbox, language);
    const QString id = language + u'-' + QUuid::createUuid().toString(QUuid::Id128).first(idDigits);
    sandbox->contexts().m_contexts.insert(id, {.language = language, .interpreter = interpreter});
    co_return QString(id);
}

Operation<void> Contexts::interrupt(const QString &id)
{
    const InterpreterPtr interpreter = find(id);
    if (!interpreter)
        return failedOperation<void>(unknown(id));
    if (interpreter->end())
        return failedOperation<void>(ended(id, *interpreter));
    interpreter->interrupt();
    return finishedOperation();
}

Operation<void> Contexts::restart(const QString &id)
{
    if (!m_contexts.contains(id))
        return failedOperation<void>(unknown(id));
    return operationOf(restartSteps(m_sandbox.shared_from_this(), id));
}

QCoro::Task<> Contexts::restartSteps(SandboxPtr sandbox, QString id)
{
    QMap<QString, Context> &contexts = sandbox->contexts().m_contexts;
    const Context old = contexts.value(id);
    co_await answering(sandbox, *old.interpreter);
    co_await killed(*old.interpreter);
    const InterpreterPtr fresh = co_await startSteps(sandbox, old.language);
    if (contexts.contains(id))
        contexts[id].interpreter = fresh;
    else
        sandbox->contexts().unknown(id).raise(); // removed meanwhile
}

Operation<void> Contexts::remove(const QString &id)
{
    if (!m_contexts.contains(id))
        return failedOperation<void>(unknown(id));
    return operationOf(removeSteps(m_sandbox.shared_from_this(), id));
}

QCoro::Task<> Contexts::removeSteps(SandboxPtr sandbox, QString id)
{
    const Context context = sandbox->contexts().m_contexts.value(id);
    co_await answering(sandbox, *context.interpreter);
    sandbox->contexts().m_contexts.remove(id);
    co_await killed(*context.interpreter);
}

} // namespace Sandboxio::Docker
