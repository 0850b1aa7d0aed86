// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "outputworker_p.h"

#include "outputtext.h"
#include <sandboxio/core/handover.h>

#include <sandboxio/runtime/wholefile.h>

#include <QByteArrayMatcher>
#include <QLocale>

#include <algorithm>

namespace Sandboxio::Detail {

using namespace Qt::StringLiterals;

namespace {

QString notKept(qint64 bytes, const QString &reason)
{
    return OutputLog::tr("%1 are not kept: %2").arg(QLocale().formattedDataSize(bytes), reason);
}

/*! Tells quickly that a block cannot match. Says maybe when there is an escape sequence in the block, which may
    stand in the middle of a word, and when the words are not all printable ASCII. */
class QuickLook
{
public:
    explicit QuickLook(const QString &wanted)
    {
        const QString lower = wanted.toLower();
        const bool usable = std::ranges::all_of(lower, [](QChar c) { return c >= u' ' && c < u'\x7f'; });
        if (!usable)
            return;
        // A space on the screen may have been a tab.
        const QStringList words = lower.split(u' ', Qt::SkipEmptyParts);
        for (const QString &word : words) {
            if (word.size() > m_word.size())
                m_word = word.toLatin1();
        }
        m_matcher.setPattern(m_word);
    }
    bool excludes(const QByteArray &block) const
    {
        return !m_word.isEmpty() && !block.isEmpty() && !block.contains('\x1b') &&
               m_matcher.indexIn(block.toLower()) < 0;
    }

private:
    QByteArray m_word;
    QByteArrayMatcher m_matcher;
};

// Where the last match in \a line that starts before column \a before starts; -1 without one.
qsizetype lastBefore(QStringView line, const QString &wanted, qsizetype before)
{
    const qsizetype reach = std::min(line.size(), std::min(before, line.size()) - 1 + wanted.size());
    return reach < wanted.size() ? -1 : line.first(reach).lastIndexOf(wanted, -1, Qt::CaseInsensitive);
}

} // namespace

QString gapText(qint64 bytes, qint64 limit)
{
    return notKept(
        bytes, OutputLog::tr("the limit of %1 for one run is reached").arg(QLocale().formattedDataSize(limit)));
}

QString refusedText(qint64 bytes, const QString &reason)
{
    return notKept(bytes, reason);
}

OutputState OutputMailbox::current()
{
    const std::lock_guard lock(mutex);
    return state;
}

void OutputMailbox::publish(const OutputState &now)
{
    const std::lock_guard lock(mutex);
    state = now;
    if (!log || std::exchange(wakePosted, true))
        return;
    postCall(log, [receiver = log] { receiver->takeState(); });
}

OutputWorker::OutputWorker(std::shared_ptr<OutputMailbox> mailbox, const OutputLogOptions &options)
    : m_mailbox(std::move(mailbox))
    , m_limit(options.limit)
    , m_spool(options.directory.isEmpty() ? OutputLog::defaultDirectory() : options.directory, options.limit)
{}

OutputWorker::~OutputWorker()
{
    takeOver(this); // calls that never ran go with it
}

void OutputWorker::append(const OutputChunk &chunk)
{
    m_spool.append(chunk.stream, chunk.data);
    m_accepted += chunk.data.size();
    publish();
}

void OutputWorker::finish()
{
    m_spool.finish();
    m_finished = true;
    publish();
}

void OutputWorker::publish()
{
    m_mailbox->publish({.rowCount = m_spool.rowCount(),
                        .gapBytes = m_spool.gapBytes(),
                        .refusedBytes = m_spool.refusedBytes(),
                        .acceptedBytes = m_accepted,
                        .errorText = m_spool.errorText(),
                        .finished = m_finished});
}

OutputLog::Line OutputWorker::shown(const SpooledLine &line) const
{
    if (line.kind == SpooledLine::Kind::Text)
        return {line.stream, displayLine(line.data), line.ended, false};
    const QString text = line.kind == SpooledLine::Kind::Refused
                             ? refusedText(line.missingBytes, m_spool.errorText())
                             : gapText(line.missingBytes, m_limit);
    return {line.stream, text, true, true};
}

OutputLog::Page OutputWorker::rows(qint64 first, qsizetype count)
{
    OutputLog::Page page{.first = first,
                         .lines = {},
                         .rowCount = m_spool.rowCount(),
                         .removedRows = m_spool.removedRows(),
                         .gapRow = m_spool.gapRow()};
    const QList<SpooledLine> lines = m_spool.read(first, count);
    page.lines.reserve(lines.size());
    for (const SpooledLine &line : lines)
        page.lines.append(shown(line));
    return page;
}

OutputLog::Page OutputWorker::lastRows(qsizetype count)
{
    return rows(std::max<qint64>(m_spool.rowCount() - count, 0), count);
}

QString OutputWorker::text(const OutputLog::Position &from, const OutputLog::Position &to, qsizetype limit)
{
    constexpr qsizetype step = 256;
    QString result;
    const qint64 last = std::min(to.row, m_spool.rowCount() - 1);
    for (qint64 row = from.row; row <= last && result.size() < limit && !m_mailbox->stop; row += step) {
        const OutputLog::Page page = rows(row, std::min<qint64>(step, last - row + 1));
        for (qsizetype i = 0; i < page.lines.size(); ++i) {
            QString piece = page.lines[i].text;
            if (row + i == to.row)
                piece.truncate(to.column);
            if (row + i == from.row)
                piece.remove(0, from.column);
            result += piece;
            if (row + i < to.row && page.lines[i].ended)
                result += u'\n';
        }
        if (page.lines.size() < step)
            break;
    }
    return result;
}

// Looks in rows from search.from up to \a end, which is not included.
std::optional<OutputLog::Match> OutputWorker::findForward(const OutputLog::Search &search, qint64 end,
                                                          const Stop &stopped)
{
    const QuickLook quick(search.text);
    for (qint64 row = search.from.row; row < end && !stopped();) {
        qint64 first = row;
        qint64 next = row;
        const QByteArray block = m_spool.blockOfRow(row, &first, &next);
        if (quick.excludes(block)) {
            row = next;
            continue;
        }
        const QList<OutputLog::Line> lines = rows(row, std::min(next, end) - row).lines;
        for (qsizetype i = 0; i < lines.size(); ++i) {
            const qsizetype start = row + i == search.from.row ? search.from.column : 0;
            const qsizetype column =
                lines[i].isGap ? -1 : lines[i].text.indexOf(search.text, start, Qt::CaseInsensitive);
            if (column >= 0)
                return OutputLog::Match{{row + i, column}, search.text.size(), false};
        }
        row = next;
    }
    return std::nullopt;
}

// Looks in rows from search.from down to \a end, which is included.
std::optional<OutputLog::Match> OutputWorker::findBackward(const OutputLog::Search &search, qint64 end,
                                                           const Stop &stopped)
{
    const QuickLook quick(search.text);
    for (qint64 row = search.from.row; row >= end && !stopped();) {
        qint64 first = row;
        qint64 next = row;
        const QByteArray block = m_spool.blockOfRow(row, &first, &next);
        first = std::max(first, end);
        if (!quick.excludes(block)) {
            const QList<OutputLog::Line> lines = rows(first, row - first + 1).lines;
            for (qsizetype i = lines.size() - 1; i >= 0; --i) {
                const qsizetype before =
                    first + i == search.from.row ? search.from.column : lines[i].text.size();
                const qsizetype column = lines[i].isGap ? -1 : lastBefore(lines[i].text, search.text, before);
                if (column >= 0)
                    return OutputLog::Match{{first + i, column}, search.text.size(), false};
            }
        }
        row = first - 1;
    }
    return std::nullopt;
}

void OutputWorker::find(const OutputLog::Search &search,
                        const OperationPromise<std::optional<OutputLog::Match>> &promise)
{
    const Stop stopped = [&] {
        return m_mailbox->stop || promise.isCancelRequested();
    };
    const qint64 rowCount = m_spool.rowCount();
    OutputLog::Search rest = search;
    std::optional<OutputLog::Match> match;
    if (!search.text.isEmpty() && rowCount > 0) {
        rest.from.row = std::min(rest.from.row, rowCount - 1);
        match = search.backward ? findBackward(rest, 0, stopped) : findForward(rest, rowCount, stopped);
        if (!match) {
            const qint64 start = rest.from.row;
            rest.from = search.backward ? OutputLog::Position{rowCount - 1, std::numeric_limits<int>::max()}
                                        : OutputLog::Position{0, 0};
            match =
                search.backward ? findBackward(rest, start, stopped) : findForward(rest, start + 1, stopped);
            if (match)
                match->wrapped = true;
        }
    }
    if (stopped())
        promise.cancelled();
    else
        promise.finish(match);
}

void OutputWorker::save(OutputStream stream, const QString &path, const OperationPromise<qint64> &promise)
{
    WholeFile file(path);
    qint64 missing = 0;
    const auto stopped = [&] {
        return m_mailbox->stop || promise.isCancelRequested();
    };
    const auto fail = [&] {
        promise.fail(makeError(ErrorKind::FileSystemError,
                               OutputLog::tr("%1 could not be written: %2").arg(path, file.errorString()),
                               OutputLog::tr("Choose a folder with room where you may write.")));
    };
    if (!file.open()) {
        fail();
        return;
    }
    const bool whole = m_spool.exportBytes(
        stream, [&](QByteArrayView bytes) { return !stopped() && file.write(bytes); },
        [&](qint64 bytes) {
            missing += bytes;
            const QByteArray mark = "\n["_ba + QByteArray::number(bytes) + " bytes are not kept]\n"_ba;
            return file.write(mark);
        });
    if (stopped()) {
        promise.cancelled();
    } else if (!whole && !file.hasFailed()) {
        promise.fail(makeError(ErrorKind::FileSystemError,
                               OutputLog::tr("The stored output could not be read."),
                               OutputLog::tr("Run the cell again.")));
    } else if (!whole || !file.commit()) {
        fail();
    } else {
        promise.finish(missing);
    }
}

} // namespace Sandboxio::Detail
