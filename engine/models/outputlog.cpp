// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "outputlog.h"

#include "outputworker_p.h"
#include <sandboxio/core/handover.h>

#include <QLocale>
#include <QPointer>
#include <QStandardPaths>

namespace Sandboxio {

using namespace Qt::StringLiterals;

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
        m_thread->end();
}

QString OutputLog::defaultDirectory()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + u"/sandboxio/output"_s;
}

void OutputLog::post(std::function<void(Detail::OutputWorker &)> call)
{
    if (!m_thread)
        m_thread = new Detail::OutputThread(std::make_unique<Detail::OutputWorker>(m_mailbox, m_options));
    Detail::OutputWorker *worker = m_thread->worker();
    postCall(worker, [worker, call = std::move(call)] { call(*worker); });
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
    return m_mailbox->current().missingBytes;
}

QString OutputLog::storageProblem() const
{
    const Detail::OutputState state = m_mailbox->current();
    if (state.missingBytes == 0)
        return {};
    const QString size = QLocale().formattedDataSize(state.missingBytes);
    if (!state.errorText.isEmpty())
        return tr("%1 are not kept: %2").arg(size, state.errorText);
    return tr("%1 of the middle are not kept: the limit of %2 for one run is reached")
        .arg(size, QLocale().formattedDataSize(m_options.limit));
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
    if (alive)
        Q_EMIT accepted();
    if (alive && !state.errorText.isEmpty() && !std::exchange(m_failureTold, true))
        Q_EMIT storageFailed(state.errorText);
    if (alive && state.finished && !std::exchange(m_finishTold, true))
        Q_EMIT finished();
}

} // namespace Sandboxio
