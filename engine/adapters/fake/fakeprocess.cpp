// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakeprocess_p.h"
#include "texts_p.h"

#include <sandboxio/core/handover.h>

#include <QPointer>

#include <array>
#include <csignal>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 largestPiece = 64 * 1024;
constexpr qint64 bytesPerTurn = 1024 * 1024; // then others in the I/O thread get theirs

constexpr std::array ignoredSignals{0, SIGCHLD, SIGCONT, SIGURG, SIGWINCH};
constexpr std::array stopSignals{SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};

} // namespace

Process::Process(std::shared_ptr<Provider> provider, const QString &sandboxId, ProcessEvents *events)
    : m_provider(std::move(provider))
    , m_sandboxId(sandboxId)
    , m_events(events)
{
    const Store *store = m_provider->store.get();
    connect(
        store, &Store::removed, this,
        [this, store](const QString &id) {
            takeOver(store);
            onRemoved(id);
        },
        Qt::QueuedConnection);
    connect(
        store, &Store::changed, this,
        [this, store](const QString &id) {
            takeOver(store);
            onChanged(id);
        },
        Qt::QueuedConnection);
}

Process::~Process()
{
    // While it is held: another thread may be the last to let go of it.
    disconnect(m_provider->store.get(), nullptr, this, nullptr);
}

void Process::begin(const std::shared_ptr<Program> &program, const QString &line, const ProcessRequest &request)
{
    m_window = request.window;
    m_input = request.command ? request.options.standardInput.value_or(QByteArray())
                              : request.codeOptions.standardInput.value_or(QByteArray());
    m_inputEnded = !request.interactiveInput;
    m_provider->store->with(m_sandboxId, [&](Record &record) {
        m_pid = record.nextPid++;
        record.processes.insert(*m_pid, line);
    });
    m_flows.push_back({.program = program, .isMain = true});
    const auto limit = request.command ? request.options.timeout : request.codeOptions.timeout;
    if (limit) {
        // The engine's own timer comes first; this one is for when nobody is there to mind it.
        m_backstop = m_provider->clock->arm(this, *limit + m_provider->grace, [this] { endBySignal(SIGKILL); });
    }
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (m_over)
                return;
            m_events->started(m_pid);
            wake();
        },
        Qt::QueuedConnection);
}

void Process::failToStart(const ErrorInfo &error)
{
    QMetaObject::invokeMethod(this, [this, error] { fail(error); }, Qt::QueuedConnection);
}

void Process::acknowledge(OutputStream stream, qint64 bytes)
{
    m_unacknowledged[static_cast<int>(stream)] -= bytes;
    wake();
}

Operation<void> Process::write(const QByteArray &data)
{
    if (m_mainEnded || m_over || m_inputEnded) {
        return failedOperation<void>(
            makeError(ErrorKind::FileSystemError, Text::tr("The program no longer reads its standard input.")));
    }
    m_input += data;
    wake();
    return finishedOperation();
}

Operation<void> Process::closeWrite()
{
    m_inputEnded = true;
    wake();
    return finishedOperation();
}

Operation<void> Process::resize(TerminalSize)
{
    return failedOperation<void>(capabilityNotSupported(Capability::Pty));
}

Operation<void> Process::signal(int signal)
{
    m_provider->script->record(
        {.kind = Call::Kind::Signal, .sandboxId = m_sandboxId, .text = QString::number(signal)});
    if (std::ranges::contains(stopSignals, signal) || signal < 0 || signal > SIGRTMAX) {
        return failedOperation<void>(
            makeError(ErrorKind::CapabilityNotSupported,
                      Text::tr("The in-memory backend cannot send signal %1.").arg(signal),
                      Text::tr("Send one that ends the program, for example 15.")));
    }
    if (!std::ranges::contains(ignoredSignals, signal) && !m_mainEnded && !m_over)
        QMetaObject::invokeMethod(this, [this, signal] { endBySignal(signal); }, Qt::QueuedConnection);
    return finishedOperation();
}

Operation<void> Process::killTree()
{
    m_provider->script->record({.kind = Call::Kind::KillTree, .sandboxId = m_sandboxId});
    const Faults faults = m_provider->script->faults();
    if (faults.killTree)
        return failedOperation<void>(*faults.killTree);
    const OperationPromise<void> promise;
    if (faults.killTreeHangs) {
        // Kept until the process goes, so that it neither ends nor counts as dropped.
        connect(this, &QObject::destroyed, m_provider->context, [promise] {}, Qt::DirectConnection);
        return promise.operation();
    }
    QMetaObject::invokeMethod(
        this,
        [this, promise] {
            const QPointer<Process> guard(this);
            endBySignal(SIGKILL);
            promise.finish();
        },
        Qt::QueuedConnection);
    return promise.operation();
}

void Process::onRemoved(const QString &id)
{
    if (id == m_sandboxId)
        fail(goneError(std::nullopt));
}

void Process::onChanged(const QString &id)
{
    if (id != m_sandboxId)
        return;
    const std::optional<Record> record = m_provider->store->find(id);
    if (!record || record->managed.state == SandboxState::Stopped ||
        record->managed.state == SandboxState::Failed)
        fail(goneError(record));
}

void Process::wake()
{
    if (m_pumpQueued || m_over)
        return;
    m_pumpQueued = true;
    QMetaObject::invokeMethod(this, &Process::pump, Qt::QueuedConnection);
}

void Process::pump()
{
    m_pumpQueued = false;
    m_turnBytes = 0;
    const QPointer<Process> guard(this);
    for (auto flow = m_flows.begin(); flow != m_flows.end();) {
        Progress progress = Progress::Advanced;
        while (progress == Progress::Advanced && m_turnBytes < bytesPerTurn) {
            progress = advance(*flow);
            if (!guard || m_over)
                return;
        }
        if (progress == Progress::Advanced)
            wake();
        flow = progress == Progress::Ended ? m_flows.erase(flow) : std::next(flow);
    }
    if (m_flows.empty())
        endStreams();
}

Process::Progress Process::advance(Flow &flow)
{
    if (!flow.step) {
        const bool alive = m_provider->store->with(
            m_sandboxId, [&](Record &record) { flow.step = flow.program->next(record.files); });
        if (!alive)
            return Progress::Blocked; // the store's signal, already on its way, ends the run
        flow.position = 0;
        flow.slept = false;
    }
    return std::visit([&](auto &step) { return advanceStep(flow, step); }, *flow.step);
}

Process::Progress Process::advanceStep(Flow &flow, WriteStep &step)
{
    const qint64 left = step.data.size() - flow.position;
    const qint64 bytes = room(step.sink, left);
    if (left > 0 && bytes == 0)
        return Progress::Blocked;
    const QByteArray piece = step.data.sliced(flow.position, bytes);
    flow.position += bytes;
    const Sink sink = step.sink;
    if (bytes == left)
        flow.step.reset();
    return piece.isEmpty() || deliver(flow, sink, piece) ? Progress::Advanced : Progress::Ended;
}

Process::Progress Process::advanceStep(Flow &flow, RepeatStep &step)
{
    const qint64 size = step.pattern.size();
    const qint64 left = step.bytes ? *step.bytes - flow.position : size;
    const qint64 start = flow.position % size;
    const qint64 bytes = room(step.sink, std::min(left, size - start));
    if (left > 0 && bytes == 0)
        return Progress::Blocked;
    const QByteArray piece = step.pattern.sliced(start, bytes);
    flow.position += bytes;
    const Sink sink = step.sink;
    if (step.bytes && flow.position == *step.bytes)
        flow.step.reset();
    return piece.isEmpty() || deliver(flow, sink, piece) ? Progress::Advanced : Progress::Ended;
}

Process::Progress Process::advanceStep(Flow &flow, SleepStep &step)
{
    if (flow.slept) {
        flow.timer.reset();
        flow.step.reset();
        return Progress::Advanced;
    }
    if (!flow.timer && step.duration) {
        Flow *sleeper = &flow;
        flow.timer = m_provider->clock->arm(this, *step.duration, [this, sleeper] {
            sleeper->slept = true;
            wake();
        });
    }
    return Progress::Blocked;
}

Process::Progress Process::advanceStep(Flow &flow, CopyInputStep &step)
{
    if (m_input.isEmpty()) {
        if (!m_inputEnded)
            return Progress::Blocked;
        flow.step.reset();
        return Progress::Advanced;
    }
    const qint64 bytes = room(step.sink, m_input.size());
    if (bytes == 0)
        return Progress::Blocked;
    const QByteArray piece = m_input.first(bytes);
    m_input.remove(0, bytes);
    return deliver(flow, step.sink, piece) ? Progress::Advanced : Progress::Ended;
}

Process::Progress Process::advanceStep(Flow &flow, RichStep &step)
{
    const RichOutput output = step.output;
    flow.step.reset();
    m_events->richOutput(output);
    return Progress::Advanced;
}

Process::Progress Process::advanceStep(Flow &flow, SpawnStep &step)
{
    const std::shared_ptr<Program> program = step.program;
    flow.step.reset();
    m_flows.push_back({.program = program});
    return Progress::Advanced;
}

Process::Progress Process::advanceStep(Flow &flow, ExitStep &step)
{
    if (flow.isMain) {
        ExitStatus status;
        if (step.signal)
            status.signal = step.signal;
        else
            status.code = step.code;
        endMain(status);
    }
    return Progress::Ended;
}

qint64 Process::room(const Sink &sink, qint64 wanted) const
{
    const qint64 bytes = std::min(wanted, largestPiece);
    if (sink.kind != Sink::Kind::StandardOutput && sink.kind != Sink::Kind::StandardError)
        return bytes;
    const int stream = sink.kind == Sink::Kind::StandardOutput ? 1 : 2;
    return std::clamp<qint64>(m_window - m_unacknowledged[stream], 0, bytes);
}

bool Process::deliver(const Flow &flow, Sink sink, const QByteArray &data)
{
    m_turnBytes += data.size();
    switch (sink.kind) {
    case Sink::Kind::StandardOutput:
        return deliverOutput(OutputStream::StandardOutput, data);
    case Sink::Kind::StandardError:
        return deliverOutput(OutputStream::StandardError, data);
    case Sink::Kind::File: {
        std::optional<ErrorInfo> full;
        m_provider->store->with(m_sandboxId, [&](Record &record) {
            const auto written = record.files.append(sink.path, data, m_provider->clock->wallTime());
            if (!written)
                full = written.error();
        });
        if (full && flow.isMain)
            endMain({1, std::nullopt, full->kind == ErrorKind::ResourceLimitExceeded ? full : std::nullopt});
        return !full;
    }
    case Sink::Kind::Nowhere:
        break;
    }
    return true;
}

bool Process::deliverOutput(OutputStream stream, const QByteArray &data)
{
    const Faults faults = m_provider->script->faults();
    const std::optional<qint64> end = faults.disconnectAtByte ? faults.disconnectAtByte : faults.goneAtByte;
    const qint64 allowed = end ? std::clamp<qint64>(*end - m_outputBytes, 0, data.size()) : data.size();
    const QPointer<Process> guard(this);
    m_outputBytes += allowed;
    m_unacknowledged[static_cast<int>(stream)] += allowed;
    if (allowed > 0)
        m_events->output(stream, data.first(allowed));
    if (!guard || m_over)
        return false;
    if (!end || m_outputBytes < *end)
        return true;
    breakAtByte(faults);
    return false;
}

void Process::breakAtByte(const Faults &faults)
{
    if (faults.disconnectAtByte) {
        fail(makeError(ErrorKind::ConnectError, Text::tr("The connection of the run broke."),
                       Text::tr("Run it again; how it ended is not known."),
                       {std::nullopt, u"disconnected after %1 bytes"_s.arg(m_outputBytes)}));
    } else {
        m_provider->store->remove(m_sandboxId);
        fail(goneError(std::nullopt));
    }
}

void Process::endMain(const ExitStatus &status)
{
    m_mainEnded = true;
    m_backstop.reset();
    if (std::ranges::all_of(m_flows, &Flow::isMain))
        forgetInStore();
    m_events->exited(status);
}

void Process::endStreams()
{
    m_over = true;
    forgetInStore();
    const QPointer<Process> guard(this);
    m_events->streamEnded(OutputStream::StandardOutput);
    if (guard)
        m_events->streamEnded(OutputStream::StandardError);
}

void Process::endBySignal(int signal)
{
    if (m_over) {
        forgetInStore(); // a run whose connection broke goes on until it is killed
        return;
    }
    const QPointer<Process> guard(this);
    // A signal to the main process leaves what it started in the background; a kill of the tree does not.
    std::erase_if(m_flows, [&](const Flow &flow) { return flow.isMain || signal == SIGKILL; });
    if (!m_mainEnded)
        endMain({std::nullopt, signal, std::nullopt});
    if (guard && m_flows.empty() && !m_over)
        endStreams();
}

void Process::fail(const ErrorInfo &error)
{
    if (m_over)
        return;
    m_over = true;
    m_flows.clear();
    m_backstop.reset();
    m_events->failed(error);
}

void Process::forgetInStore()
{
    if (m_pid)
        m_provider->store->with(m_sandboxId, [&](Record &record) { record.processes.remove(*m_pid); });
}

} // namespace Sandboxio::Fake
