// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestprocess.h"

#include "codelanguages.h"
#include "dockersandbox.h"
#include "guestkill.h"
#include "spawnrequest.h"
#include "steps.h"
#include "texts.h"

#include <QUuid>

#include <cerrno>
#include <chrono>
#include <csignal>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// The news of the end and the end of the output come over two connections, in any order.
constexpr auto exitLimit = 2s;

} // namespace

GuestProcess::GuestProcess(std::shared_ptr<DockerSandbox> sandbox, ProcessRequest request,
                           ProcessEvents *events)
    : m_sandbox(std::move(sandbox))
    , m_request(std::move(request))
    , m_events(events)
{}

GuestProcess::~GuestProcess()
{
    stopWaiting();
    if (m_client && m_run != 0)
        m_client->release(m_run);
    removeCode();
}

void GuestProcess::begin()
{
    const auto spawnOrError = spawnRequest(m_request, m_sandbox->runDefaults());
    if (!spawnOrError) {
        QMetaObject::invokeMethod(
            this, [this, error = spawnOrError.error()] { fail(error); }, Qt::QueuedConnection);
        return;
    }
    m_spawn = *spawnOrError;
    if (const std::optional<QByteArray> input = standardInput(m_request);
        input && !m_request.interactiveInput) {
        m_input.add(input);
        m_input.add({});
    } else if (!m_request.interactiveInput && m_spawn.pty) {
        m_input.add({});
    }
    if (m_sandbox->guest() && !m_request.code && !hasOwnOutput())
        spawn();
    else
        QMetaObject::invokeMethod(this, [this] { prepare(this, m_sandbox); }, Qt::QueuedConnection);
}

QCoro::Task<> GuestProcess::prepare(QPointer<GuestProcess> self, std::shared_ptr<DockerSandbox> sandbox)
{
    ErrorInfo error = endedBeforeStart();
    try {
        co_await sandbox->whenUsable();
        if (self && self->isPreparing() && self->m_request.code)
            co_await prepareCode(self, sandbox);
        if (self && self->isPreparing() && self->hasOwnOutput())
            co_await prepareOutput(self, sandbox);
        if (self && self->isPreparing())
            self->spawn();
        co_return;
    } catch (const SandboxError &problem) {
        error = problem.info();
    } catch (const OperationCancelled &) {
        // The sandbox's connection was let go: it did not start.
    }
    if (self)
        self->fail(error);
}

// The source goes into a private file: argv is published by the daemon, and standard input belongs to the
// program.
QCoro::Task<> GuestProcess::prepareCode(QPointer<GuestProcess> self, std::shared_ptr<DockerSandbox> sandbox)
{
    const QString language = languageNamed(self->m_request.codeOptions.language);
    if (!sandbox->languages().contains(language))
        unknownLanguage(language, sandbox->languages()).raise();
    const QString name = u".sandboxio-"_s + QUuid::createUuid().toString(QUuid::Id128);
    const QString path = co_await sandbox->writePrivateFile(name, *self->m_request.code);
    if (!self) {
        sandbox->removeQuietly(path);
        co_return;
    }
    self->m_codeFile = path.toStdString();
    self->m_spawn.argv = codeArguments(language, self->m_codeFile);
}

QCoro::Task<> GuestProcess::prepareOutput(QPointer<GuestProcess> self, std::shared_ptr<DockerSandbox> sandbox)
{
    const QString token = QUuid::createUuid().toString(QUuid::Id128);
    const StartedExec exec = co_await sandbox->execGuest({u"stream"_s, token}, false);
    if (!self)
        co_return;
    self->m_spawn.streamToken = token.toStdString();
    self->m_output = std::make_unique<ExecOutput>(exec.stream, self->m_request.window);
    self->m_outputExec = exec.id;
    connect(
        self->m_output.get(), &ExecOutput::received, self.data(),
        [events = self->m_events](OutputStream from, const QByteArray &data) { events->output(from, data); });
    connect(self->m_output.get(), &ExecOutput::ended, self.data(), &GuestProcess::outputEnded);
}

void GuestProcess::spawn()
{
    m_client = m_sandbox->guest();
    if (!m_client) { // lost since it was found usable
        lost();
        return;
    }
    m_phase = Phase::Started;
    m_run = m_client->spawn(m_spawn, handlers());
    m_wait = m_sandbox->pauseWatch().begin([this](const ErrorInfo &error) {
        if (m_client)
            m_client->killTree(m_run, {}); // it must not begin when the sandbox is resumed
        fail(error);
    });
}

void GuestProcess::stopWaiting()
{
    m_sandbox->pauseWatch().end(std::exchange(m_wait, 0));
}

// The client may still hold these when this process is gone.
Guest::RunHandlers GuestProcess::handlers()
{
    const QPointer<GuestProcess> self(this);
    const auto guarded = [self](auto member) {
        return [self, member](auto &&...values) {
            if (self)
                (self.data()->*member)(std::forward<decltype(values)>(values)...);
        };
    };
    Guest::RunHandlers result;
    result.spawned = guarded(&GuestProcess::spawned);
    result.exited = guarded(&GuestProcess::ended);
    result.lost = guarded(&GuestProcess::linkLost);
    result.failed = [self](int errorNumber, Guest::SpawnStage stage) {
        if (self)
            self->fail(spawnError(errorNumber, stage, self->m_spawn, self->m_sandbox->resources()));
    };
    result.output = [self](Guest::StreamId stream, quint64, const QByteArray &data) {
        if (self && self->m_phase != Phase::Failed)
            self->m_events->output(outputStream(stream), data);
    };
    result.eof = [self](Guest::StreamId stream) {
        if (self && stream == Guest::StreamId::Stdin)
            self->m_input.close();
        else if (self)
            self->streamEnded(outputStream(stream));
    };
    result.stdinCredit = [self](qint64) {
        if (self)
            self->m_input.pump();
    };
    return result;
}

void GuestProcess::spawned(qint64 pid)
{
    stopWaiting();
    if (m_phase == Phase::Failed)
        return;
    m_spawned = true;
    for (const int number : std::exchange(m_earlySignals, {}))
        m_client->signal(m_run, number);
    const QPointer<GuestProcess> self(this);
    m_events->started(pid);
    if (self && m_output)
        m_output->start();
    if (self) // not before: the guest takes no input for a run that still waits for its output
        m_input.open(m_client, m_run);
    if (self && m_spawn.pty) // a terminal has one stream
        streamEnded(OutputStream::StandardError);
}

void GuestProcess::ended(const Guest::ExitStatus &status)
{
    if (m_phase == Phase::Failed) // its output was lost before
        return;
    m_phase = Phase::Exited;
    m_exitTimer.reset();
    removeCode();
    const QPointer<GuestProcess> self(this);
    m_events->exited(exitStatus(status, m_sandbox->resources()));
    if (self && m_outputEnded)
        endStreams();
}

void GuestProcess::streamEnded(OutputStream stream)
{
    bool &ended = m_endedStreams[stream == OutputStream::StandardOutput ? 0 : 1];
    if (m_phase != Phase::Failed && !std::exchange(ended, true))
        m_events->streamEnded(stream);
}

void GuestProcess::outputEnded(bool complete)
{
    if (!complete) {
        lost();
        return;
    }
    if (m_phase == Phase::Exited)
        endStreams();
    else
        judgeEnd(this, m_sandbox, m_outputExec);
}

// A connection that was closed between two frames looks like the end too. But the guest's helper in the exec keeps
// the streams open until the run has ended: where the exec goes on, what is printed from now on is lost.
QCoro::Task<> GuestProcess::judgeEnd(QPointer<GuestProcess> self, std::shared_ptr<DockerSandbox> sandbox,
                                     QString exec)
{
    bool runs = true;
    try {
        runs = (co_await sandbox->endOfExec(exec)).running;
    } catch (const QException &) {
        // A daemon that cannot be asked is no evidence of a whole output.
    }
    if (!self)
        co_return;
    if (runs) {
        self->lost();
    } else if (self->m_phase == Phase::Exited) {
        self->endStreams();
    } else {
        self->m_outputEnded = true;
        self->m_exitTimer = sandbox->engine().clock->arm(self.data(), exitLimit, [self] { self->lost(); });
    }
}

void GuestProcess::endStreams()
{
    const QPointer<GuestProcess> self(this);
    streamEnded(OutputStream::StandardOutput);
    if (self)
        streamEnded(OutputStream::StandardError);
}

void GuestProcess::linkLost()
{
    if (m_phase != Phase::Exited || !m_output) // otherwise its output comes over a connection of its own
        lost();
}

void GuestProcess::lost()
{
    const bool complete = m_phase == Phase::Exited && m_endedStreams[0] && m_endedStreams[1];
    if (m_phase != Phase::Failed && !complete)
        m_sandbox->tellLoss(this, [this](const ErrorInfo &reason) { fail(reason); });
}

void GuestProcess::fail(const ErrorInfo &error)
{
    stopWaiting();
    if (m_phase == Phase::Failed)
        return;
    m_phase = Phase::Failed;
    m_exitTimer.reset();
    m_output.reset();
    removeCode();
    const QPointer<GuestProcess> self(this);
    m_input.close();
    if (self)
        m_events->failed(error);
}

void GuestProcess::removeCode()
{
    if (!m_codeFile.empty())
        m_sandbox->removeQuietly(QString::fromStdString(std::exchange(m_codeFile, {})));
}

void GuestProcess::acknowledge(OutputStream stream, qint64 bytes)
{
    if (m_output)
        m_output->acknowledge(bytes);
    else if (m_client)
        m_client->credit(m_run, guestStream(stream), bytes);
}

Operation<void> GuestProcess::write(const QByteArray &data)
{
    return m_input.enqueue(data);
}

Operation<void> GuestProcess::closeWrite()
{
    return m_input.enqueue({});
}

Operation<void> GuestProcess::resize(TerminalSize size)
{
    if (!m_request.options.pty)
        return failedOperation<void>(noTerminal());
    m_spawn.windowSize = windowSize(size);
    if (m_client && m_run != 0)
        m_client->resize(m_run, m_spawn.windowSize);
    return finishedOperation();
}

Operation<void> GuestProcess::signal(int signal)
{
    if (const auto error = checkSignal(signal))
        return failedOperation<void>(*error);
    if (m_client && m_run != 0 && m_phase == Phase::Started && m_spawned)
        m_client->signal(m_run, signal);
    else if (m_phase == Phase::Preparing || m_phase == Phase::Started)
        m_earlySignals.append(signal);
    return finishedOperation();
}

Operation<void> GuestProcess::killTree()
{
    if (m_phase == Phase::Preparing) {
        m_endRequested = true;
        QMetaObject::invokeMethod(this, [this] { fail(endedBeforeStart()); }, Qt::QueuedConnection);
        return finishedOperation();
    }
    if (m_phase == Phase::Failed && !m_client)
        return finishedOperation();
    return killRun(m_sandbox, m_client, m_run);
}

} // namespace Sandboxio::Docker
