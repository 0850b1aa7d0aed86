// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "execprocess.h"

#include "codelanguages.h"
#include "dockersandbox.h"
#include "execkill.h"
#include "fileerror.h"
#include "spawnrequest.h"
#include "steps.h"
#include "texts.h"

#include <sandboxio/core/path.h>

#include <QUuid>

#include <cerrno>
#include <csignal>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 inputAhead = 4 * 1024 * 1024;
constexpr qsizetype causeLimit = 4096;
constexpr int signalBase = 128; // a shell tells an end by signal N as 128 + N

size_t indexOf(OutputStream stream)
{
    return stream == OutputStream::StandardOutput ? 0 : 1;
}

ErrorInfo brokenInput()
{
    return fileError(EPIPE, Text::tr("write to"), Text::tr("standard input"));
}

ErrorInfo noSuchUser(const QString &user, const QString &cause)
{
    return makeError(
        ErrorKind::ConfigurationError, Text::tr("The container has no user \"%1\".").arg(displayPath(user)),
        Text::tr("Leave the user out, or name one that its /etc/passwd has."), ErrorCause{std::nullopt, cause});
}

bool speaksOfUser(const QString &text)
{
    return text.contains("unable to find user"_L1) || text.contains("no matching entries"_L1) ||
           text.contains("no users found"_L1);
}

} // namespace

ExecProcess::ExecProcess(std::shared_ptr<DockerSandbox> sandbox, ProcessRequest request, ProcessEvents *events)
    : m_sandbox(std::move(sandbox))
    , m_request(std::move(request))
    , m_events(events)
    , m_records{ExecRecords(recordPrefix(m_mark)), ExecRecords(recordPrefix(m_mark))}
{}

ExecProcess::~ExecProcess()
{
    removeCode();
}

void ExecProcess::begin()
{
    // Runs may belong to any user of the container, so none is known here.
    RunDefaults defaults = m_sandbox->runDefaults();
    defaults.uid.reset();
    const auto spawn = spawnRequest(m_request, defaults);
    if (!spawn) {
        QMetaObject::invokeMethod(this, [this, error = spawn.error()] { fail(error); }, Qt::QueuedConnection);
        return;
    }
    m_spawn = *spawn;
    if (const auto input = standardInput(m_request); input && !m_request.interactiveInput) {
        m_input.push_back({.data = input, .promise = {}});
        m_input.push_back({});
    }
    QMetaObject::invokeMethod(this, [this] { prepare(this, m_sandbox); }, Qt::QueuedConnection);
}

QCoro::Task<> ExecProcess::prepare(Self self, Sandbox sandbox)
{
    ErrorInfo error = endedBeforeStart();
    try {
        co_await start(self, sandbox);
        co_return;
    } catch (const SandboxError &problem) {
        error = problem.info();
    } catch (const OperationCancelled &) {
        // The sandbox was let go: it did not start.
    }
    if (isStatus(error, 404) || isStatus(error, 409)) { // the container has ended, or it is paused
        const ErrorInfo reason = co_await sandbox->lossReason();
        if (reason.kind == ErrorKind::SandboxGone)
            error = reason;
    }
    if (!self)
        co_return;
    self->m_startSettled.finish();
    if (speaksOfUser(error.cause.value_or(ErrorCause{}).text))
        error = noSuchUser(self->m_request.options.user, error.cause->text);
    self->fail(error);
}

QCoro::Task<> ExecProcess::start(Self self, Sandbox sandbox)
{
    co_await sandbox->whenUsable();
    if (self && self->isPreparing() && self->m_request.code) {
        const QString language = languageNamed(self->m_request.codeOptions.language);
        if (!sandbox->languages().contains(language))
            unknownLanguage(language, sandbox->languages()).raise();
        const QString file = co_await writeCode(sandbox, *self->m_request.code, self->m_request.options.user);
        if (!self) {
            sandbox->removeByExec(file, {});
            co_return;
        }
        self->m_codeFile = file;
        self->m_spawn.argv = codeArguments(language, encodePath(file).toStdString());
    }
    if (!self || !self->isPreparing())
        co_return;
    const auto arguments = runArguments(self->m_spawn, self->m_mark);
    if (!arguments)
        arguments.error().raise();
    const auto environment = runEnvironment(self->m_spawn);
    if (!environment)
        environment.error().raise();
    const bool withInput = self->m_spawn.stdinMode != Guest::StdinMode::Null;
    const QString exec = co_await sandbox->createPlainExec({.command = *arguments,
                                                            .environment = *environment,
                                                            .user = self->m_request.options.user,
                                                            .withInput = withInput});
    if (!self || !self->isPreparing())
        co_return;
    self->m_phase = Phase::Starting;
    self->m_exec = exec;
    const OperationPromise<void> settled = self->m_startSettled;
    std::exception_ptr problem;
    try {
        const StartedExec started = co_await sandbox->startPlainExec(exec);
        if (self && self->m_phase == Phase::Starting)
            self->attach(started);
    } catch (const QException &) {
        problem = std::current_exception();
    }
    settled.finish();
    if (problem)
        std::rethrow_exception(problem);
}

// The source goes into a private file: argv is published by the daemon, and standard input belongs to the program.
QCoro::Task<QString> ExecProcess::writeCode(Sandbox sandbox, QByteArray code, QString user)
{
    const QString name = u"/.sandboxio-"_s + QUuid::createUuid().toString(QUuid::Id128);
    const QByteArray source = code.isNull() ? ""_ba : code;
    QString problem;
    for (const QString &directory : {u"/tmp"_s, sandbox->details().workingDirectory}) {
        const QString path = (directory == "/"_L1 ? QString() : directory) + name;
        const ExecAnswer answer = co_await sandbox->askPlainExec(writePrivateArguments(path), user, source);
        if (answer.exitCode == 0)
            co_return path;
        problem = QString::fromUtf8(answer.errors).trimmed();
    }
    makeError(ErrorKind::FileSystemError, Text::tr("The code cannot be written into the container."),
              Text::tr("Make /tmp or the working directory writable for the run's user."),
              ErrorCause{std::nullopt, problem})
        .raise();
}

void ExecProcess::attach(const StartedExec &exec)
{
    m_stream = exec.stream;
    m_output = std::make_unique<ExecOutput>(m_stream, m_request.window);
    connect(m_output.get(), &ExecOutput::received, this, &ExecProcess::receive);
    connect(m_output.get(), &ExecOutput::ended, this, &ExecProcess::outputEnded);
    connect(m_stream.get(), &UpgradedStream::bytesWritten, this, &ExecProcess::pumpInput);
    m_output->start();
    pumpInput();
}

void ExecProcess::receive(OutputStream stream, const QByteArray &data)
{
    const Self self(this);
    const QList<ExecRecords::Piece> pieces = m_records[indexOf(stream)].feed(data);
    for (const ExecRecords::Piece &piece : pieces) {
        if (!piece.isRecord) {
            forward(stream, piece.bytes);
        } else {
            if (m_output)
                m_output->acknowledge(piece.size);
            takeRecord(piece.bytes);
        }
        if (!self || m_phase == Phase::Failed)
            return;
    }
}

void ExecProcess::forward(OutputStream stream, const QByteArray &data)
{
    if (m_pid) {
        m_events->output(stream, data);
        return;
    }
    if (m_output) // before the script's first record it is the daemon that speaks: why it cannot start
        m_output->acknowledge(data.size());
    m_refusal += data.first(std::min(data.size(), causeLimit - m_refusal.size()));
}

void ExecProcess::takeRecord(const QByteArray &text)
{
    const QByteArrayList words = text.split(' ');
    const auto number = [&words](qsizetype index) {
        return words.value(index).toInt();
    };
    if (words.first() == "started") {
        programStarted(words.value(1).toLongLong());
    } else if (words.first() == "failed") {
        const auto stage = words.value(1) == "directory" ? Guest::SpawnStage::WorkingDirectory
                           : words.value(1) == "program" ? Guest::SpawnStage::Exec
                                                         : Guest::SpawnStage::Setup;
        fail(spawnError(number(2), stage, m_spawn, m_sandbox->resources()));
    } else if (words.first() == "exited" && !m_exit) {
        m_exit.emplace();
        m_exit->kind = Guest::ExitStatus::Kind::Exited;
        m_exit->value = number(1);
        m_exit->outOfMemoryKills = words.value(2).toUInt();
        programEnded();
    } else if (words.first() == "ended") {
        m_outputDone = true;
        programEnded();
    }
}

void ExecProcess::programStarted(qint64 pid)
{
    if (m_pid)
        return;
    m_pid = pid;
    m_phase = Phase::Started;
    for (const int number : std::exchange(m_earlySignals, {}))
        std::ignore = sendSignal(number);
    m_events->started(pid);
}

// Its status came on the one stream and the end of its output on the other, in any order.
void ExecProcess::programEnded()
{
    if (!m_exit || !m_outputDone || m_phase != Phase::Started)
        return;
    m_phase = Phase::Exited;
    removeCode();
    // Docker and the shell tell both alike; a signal that was sent explains its own number.
    if (m_exit->value > signalBase && m_sentSignals.contains(m_exit->value - signalBase)) {
        m_exit->kind = Guest::ExitStatus::Kind::Signalled;
        m_exit->value -= signalBase;
    }
    const Self self(this);
    m_events->exited(exitStatus(*m_exit, m_sandbox->resources()));
    if (self)
        inputClosed();
}

void ExecProcess::outputEnded(bool complete)
{
    const Self self(this);
    for (const OutputStream stream : {OutputStream::StandardOutput, OutputStream::StandardError}) {
        const QByteArray rest = m_records[indexOf(stream)].takeRest();
        if (!rest.isEmpty())
            forward(stream, rest);
        if (!self || m_phase == Phase::Failed)
            return;
    }
    if (m_phase == Phase::Exited && complete)
        endStreams();
    else if (m_kill)
        return; // which ends it
    else if (complete)
        judgeEnd(this, m_sandbox, m_exec);
    else
        explainLoss();
}

void ExecProcess::endStreams()
{
    const Self self(this);
    m_events->streamEnded(OutputStream::StandardOutput);
    if (self)
        m_events->streamEnded(OutputStream::StandardError);
}

// The streams have ended without word of the script: it never ran, was killed, or the connection broke.
QCoro::Task<> ExecProcess::judgeEnd(Self self, Sandbox sandbox, QString exec)
{
    std::optional<ExecState> state;
    try {
        state = co_await sandbox->endOfExec(exec);
        // An end of the container looks the same.
        if (state->exitCode == signalBase + SIGKILL &&
            (co_await sandbox->lossReason()).kind == ErrorKind::SandboxGone)
            state.reset();
    } catch (const QException &) {
        state.reset();
    }
    if (self && state)
        self->judged(*state);
    else if (self)
        self->explainLoss();
}

void ExecProcess::judged(const ExecState &state)
{
    if (m_phase == Phase::Failed || m_phase == Phase::Exited)
        return;
    if (state.exitCode && !m_pid) {
        failToStart(state.exitCode);
    } else if (state.exitCode ==
               signalBase + SIGKILL) { // the script was killed, from inside or for want of memory
        const Self self(this);
        m_exit = Guest::ExitStatus{.kind = Guest::ExitStatus::Kind::Exited, .value = *state.exitCode};
        m_outputDone = true;
        programEnded();
        if (self)
            endStreams();
    } else {
        explainLoss();
    }
}

void ExecProcess::failToStart(const std::optional<int> &exitCode)
{
    const QString text = QString::fromUtf8(m_refusal).trimmed();
    fail(speaksOfUser(text)
             ? noSuchUser(m_request.options.user, text)
             : makeError(ErrorKind::ConnectError, Text::tr("Docker could not start the run."),
                         Text::tr("Look at the container with `docker exec`; plain exec needs its /bin/sh."),
                         ErrorCause{exitCode, text}));
}

void ExecProcess::explainLoss()
{
    m_sandbox->tellLoss(this, [this](const ErrorInfo &reason) { fail(reason); });
}

void ExecProcess::fail(const ErrorInfo &error)
{
    if (m_phase == Phase::Failed)
        return;
    m_phase = Phase::Failed;
    letGoOfOutput();
    removeCode();
    const Self self(this);
    inputClosed();
    if (self)
        m_events->failed(error);
}

// Later, since it may be what calls.
void ExecProcess::letGoOfOutput()
{
    if (!m_output)
        return;
    m_output->disconnect(this);
    m_output.release()->deleteLater();
}

void ExecProcess::removeCode()
{
    if (!m_codeFile.isEmpty())
        m_sandbox->removeByExec(std::exchange(m_codeFile, {}), m_request.options.user);
}

void ExecProcess::acknowledge(OutputStream, qint64 bytes)
{
    if (m_output)
        m_output->acknowledge(bytes);
}

Operation<void> ExecProcess::write(const QByteArray &data)
{
    return enqueue(data);
}

Operation<void> ExecProcess::closeWrite()
{
    return enqueue({});
}

Operation<void> ExecProcess::enqueue(std::optional<QByteArray> data)
{
    if (m_inputClosed)
        return data ? failedOperation<void>(brokenInput()) : finishedOperation();
    const OperationPromise<void> promise;
    m_input.push_back({.data = std::move(data), .promise = promise});
    const Operation<void> operation = promise.operation();
    pumpInput();
    return operation;
}

void ExecProcess::pumpInput()
{
    while (m_stream && !m_input.empty() && !m_inputClosed && m_stream->bytesToWrite() < inputAhead) {
        const Input next = std::move(m_input.front());
        m_input.pop_front();
        if (next.data)
            m_stream->write(*next.data);
        else
            m_stream->closeWrite();
        if (next.promise)
            next.promise->finish();
    }
}

void ExecProcess::inputClosed()
{
    m_inputClosed = true;
    for (const Input &waiting : std::exchange(m_input, {})) {
        if (waiting.promise && waiting.data)
            waiting.promise->fail(brokenInput());
        else if (waiting.promise)
            waiting.promise->finish();
    }
}

Operation<void> ExecProcess::resize(TerminalSize)
{
    return failedOperation<void>(capabilityNotSupported(Capability::Pty));
}

Operation<void> ExecProcess::signal(int signal)
{
    if (const auto error = checkSignal(signal))
        return failedOperation<void>(*error);
    if (m_phase == Phase::Started)
        return sendSignal(signal);
    if (m_phase == Phase::Preparing || m_phase == Phase::Starting)
        m_earlySignals.append(signal);
    return finishedOperation();
}

// A process that is gone gets no signal, as everywhere.
Operation<void> ExecProcess::sendSignal(int signal)
{
    m_sentSignals.insert(signal);
    const OperationPromise<void> promise;
    const Operation<ExecAnswer> answer =
        m_sandbox->askPlainExec(signalArguments(m_mark, *m_pid, signal), m_request.options.user, {});
    answer.then(m_sandbox->engine().ioObject, [promise](const ExecAnswer &) { promise.finish(); });
    answer.onError(m_sandbox->engine().ioObject, [promise](const ErrorInfo &error) { promise.fail(error); });
    answer.onCancelled(m_sandbox->engine().ioObject, [promise] { promise.cancelled(); });
    return promise.operation();
}

Operation<void> ExecProcess::killTree()
{
    if (m_exec.isEmpty()) { // nothing runs, and nothing will
        QMetaObject::invokeMethod(this, [this] { fail(endedBeforeStart()); }, Qt::QueuedConnection);
        m_endRequested = true;
        return finishedOperation();
    }
    if (!m_kill || m_kill->isEnded()) {
        const auto letGo = [self = Self(this)] {
            if (self)
                self->letGoOfOutput();
        };
        m_kill = operationOf(killRun({.sandbox = m_sandbox,
                                      .exec = m_exec,
                                      .mark = m_mark,
                                      .user = m_request.options.user,
                                      .startSettled = m_startSettled.operation(),
                                      .letGo = letGo}));
    }
    return *m_kill;
}

} // namespace Sandboxio::Docker
