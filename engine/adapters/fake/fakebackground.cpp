// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakebackground_p.h"

#include "texts_p.h"

#include <sandboxio/core/handover.h>

#include <QPointer>

#include <algorithm>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;

namespace {

// What outlives neither: the machine, and with it its processes, goes before them.
template <typename T>
std::shared_ptr<T> borrowed(T *object)
{
    return {std::shared_ptr<void>(), object};
}

std::shared_ptr<Provider> providerOfMachine(const Provider &provider, QObject *host)
{
    auto copy = std::make_shared<Provider>(provider);
    copy->context = host;
    copy->script = borrowed(provider.script.get());
    copy->store = borrowed(provider.store.get());
    return copy;
}

} // namespace

/*! The process of a background run, in the thread of the machine. */
class KeptProcess final : public QObject, public ProcessEvents
{
public:
    KeptProcess(std::shared_ptr<Provider> provider, const QString &sandboxId, KeptRunPtr run,
                OperationPromise<QString> start, QObject *parent)
        : QObject(parent)
        , m_run(std::move(run))
        , m_start(std::move(start))
        , m_process(std::make_unique<Process>(std::move(provider), sandboxId, this))
    {
        const std::lock_guard locker(m_run->m_mutex);
        m_run->m_process = this;
    }
    ~KeptProcess() override
    {
        const std::lock_guard locker(m_run->m_mutex);
        m_run->m_process = nullptr;
    }
    Process &process() { return *m_process; }

private:
    void started(std::optional<qint64>) override { m_start.finish(m_run->id()); }
    void output(OutputStream stream, const QByteArray &data) override
    {
        m_run->change([&] {
            KeptRun::Stream &kept = m_run->m_streams[KeptRun::index(stream)];
            kept.kept += data;
            kept.end += data.size();
            if (kept.kept.size() >= 2 * KeptRun::spoolLimit)
                kept.kept = kept.kept.last(KeptRun::spoolLimit);
        });
        m_process->acknowledge(stream, data.size());
    }
    void outputLost(OutputStream, qint64) override {} // its own process loses none
    void streamEnded(OutputStream stream) override
    {
        m_run->change([&] { m_run->m_streams[KeptRun::index(stream)].isOver = true; });
    }
    void exited(const ExitStatus &status) override
    {
        m_run->change([&] {
            m_run->m_status = status;
            for (KeptRun::Stream &stream : m_run->m_streams)
                stream.endAtExit = stream.end;
        });
    }
    void failed(const ErrorInfo &error) override
    {
        m_start.fail(error);
        m_run->change([&] { m_run->m_error = error; });
    }
    void richOutput(const RichOutput &) override {}

    const KeptRunPtr m_run;
    const OperationPromise<QString> m_start;
    const std::unique_ptr<Process> m_process;
};

KeptRun::KeptRun(const QString &id, const QStringList &arguments, const QDateTime &startedAt)
{
    m_run.id = id;
    m_run.arguments = arguments;
    m_run.startedAt = startedAt;
}

BackgroundRun KeptRun::describe() const
{
    const std::lock_guard locker(m_mutex);
    BackgroundRun run = m_run;
    run.attachments = static_cast<int>(m_readers.size());
    run.standardOutput = {m_streams[0].end, m_streams[0].kept.size()};
    run.standardError = {m_streams[1].end, m_streams[1].kept.size()};
    if (m_status && m_status->signal)
        run.end = {RunOutcome::Kind::Signalled, *m_status->signal};
    else if (m_status)
        run.end = {RunOutcome::Kind::Exited, m_status->code.value_or(0)};
    return run;
}

KeptRun::Piece KeptRun::read(OutputStream stream, qint64 offset, qint64 limit) const
{
    const std::lock_guard locker(m_mutex);
    const Stream &from = m_streams[index(stream)];
    const qint64 begin = from.end - from.kept.size();
    Piece piece{.lost = std::max<qint64>(begin - offset, 0), .data = {}};
    const qint64 place = std::max(offset, begin) - begin;
    piece.data = from.kept.mid(place, std::min(limit, from.kept.size() - place));
    piece.isLast = from.isOver && place + piece.data.size() == from.kept.size();
    return piece;
}

std::optional<ExitStatus> KeptRun::endAfter(const std::array<qint64, 2> &offsets) const
{
    const std::lock_guard locker(m_mutex);
    const bool isThere = offsets[0] >= m_streams[0].endAtExit && offsets[1] >= m_streams[1].endAtExit;
    return isThere ? m_status : std::nullopt;
}

std::optional<ErrorInfo> KeptRun::error() const
{
    const std::lock_guard locker(m_mutex);
    return m_error;
}

void KeptRun::addReader(const void *reader, std::function<void()> wake)
{
    const std::lock_guard locker(m_mutex);
    m_readers.emplace(reader, std::move(wake));
}

void KeptRun::removeReader(const void *reader)
{
    const std::lock_guard locker(m_mutex);
    m_readers.erase(reader);
}

void KeptRun::change(const std::function<void()> &function)
{
    const std::lock_guard locker(m_mutex);
    function();
    for (const auto &[reader, wake] : m_readers)
        wake();
}

void KeptRun::retire()
{
    const std::lock_guard locker(m_mutex);
    if (m_process)
        std::exchange(m_process, nullptr)->deleteLater();
}

void KeptRun::withProcess(const std::function<void(Process &)> &function)
{
    const std::lock_guard locker(m_mutex);
    if (m_process)
        postCall(m_process, [process = m_process, function] { function(process->process()); });
}

Operation<void> KeptRun::kill()
{
    {
        const std::lock_guard locker(m_mutex);
        if (!m_process)
            return finishedOperation();
    }
    const OperationPromise<void> promise;
    withProcess([promise](Process &process) {
        const Operation<void> kill = process.killTree();
        kill.then(&process, [promise] { promise.finish(); });
        kill.onError(&process, [promise](const ErrorInfo &error) { promise.fail(error); });
    });
    return promise.operation();
}

Machine::Machine()
    : m_host(new QObject)
{
    m_host->moveToThread(&m_thread);
    QObject::connect(&m_thread, &QThread::finished, m_host, &QObject::deleteLater);
    m_thread.start();
}

Machine::~Machine()
{
    m_thread.quit();
    m_thread.wait();
}

Operation<QString> Machine::start(const Provider &provider, const QString &sandboxId,
                                  const std::shared_ptr<Program> &program, const ProcessRequest &request)
{
    const std::lock_guard locker(m_mutex);
    const auto run = std::make_shared<KeptRun>(u"background-%1"_s.arg(++m_serial), request.command->arguments(),
                                               provider.clock->wallTime());
    m_runs[sandboxId].append(run);
    const OperationPromise<QString> promise;
    const auto own = providerOfMachine(provider, m_host);
    postCall(m_host, [host = m_host, own, sandboxId, run, program, request, promise] {
        auto *process = new KeptProcess(own, sandboxId, run, promise, host);
        process->process().begin(program, request.command->toString(), request);
    });
    return promise.operation();
}

KeptRunPtr Machine::find(const QString &sandboxId, const QString &id) const
{
    const QList<KeptRunPtr> all = runs(sandboxId);
    const auto found = std::ranges::find(all, id, &KeptRun::id);
    return found == all.end() ? nullptr : *found;
}

QList<KeptRunPtr> Machine::runs(const QString &sandboxId) const
{
    const std::lock_guard locker(m_mutex);
    const auto found = m_runs.find(sandboxId);
    return found == m_runs.end() ? QList<KeptRunPtr>() : found->second;
}

void Machine::forget(const QString &sandboxId, const QString &id)
{
    const std::lock_guard locker(m_mutex);
    m_runs[sandboxId].removeIf([&](const KeptRunPtr &run) {
        if (run->id() != id)
            return false;
        run->retire();
        return true;
    });
}

ErrorInfo unknownBackgroundRun(const QString &id)
{
    return makeError(ErrorKind::ConfigurationError, Text::tr("There is no background run '%1' here.").arg(id),
                     Text::tr("Use one of those that backgroundRuns() lists."));
}

Attachment::Attachment(KeptRunPtr run, const AttachRequest &request, ProcessEvents *events)
    : m_run(std::move(run))
    , m_request(request)
    , m_events(events)
    , m_offsets{request.from.standardOutputOffset, request.from.standardErrorOffset}
{
    QMetaObject::invokeMethod(this, &Attachment::begin, Qt::QueuedConnection);
}

Attachment::~Attachment()
{
    if (m_run)
        m_run->removeReader(this);
}

void Attachment::begin()
{
    if (!m_run) {
        fail(unknownBackgroundRun(m_request.id));
        return;
    }
    const BackgroundRun run = m_run->describe();
    if (m_offsets[0] > run.standardOutput.written || m_offsets[1] > run.standardError.written) {
        fail(makeError(ErrorKind::ConfigurationError,
                       Text::tr("The background run has not written so much yet."),
                       Text::tr("Attach from an offset within what backgroundRuns() says was written.")));
        return;
    }
    m_started = true;
    m_run->addReader(this, [this] { wake(); });
    const QPointer<Attachment> guard(this);
    m_events->started(std::nullopt);
    if (guard)
        pump();
}

void Attachment::wake()
{
    postCall(this, [this] { pump(); });
}

void Attachment::pump()
{
    const QPointer<Attachment> guard(this);
    if (m_failed || !m_started || !pumpStream(OutputStream::StandardOutput) ||
        !pumpStream(OutputStream::StandardError))
        return;
    if (const auto status = m_run->endAfter(m_offsets); status && !std::exchange(m_exitTold, true))
        m_events->exited(*status);
    if (!guard || (m_ended[0] && m_ended[1]))
        return;
    if (const auto error = m_run->error())
        fail(*error);
}

/*! False when this has gone meanwhile. */
bool Attachment::pumpStream(OutputStream stream)
{
    const size_t index = stream == OutputStream::StandardError ? 1 : 0;
    const QPointer<Attachment> guard(this);
    while (!m_ended[index]) {
        const qint64 room = std::max<qint64>(m_request.window - m_unacknowledged[index], 0);
        const KeptRun::Piece piece = m_run->read(stream, m_offsets[index], room);
        m_offsets[index] += piece.lost + piece.data.size();
        m_unacknowledged[index] += piece.data.size();
        if (piece.lost > 0)
            m_events->outputLost(stream, piece.lost);
        if (guard && !piece.data.isEmpty())
            m_events->output(stream, piece.data);
        if (!guard)
            return false;
        if (piece.isLast) {
            m_ended[index] = true;
            m_events->streamEnded(stream);
            return guard;
        }
        if (piece.data.isEmpty())
            break;
    }
    return true;
}

void Attachment::fail(const ErrorInfo &error)
{
    if (!std::exchange(m_failed, true))
        m_events->failed(error);
}

void Attachment::acknowledge(OutputStream stream, qint64 bytes)
{
    m_unacknowledged[stream == OutputStream::StandardError ? 1 : 0] -= bytes;
    wake();
}

Operation<void> Attachment::write(const QByteArray &)
{
    return failedOperation<void>(
        makeError(ErrorKind::FileSystemError, Text::tr("The program no longer reads its standard input.")));
}

Operation<void> Attachment::closeWrite()
{
    return finishedOperation();
}

Operation<void> Attachment::resize(TerminalSize)
{
    return failedOperation<void>(capabilityNotSupported(Capability::Pty));
}

Operation<void> Attachment::signal(int signal)
{
    if (m_run)
        m_run->withProcess([signal](Process &process) { std::ignore = process.signal(signal); });
    return finishedOperation();
}

Operation<void> Attachment::killTree()
{
    return m_run ? m_run->kill() : finishedOperation();
}

} // namespace Sandboxio::Fake
