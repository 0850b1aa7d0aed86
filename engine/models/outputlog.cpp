// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "outputlog.h"

#include "outputtext.h"

#include <QLocale>
#include <QStandardPaths>

namespace Sandboxio {

using namespace Qt::StringLiterals;

OutputLog::OutputLog(const OutputLogOptions &options, QObject *parent)
    : QObject(parent)
    , m_options(options)
    , m_spool(options.directory.isEmpty() ? defaultDirectory() : options.directory)
{}

OutputLog::~OutputLog() = default;

QString OutputLog::defaultDirectory()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + u"/sandboxio/output"_s;
}

qint64 OutputLog::lineCount() const
{
    return m_spool.lineCount() +
           std::ranges::count_if(m_partial, [](const Partial &p) { return !p.data.isEmpty(); });
}

QList<OutputLog::Line> OutputLog::lines(qint64 first, qsizetype count) const
{
    QList<Line> result;
    const QList<SpooledLine> stored = m_spool.read(first, count);
    result.reserve(count);
    for (const SpooledLine &line : stored)
        result.append({line.stream, displayLine(line.data), line.ended});
    qint64 number = m_spool.lineCount();
    for (size_t i = 0; i < m_partial.size(); ++i) {
        if (m_partial[i].data.isEmpty())
            continue;
        if (number >= first && number < first + count)
            result.append({i == 1 ? OutputStream::StandardError : OutputStream::StandardOutput,
                           displayLine(m_partial[i].data), false});
        ++number;
    }
    return result;
}

qint64 OutputLog::byteCount(OutputStream stream) const
{
    return m_partial[stream == OutputStream::StandardError ? 1 : 0].total;
}

QString OutputLog::storageProblem() const
{
    if (m_dropped == 0)
        return {};
    const QString count = QLocale().formattedDataSize(m_dropped);
    if (!m_spool.errorText().isEmpty())
        return tr("%1 are not kept: %2").arg(count, m_spool.errorText());
    return tr("%1 are not kept: the limit of %2 for one run is reached.")
        .arg(count, QLocale().formattedDataSize(m_options.limit));
}

void OutputLog::append(const OutputChunk &chunk)
{
    Partial &line = partial(chunk.stream);
    line.total += chunk.data.size();
    QByteArrayView rest = chunk.data;
    while (!rest.isEmpty() && !m_full) {
        const qsizetype feed = rest.indexOf('\n');
        const bool ended = feed >= 0;
        const QByteArrayView piece = ended ? rest.first(feed) : rest;
        rest = rest.sliced(ended ? feed + 1 : rest.size());
        if (ended && line.data.isEmpty()) {
            store(chunk.stream, piece, true);
            continue;
        }
        line.data += piece;
        if (ended) {
            store(chunk.stream, std::exchange(line.data, {}), true);
        } else if (line.data.size() > OutputSpool::maximumLine) {
            QByteArrayView folding = line.data;
            while (folding.size() > OutputSpool::maximumLine) {
                const qsizetype length = foldLength(folding, OutputSpool::maximumLine);
                store(chunk.stream, folding.first(length), false);
                folding = folding.sliced(length);
            }
            line.data = folding.toByteArray();
        }
    }
    m_dropped += rest.size();
    announce();
}

void OutputLog::store(OutputStream stream, QByteArrayView line, bool ended)
{
    do {
        const qsizetype length = foldLength(line, OutputSpool::maximumLine);
        const QByteArrayView piece = line.first(length);
        line = line.sliced(length);
        m_full = m_full || m_spool.size() + length > m_options.limit;
        if (m_full || !m_spool.append(stream, piece, ended && line.isEmpty())) {
            m_full = true;
            m_dropped += length + (ended && line.isEmpty() ? 1 : 0);
        }
    } while (!line.isEmpty());
}

void OutputLog::finish()
{
    for (const OutputStream stream : {OutputStream::StandardOutput, OutputStream::StandardError}) {
        const QByteArray last = std::exchange(partial(stream).data, {});
        if (!last.isEmpty())
            store(stream, last, false);
    }
    m_finished = true;
    announce();
}

void OutputLog::announce()
{
    if (std::exchange(m_announced, true))
        return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_announced = false;
            Q_EMIT changed();
        },
        Qt::QueuedConnection);
}

} // namespace Sandboxio
