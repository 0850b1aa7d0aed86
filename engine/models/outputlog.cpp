// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "outputlog.h"

#include "outputworker_p.h"
#include <sandboxio/core/handover.h>

#include <QCoreApplication>
#include <QStandardPaths>
#include <QThread>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

// The application object waits for those that still run when it goes, so that no file stays behind.
class SpoolThread final : public QThread
{
public:
    using QThread::QThread;
    ~SpoolThread() override
    {
        quit();
        wait();
        takeOver(this);
    }
};

} // namespace

OutputLog::OutputLog(const OutputLogOptions &options, QObject *parent)
    : QObject(parent)
    , m_options(options)
    , m_mailbox(std::make_shared<Detail::OutputMailbox>())
{
    m_mailbox->log = this;
}

OutputLog::~OutputLog()
{
    {
        const std::lock_guard lock(m_mailbox->mutex);
        m_mailbox->log = nullptr;
    }
    m_mailbox->stop = true;
    if (m_thread)
        m_thread->quit();
}

QString OutputLog::defaultDirectory()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + u"/sandboxio/output"_s;
}

void OutputLog::startThread()
{
    QCoreApplication *application = QCoreApplication::instance();
    m_thread = new SpoolThread(thread() == application->thread() ? application : nullptr);
    m_thread->setObjectName(u"sandboxio-output"_s);
    m_worker = new Detail::OutputWorker(m_mailbox, m_options);
    const HandOver handOver(m_worker);
    m_worker->moveToThread(m_thread);
    // In the thread that ends, since removing a large file takes its time; and at once, since deleteLater() does
    // nothing any more while the application object goes.
    connect(
        m_thread, &QThread::finished, m_thread, [worker = m_worker] { delete worker; }, Qt::DirectConnection);
    deleteWhenFinished(m_thread);
    m_thread->start();
}

void OutputLog::post(std::function<void(Detail::OutputWorker &)> call)
{
    if (!m_thread)
        startThread();
    postCall(m_worker, [worker = m_worker, call = std::move(call)] { call(*worker); });
}

template <typename T, typename Call>
Operation<T> OutputLog::ask(Call call)
{
    const OperationPromise<T> promise;
    const Operation<T> operation = promise.operation();
    post([promise, call = std::move(call)](Detail::OutputWorker &worker) { promise.finish(call(worker)); });
    return operation;
}

qint64 OutputLog::rowCount() const
{
    return m_mailbox->current().rowCount;
}

Operation<OutputLog::Page> OutputLog::rows(qint64 first, qsizetype count)
{
    return ask<Page>([first, count](Detail::OutputWorker &worker) { return worker.rows(first, count); });
}

Operation<OutputLog::Page> OutputLog::lastRows(qsizetype count)
{
    return ask<Page>([count](Detail::OutputWorker &worker) { return worker.lastRows(count); });
}

Operation<QString> OutputLog::text(const Position &from, const Position &to, qsizetype limit)
{
    return ask<QString>(
        [from, to, limit](Detail::OutputWorker &worker) { return worker.text(from, to, limit); });
}

Operation<std::optional<OutputLog::Match>> OutputLog::find(const Search &search)
{
    const OperationPromise<std::optional<Match>> promise;
    const auto operation = promise.operation();
    post([promise, search](Detail::OutputWorker &worker) { worker.find(search, promise); });
    return operation;
}

Operation<qint64> OutputLog::save(OutputStream stream, const QString &path)
{
    const OperationPromise<qint64> promise;
    const Operation<qint64> operation = promise.operation();
    post([promise, stream, path](Detail::OutputWorker &worker) { worker.save(stream, path, promise); });
    return operation;
}

qint64 OutputLog::byteCount(OutputStream stream) const
{
    return m_bytes[stream == OutputStream::StandardError ? 1 : 0];
}

qint64 OutputLog::pendingBytes() const
{
    return m_bytes[0] + m_bytes[1] - m_mailbox->current().acceptedBytes;
}

qint64 OutputLog::missingBytes() const
{
    const Detail::OutputState state = m_mailbox->current();
    return state.gapBytes + state.refusedBytes;
}

QString OutputLog::storageProblem() const
{
    const Detail::OutputState state = m_mailbox->current();
    QStringList problems;
    if (state.gapBytes > 0)
        problems += Detail::gapText(state.gapBytes, m_options.limit);
    if (state.refusedBytes > 0)
        problems += Detail::refusedText(state.refusedBytes, state.errorText);
    return problems.join(u"; "_s);
}

bool OutputLog::isFinished() const
{
    return m_mailbox->current().finished;
}

void OutputLog::append(const OutputChunk &chunk)
{
    m_bytes[chunk.stream == OutputStream::StandardError ? 1 : 0] += chunk.data.size();
    post([chunk](Detail::OutputWorker &worker) { worker.append(chunk); });
}

void OutputLog::finish()
{
    post([](Detail::OutputWorker &worker) { worker.finish(); });
}

void OutputLog::takeState()
{
    Detail::OutputState state;
    {
        const std::lock_guard lock(m_mailbox->mutex);
        m_mailbox->wakePosted = false;
        state = m_mailbox->state;
    }
    const QPointer<OutputLog> alive = this; // a slot may destroy this object
    Q_EMIT changed();
    if (alive && !state.errorText.isEmpty() && !std::exchange(m_failureTold, true))
        Q_EMIT storageFailed(state.errorText);
    if (alive && state.finished && !std::exchange(m_finishTold, true))
        Q_EMIT finished();
}

} // namespace Sandboxio
