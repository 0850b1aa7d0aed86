// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "backgroundruns.h"

#include "attachedprocess.h"
#include "fileerror.h"
#include "guestrequest.h"
#include "texts.h"

#include <sandboxio/core/path.h>

#include <QPointer>
#include <QTimeZone>
#include <QUuid>

#include <cerrno>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype nameDigits = 12;

ErrorInfo requestFailed(int errorNumber)
{
    return makeError(
        ErrorKind::ConnectError,
        Text::tr("The sandbox did not answer for its background runs: %1.").arg(errorNumberText(errorNumber)),
        Text::tr("Try again; if it stays, create a new sandbox."));
}

ErrorInfo tooManyRuns()
{
    ErrorInfo error =
        makeError(ErrorKind::ResourceLimitExceeded,
                  Text::tr("The sandbox keeps as many background runs as it may (%1), ended ones included.")
                      .arg(Guest::maximumKeptRuns),
                  Text::tr("Remove some with removeBackgroundRun()."));
    error.limit = u"background runs"_s;
    error.limitValue = Guest::maximumKeptRuns;
    return error;
}

std::optional<ErrorInfo> inputProblem(const ProcessRequest &request)
{
    const QByteArray input = request.options.standardInput.value_or(QByteArray());
    if (request.options.pty && request.options.standardInput)
        return makeError(ErrorKind::ConfigurationError,
                         Text::tr("A background run on a terminal takes no input along."),
                         Text::tr("Attach to it and write, or leave the terminal out."));
    if (input.size() > qsizetype(Guest::maximumKeptInput))
        return makeError(ErrorKind::ConfigurationError,
                         Text::tr("A background run takes at most %1 KiB of input along.")
                             .arg(Guest::maximumKeptInput / 1024),
                         Text::tr("Write the input to a file in the sandbox and let the program read that."));
    return {};
}

std::vector<std::string> labelOf(const ProcessRequest &request, const Redactor &redactor)
{
    std::vector<std::string> label;
    for (const QString &argument : request.command->arguments())
        label.push_back(redactor.redact(argument).toStdString());
    return label;
}

RunOutcome outcomeOf(const ExitStatus &status)
{
    if (status.signal)
        return {RunOutcome::Kind::Signalled, *status.signal};
    if (status.code)
        return {RunOutcome::Kind::Exited, *status.code};
    return {};
}

BackgroundRun backgroundRunOf(const Guest::KeptRunInfo &info, const Resources &resources)
{
    BackgroundRun run;
    run.id = QString::fromStdString(info.name);
    for (const std::string &argument : info.label)
        run.arguments.append(QString::fromStdString(argument));
    run.startedAt = QDateTime::fromMSecsSinceEpoch(qint64(info.startedMs), QTimeZone::UTC);
    run.isTerminal = info.terminal;
    run.attachments = int(info.attachments);
    if (info.ended)
        run.end = outcomeOf(exitStatus(info.status, resources));
    run.standardOutput = {qint64(info.outputWritten), qint64(info.outputKept)};
    run.standardError = {qint64(info.errorsWritten), qint64(info.errorsKept)};
    return run;
}

QCoro::Task<QString> startSteps(std::shared_ptr<DockerSandbox> sandbox, OperationPromise<QString> promise,
                                Guest::StartKept start)
{
    const auto isGivenUp = std::make_shared<bool>(false);
    const GuestRequest<Guest::KeptStarted> request{
        sandbox,
        [start, isGivenUp](Guest::Client &guest, const Guest::Reply<Guest::KeptStarted> &reply) {
            guest.startKept(start, [reply, isGivenUp, name = start.name, client = QPointer(&guest)](
                                       const std::expected<Guest::KeptStarted, Guest::FileError> &answer) {
                // The sandbox was paused meanwhile, and the caller told that nothing was started.
                if (*isGivenUp && client && answer && answer->pid != 0)
                    client->removeKept(name, [](const auto &) {});
                reply(answer);
            });
        },
        [resources = sandbox->resources(), spawn = start.spawn](int errorNumber) {
            return spawnError(errorNumber, Guest::SpawnStage::Setup, spawn, resources);
        }};
    Guest::KeptStarted started;
    try {
        started = co_await sendToGuest(request);
    } catch (const SandboxError &) {
        *isGivenUp = true;
        throw;
    }
    if (started.pid == 0 && started.errorNumber == ENOSPC && started.stage == Guest::SpawnStage::Setup)
        tooManyRuns().raise();
    if (started.pid == 0)
        spawnError(started.errorNumber, started.stage, start.spawn, sandbox->resources()).raise();
    const QString id = QString::fromStdString(start.name);
    if (promise.isCancelRequested()) {
        co_await sandbox->removeBackgroundRun(id);
        throw OperationCancelled();
    }
    co_return QString(id);
}

QCoro::Task<QList<BackgroundRun>> listSteps(std::shared_ptr<DockerSandbox> sandbox)
{
    const GuestRequest<Guest::KeptList> request{
        sandbox,
        [](Guest::Client &guest, const Guest::Reply<Guest::KeptList> &reply) { guest.listKept(reply); },
        requestFailed};
    const Guest::KeptList list = co_await sendToGuest(request);
    QList<BackgroundRun> runs;
    for (const Guest::KeptRunInfo &info : list.runs)
        runs.append(backgroundRunOf(info, sandbox->resources()));
    co_return QList<BackgroundRun>(runs);
}

} // namespace

ErrorInfo unknownBackgroundRun(const QString &id)
{
    return makeError(ErrorKind::ConfigurationError,
                     Text::tr("There is no background run \"%1\" in this sandbox.").arg(id),
                     Text::tr("Use one of those that backgroundRuns() or `sandboxio logs SANDBOX` lists."));
}

// The guest takes frames in order, and answers the kill of a run that it could not attach to as done.
Operation<void> killBackgroundRun(const std::shared_ptr<DockerSandbox> &sandbox, const QString &id)
{
    return sendToGuest<void>({sandbox,
                              [id](Guest::Client &guest, const Guest::Reply<void> &reply) {
                                  const Guest::RunId run = guest.attach({id.toStdString(), 0, 0}, {});
                                  guest.killTree(run,
                                                 [reply, run, client = QPointer(&guest)](const auto &answer) {
                                                     if (client)
                                                         client->release(run);
                                                     reply(answer);
                                                 });
                              },
                              requestFailed});
}

std::unique_ptr<ProcessPort> DockerSandbox::attach(const AttachRequest &request, ProcessEvents *events)
{
    auto process = std::make_unique<AttachedProcess>(shared_from_this(), request, events);
    process->begin();
    return process;
}

Operation<QString> DockerSandbox::startBackground(const ProcessRequest &request)
{
    const auto spawn = spawnRequest(request, runDefaults());
    if (!spawn)
        return failedOperation<QString>(spawn.error());
    if (const auto problem = inputProblem(request))
        return failedOperation<QString>(*problem);
    Guest::StartKept start;
    start.name = QUuid::createUuid().toString(QUuid::Id128).first(nameDigits).toStdString();
    start.label = labelOf(request, *engine().redactor);
    start.input = request.options.standardInput.value_or(QByteArray()).toStdString();
    start.spawn = *spawn;
    const OperationPromise<QString> promise;
    completeFrom(promise, startSteps(shared_from_this(), promise, start));
    return promise.operation();
}

Operation<QList<BackgroundRun>> DockerSandbox::backgroundRuns()
{
    return operationOf(listSteps(shared_from_this()));
}

Operation<void> DockerSandbox::removeBackgroundRun(const QString &id)
{
    return sendToGuest<void>({shared_from_this(),
                              [id](Guest::Client &guest, const Guest::Reply<void> &reply) {
                                  guest.removeKept(id.toStdString(), reply);
                              },
                              [id](int errorNumber) {
                                  return errorNumber == ENOENT ? unknownBackgroundRun(id)
                                                               : requestFailed(errorNumber);
                              }});
}

} // namespace Sandboxio::Docker
