// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerexec.h"

#include "execoutput.h"
#include "steps.h"
#include "texts.h"

#include <QJsonArray>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr auto answerLimit = std::chrono::seconds(30);
constexpr std::chrono::seconds noticeLimit(3);
constexpr std::chrono::milliseconds longestNoticePause(200);
constexpr qint64 answerWindow = 4 * 1024 * 1024;

} // namespace

QCoro::Task<QString> createExec(std::shared_ptr<Api> api, QString container, ExecSpec spec, Purpose purpose)
{
    QJsonObject request{{u"AttachStdin"_s, spec.withInput},
                        {u"AttachStdout"_s, true},
                        {u"AttachStderr"_s, true},
                        {u"Tty"_s, false},
                        {u"Cmd"_s, QJsonArray::fromStringList(spec.command)}};
    if (!spec.environment.isEmpty())
        request[u"Env"_s] = QJsonArray::fromStringList(spec.environment);
    if (!spec.user.isEmpty())
        request[u"User"_s] = spec.user;
    const Call call{.purpose = purpose};
    const QByteArray created = co_await api->post(u"/containers/%1/exec"_s.arg(container), {}, request, call);
    const QString id = objectOf(created, purpose)["Id"_L1].toString();
    if (id.isEmpty())
        malformedAnswer(u"no id"_s, purpose).raise();
    co_return id;
}

QCoro::Task<StartedExec> startExec(std::shared_ptr<Api> api, QString id, Purpose purpose)
{
    const QJsonObject request{{u"Detach"_s, false}, {u"Tty"_s, false}};
    co_return StartedExec{id,
                          co_await api->hijack(u"/exec/%1/start"_s.arg(id), {}, request, {.purpose = purpose})};
}

QCoro::Task<ExecState> execState(std::shared_ptr<Api> api, QString id, Purpose purpose)
{
    const QByteArray answer = co_await api->get(u"/exec/%1/json"_s.arg(id), {}, {.purpose = purpose});
    const QJsonObject exec = objectOf(answer, purpose);
    ExecState state{.running = exec["Running"_L1].toBool()};
    if (const QJsonValue code = exec["ExitCode"_L1]; code.isDouble() && !state.running)
        state.exitCode = code.toInt();
    co_return state;
}

QCoro::Task<ExecState> execEnd(std::shared_ptr<Api> api, EngineContext *engine, QString id,
                               std::chrono::milliseconds limit, Purpose purpose)
{
    std::chrono::milliseconds pause(20);
    for (std::chrono::milliseconds waited(0);; pause = std::min(2 * pause, longestNoticePause)) {
        const ExecState state = co_await execState(api, id, purpose);
        if (!state.running || waited >= limit)
            co_return ExecState(state);
        co_await pauseFor(engine, pause);
        waited += pause;
    }
}

QCoro::Task<ExecAnswer> askExec(std::shared_ptr<Api> api, EngineContext *engine, QString container,
                                ExecSpec spec, QByteArray input, Purpose purpose)
{
    const auto failure = [&purpose](const QString &cause) {
        return makeError(ErrorKind::ConnectError, Text::tr("Could not %1.").arg(purpose.what),
                         Text::tr("Try again; if it stays, look at the container with `docker exec`."),
                         ErrorCause{std::nullopt, cause});
    };
    spec.withInput = !input.isNull();
    const QString id = co_await createExec(api, container, spec, purpose);
    const StartedExec exec = co_await startExec(api, id, purpose);
    ExecAnswer answer;
    const OperationPromise<bool> promise;
    ExecOutput output(exec.stream, answerWindow);
    QObject::connect(&output, &ExecOutput::received, &output, [&](OutputStream stream, const QByteArray &data) {
        (stream == OutputStream::StandardOutput ? answer.output : answer.errors) += data;
        output.acknowledge(data.size());
    });
    QObject::connect(&output, &ExecOutput::ended, &output,
                     [promise](bool complete) { promise.finish(complete); });
    if (spec.withInput) {
        exec.stream->write(input);
        exec.stream->closeWrite();
    }
    output.start();
    const Operation<bool> ended = promise.operation();
    if (!co_await endsWithin(engine, ended, answerLimit, std::nullopt))
        failure(Text::tr("no answer within %1 s").arg(answerLimit.count())).raise();
    if (!co_await ended)
        failure(Text::tr("the connection broke")).raise();
    const ExecState state = co_await execEnd(api, engine, id, noticeLimit, purpose);
    if (!state.exitCode)
        failure(Text::tr("its streams ended before it did")).raise();
    answer.exitCode = *state.exitCode;
    co_return std::as_const(answer);
}

} // namespace Sandboxio::Docker
