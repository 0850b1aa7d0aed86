// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "cellprocess.h"

#include "contexts.h"
#include "dockersandbox.h"
#include "fileerror.h"
#include "spawnrequest.h"
#include "texts.h"

#include <cerrno>
#include <csignal>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds longestPatience = 2s;

} // namespace

CellProcess::CellProcess(std::shared_ptr<DockerSandbox> sandbox, ProcessRequest request, ProcessEvents *events)
    : m_sandbox(std::move(sandbox))
    , m_request(std::move(request))
    , m_events(events)
{}

CellProcess::~CellProcess()
{
    if (m_interpreter)
        m_interpreter->forget(m_cell);
    if (m_kill)
        m_kill->finish();
}

void CellProcess::begin()
{
    QMetaObject::invokeMethod(this, [this] { prepare(this, m_sandbox); }, Qt::QueuedConnection);
}

QCoro::Task<> CellProcess::prepare(QPointer<CellProcess> self, std::shared_ptr<DockerSandbox> sandbox)
{
    std::optional<ErrorInfo> problem;
    try {
        co_await sandbox->whenUsable();
    } catch (const SandboxError &error) {
        problem = error.info();
    } catch (const OperationCancelled &) {
        problem = endedBeforeStart();
    }
    if (self && problem)
        self->fail(*problem);
    else if (self)
        self->submit();
}

// Input and variables belong to a process, and the interpreter is one already.
std::optional<ErrorInfo> CellProcess::refusal() const
{
    if (standardInput(m_request)) {
        return makeError(ErrorKind::ConfigurationError, Text::tr("Code in a context has no standard input."),
                         Text::tr("Put the data into the code or a file, or run the code without a context."));
    }
    if (!m_request.codeOptions.env.isEmpty()) {
        return makeError(ErrorKind::ConfigurationError,
                         Text::tr("Code in a context has the environment of its interpreter."),
                         Text::tr("Set the variables in the code, or run it without a context."));
    }
    if (m_sandbox->contexts().languageOf(m_request.codeOptions.context) == u"bash"_s &&
        m_request.code->contains('\0')) {
        return makeError(ErrorKind::ConfigurationError, Text::tr("Code for bash cannot hold the byte 0."),
                         Text::tr("Leave it out, or write it as \\0 for printf."));
    }
    return {};
}

void CellProcess::submit()
{
    if (m_phase != Phase::Preparing || m_endRequested)
        return;
    if (const auto error = refusal())
        return fail(*error);
    Contexts &contexts = m_sandbox->contexts();
    const QString id = m_request.codeOptions.context;
    const Contexts::InterpreterPtr interpreter = contexts.find(id);
    if (!interpreter)
        return fail(contexts.unknown(id));
    if (interpreter->end())
        return fail(contexts.ended(id, *interpreter));
    m_phase = Phase::Submitted;
    m_interpreter = interpreter.get();
    connect(m_interpreter, &QObject::destroyed, this, &CellProcess::interpreterGone);
    m_cell = m_interpreter->run(*m_request.code, handlers());
}

Guest::CellHandlers CellProcess::handlers()
{
    const QPointer<CellProcess> self(this);
    Guest::CellHandlers result;
    result.started = [self] {
        if (self)
            self->m_events->started({});
    };
    result.output = [self](Guest::StreamId stream, const QByteArray &data) {
        if (self)
            self->m_events->output(outputStream(stream), data);
    };
    result.result = [self](const RichOutput &output) {
        if (self)
            self->m_events->richOutput(output);
    };
    result.ended = [self](int code) {
        if (self)
            self->ended(code);
    };
    result.died = [self] {
        if (self)
            self->died(self->m_interpreter && self->m_interpreter->isRunning(self->m_cell));
    };
    result.eof = [self](Guest::StreamId stream) {
        if (self && self->m_phase == Phase::Died)
            self->streamEnded(outputStream(stream));
    };
    return result;
}

void CellProcess::ended(int code)
{
    m_phase = Phase::Ended;
    m_patience.reset();
    const QPointer<CellProcess> self(this);
    m_events->exited({.code = code, .signal = {}, .limit = {}, .treeEmpty = true});
    if (self)
        endStreams();
    if (self)
        finishKill();
}

void CellProcess::died(bool wasRunning)
{
    if (m_killing) // the answer to the kill says it
        return;
    const Guest::InterpreterEnd &end = *m_interpreter->end();
    if (end.connectionLost) {
        const ErrorInfo lost = m_sandbox->contexts().ended(m_request.codeOptions.context, *m_interpreter);
        m_sandbox->tellLoss(this, [this, wasRunning, lost](const ErrorInfo &reason) {
            fail(wasRunning || reason.kind == ErrorKind::SandboxGone ? reason : lost);
        });
    } else if (wasRunning && end.status && end.problem.isEmpty()) {
        m_phase = Phase::Died;
        m_patience.reset();
        const QPointer<CellProcess> self(this);
        m_events->exited(exitStatus(*end.status, m_sandbox->resources()));
        if (self)
            finishKill();
    } else {
        fail(m_sandbox->contexts().ended(m_request.codeOptions.context, *m_interpreter));
    }
}

// The context was removed or restarted, and nobody listens to the old one any more.
void CellProcess::interpreterGone()
{
    if (m_phase == Phase::Died)
        endStreams();
    else if (m_phase == Phase::Submitted)
        fail(m_sandbox->contexts().unknown(m_request.codeOptions.context));
}

void CellProcess::streamEnded(OutputStream stream)
{
    bool &ended = m_endedStreams[stream == OutputStream::StandardOutput ? 0 : 1];
    if (!std::exchange(ended, true))
        m_events->streamEnded(stream);
}

void CellProcess::endStreams()
{
    const QPointer<CellProcess> self(this);
    streamEnded(OutputStream::StandardOutput);
    if (self)
        streamEnded(OutputStream::StandardError);
}

void CellProcess::fail(const ErrorInfo &error)
{
    if (m_phase == Phase::Failed || m_phase == Phase::Ended)
        return;
    m_phase = Phase::Failed;
    m_patience.reset();
    if (m_interpreter)
        m_interpreter->forget(m_cell); // after failed() nothing may come
    const QPointer<CellProcess> self(this);
    m_events->failed(error);
    if (self)
        finishKill();
}

void CellProcess::acknowledge(OutputStream stream, qint64 bytes)
{
    if (m_interpreter)
        m_interpreter->credit(m_cell, guestStream(stream), bytes);
}

Operation<void> CellProcess::write(const QByteArray &)
{
    return failedOperation<void>(fileError(EPIPE, Text::tr("write to"), Text::tr("standard input")));
}

Operation<void> CellProcess::closeWrite()
{
    return finishedOperation();
}

Operation<void> CellProcess::resize(TerminalSize)
{
    return failedOperation<void>(makeError(ErrorKind::ConfigurationError,
                                           Text::tr("Code in a context has no terminal to resize."),
                                           Text::tr("Run a command with RunOptions::pty instead.")));
}

Operation<void> CellProcess::signal(int signal)
{
    if (const auto error = checkSignal(signal))
        return failedOperation<void>(*error);
    if (!m_interpreter || m_phase != Phase::Submitted)
        return finishedOperation();
    if (signal == SIGINT)
        m_interpreter->interrupt(m_cell);
    else if (m_interpreter->isRunning(m_cell))
        m_interpreter->signal(signal);
    return finishedOperation();
}

std::chrono::milliseconds CellProcess::patience() const
{
    return std::min(longestPatience, m_sandbox->engine().teardownGrace / 2);
}

Operation<void> CellProcess::killTree()
{
    if (m_kill)
        return m_kill->operation();
    if (m_phase == Phase::Ended || m_phase == Phase::Failed)
        return finishedOperation();
    if (m_phase == Phase::Preparing ||
        (m_interpreter && m_phase == Phase::Submitted && !m_interpreter->isRunning(m_cell))) {
        m_endRequested = true;
        if (m_interpreter)
            m_interpreter->forget(m_cell);
        QMetaObject::invokeMethod(this, [this] { fail(endedBeforeStart()); }, Qt::QueuedConnection);
        return finishedOperation();
    }
    m_kill.emplace();
    const Operation<void> operation = m_kill->operation();
    if (!m_interpreter) {
        finishKill();
    } else if (m_phase == Phase::Died) {
        killInterpreter();
    } else {
        m_interpreter->interrupt(m_cell);
        m_patience = m_sandbox->engine().clock->arm(this, patience(), [this] { killInterpreter(); });
    }
    return operation;
}

void CellProcess::killInterpreter()
{
    m_killing = m_phase == Phase::Submitted;
    const QPointer<CellProcess> self(this);
    m_interpreter->kill([self](const std::expected<void, Guest::FileError> &) {
        if (!self)
            return;
        if (self->m_killing && self->m_interpreter)
            self->fail(
                self->m_sandbox->contexts().ended(self->m_request.codeOptions.context, *self->m_interpreter));
        if (self)
            self->finishKill();
    });
}

void CellProcess::finishKill()
{
    m_patience.reset();
    if (m_kill)
        std::exchange(m_kill, {})->finish();
}

} // namespace Sandboxio::Docker
