// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "outputspool.h"

#include "outputtext.h"

#include <QDateTime>
#include <QDir>
#include <QtEndian>
#include <QTimeZone>
#include <QUuid>

#include <algorithm>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

// The file is an array of slots of one size, each with one block. A block is a sequence of runs: one byte of
// stream, four bytes of length (little endian), the bytes. A block ends with a row, never inside one.
constexpr qsizetype runHeader = 5;
constexpr qsizetype largestBlock = 128 * 1024;
constexpr qsizetype smallestBlock = 4 * 1024;
constexpr qint64 blocksAtLeast = 8;
constexpr auto fileSuffix = ".spool"_L1;

size_t indexOf(OutputStream stream)
{
    return stream == OutputStream::StandardError ? 1 : 0;
}

// The row at the start of \a bytes, which are the rest of a run.
QByteArrayView rowOf(QByteArrayView bytes, bool *ended)
{
    const QByteArrayView window = bytes.first(std::min(bytes.size(), OutputSpool::maximumLine + 1));
    const qsizetype feed = window.indexOf('\n');
    *ended = feed >= 0;
    return *ended ? bytes.first(feed) : bytes.first(foldLength(bytes, OutputSpool::maximumLine));
}

// Calls \a visit(stream, bytes) for each run of \a block until it returns false.
template <typename Visit>
bool visitRuns(QByteArrayView block, Visit visit)
{
    for (qsizetype at = 0; at + runHeader <= block.size();) {
        const auto stream = block[at] ? OutputStream::StandardError : OutputStream::StandardOutput;
        const auto length = qsizetype(qFromLittleEndian<quint32>(block.data() + at + 1));
        at += runHeader;
        if (length > block.size() - at || !visit(stream, block.sliced(at, length)))
            return false;
        at += length;
    }
    return true;
}

} // namespace

OutputSpool::OutputSpool(const QString &directory, qint64 limit)
    : m_directory(directory)
    , m_blockSize(std::clamp<qint64>(limit / blocksAtLeast, smallestBlock, largestBlock))
    , m_slots(std::max(limit / m_blockSize, blocksAtLeast) / 2)
{}

OutputSpool::~OutputSpool()
{
    if (m_file)
        m_file->remove();
}

QString OutputSpool::filePath() const
{
    return m_file ? m_file->fileName() : QString();
}

bool OutputSpool::open()
{
    if (m_file)
        return m_file->isOpen();
    constexpr auto ownerOnly = QFileDevice::ReadOwner | QFileDevice::WriteOwner;
    const QDir directory(m_directory);
    if (!directory.exists() && directory.mkpath(u"."_s))
        QFile::setPermissions(m_directory, ownerOnly | QFileDevice::ExeOwner);
    m_file =
        std::make_unique<QFile>(directory.filePath(QUuid::createUuid().toString(QUuid::Id128) + fileSuffix));
    return m_file->open(QIODevice::ReadWrite | QIODevice::NewOnly | QIODevice::Unbuffered, ownerOnly);
}

// A disk that is nearly full takes a part and gives no reason; asked again for the rest it does.
bool OutputSpool::write(QByteArrayView bytes)
{
    while (!bytes.isEmpty()) {
        const qint64 written = m_file->write(bytes.data(), bytes.size());
        if (written <= 0)
            return false;
        bytes = bytes.sliced(written);
    }
    return true;
}

void OutputSpool::append(OutputStream stream, QByteArrayView data)
{
    QByteArray &partial = m_partial[indexOf(stream)];
    while (!data.isEmpty() && m_errorText.isEmpty()) {
        if (!partial.isEmpty()) {
            const qsizetype room = std::min(data.size(), maximumLine + 1 - partial.size());
            const qsizetype feed = data.first(room).indexOf('\n');
            const qsizetype taken = feed >= 0 ? feed + 1 : room;
            partial += data.first(taken);
            data = data.sliced(taken);
            if (feed >= 0) {
                store(stream, std::exchange(partial, {}), 1);
            } else if (partial.size() > maximumLine) {
                const qsizetype length = foldLength(partial, maximumLine);
                store(stream, QByteArrayView(partial).first(length), 1);
                partial.remove(0, length);
            }
            continue;
        }
        // Everything up to the last line feed in reach is rows that fit: counting them is all there is to do.
        const QByteArrayView window = data.first(std::min(data.size(), maximumLine + 1));
        const qsizetype last = window.lastIndexOf('\n');
        if (last >= 0) {
            store(stream, window.first(last + 1),
                  qint32(std::count(window.begin(), window.begin() + last + 1, '\n')));
            data = data.sliced(last + 1);
        } else if (data.size() > maximumLine) {
            const qsizetype length = foldLength(data, maximumLine);
            store(stream, data.first(length), 1);
            data = data.sliced(length);
        } else {
            partial = data.toByteArray();
            data = {};
        }
    }
    m_refused[indexOf(stream)] += data.size();
}

void OutputSpool::finish()
{
    for (const OutputStream stream : {OutputStream::StandardOutput, OutputStream::StandardError}) {
        const QByteArray last = std::exchange(m_partial[indexOf(stream)], {});
        if (!last.isEmpty())
            store(stream, last, 1);
    }
}

void OutputSpool::store(OutputStream stream, QByteArrayView bytes, qint32 lines)
{
    if (m_openBytes.size() + runHeader + bytes.size() > m_blockSize)
        closeBlock();
    if (!m_errorText.isEmpty()) {
        m_refused[indexOf(stream)] += bytes.size();
        return;
    }
    const char flag = stream == OutputStream::StandardError ? 1 : 0;
    if (m_runStart < 0 || m_openBytes[m_runStart] != flag) {
        m_openBytes.reserve(m_blockSize);
        m_runStart = m_openBytes.size();
        m_openBytes.append(runHeader, '\0');
        m_openBytes[m_runStart] = flag;
    }
    m_openBytes.append(bytes);
    qToLittleEndian(quint32(m_openBytes.size() - m_runStart - runHeader), m_openBytes.data() + m_runStart + 1);
    m_open.lines += lines;
    m_open.streamBytes[indexOf(stream)] += qint32(bytes.size());
}

// The slot for the next block. Beyond the limit the oldest block of the tail makes room.
qint64 OutputSpool::takeSlot()
{
    const auto head = qint64(m_head.size());
    if (head < m_slots)
        return head;
    if (qint64(m_tail.size()) < m_slots)
        return m_slots + qint64(m_tail.size());
    const Block oldest = m_tail.front();
    m_tail.pop_front();
    m_gap.lines += oldest.lines;
    for (size_t i = 0; i < m_gap.streamBytes.size(); ++i)
        m_gap.streamBytes[i] += oldest.streamBytes[i];
    return oldest.slot;
}

void OutputSpool::closeBlock()
{
    if (m_openBytes.isEmpty() || !m_errorText.isEmpty())
        return;
    if (!open()) {
        m_errorText = m_file->errorString();
        return;
    }
    m_open.slot = takeSlot();
    m_open.size = qint32(m_openBytes.size());
    if (m_cachedSlot == m_open.slot)
        m_cachedSlot = -1;
    if (!m_file->seek(m_open.slot * m_blockSize) || !write(m_openBytes)) {
        m_errorText = m_file->errorString(); // the block stays in memory and can still be read
        return;
    }
    (m_open.slot < m_slots ? m_head : m_tail).push_back(m_open);
    m_open = Block{.firstLine = m_open.firstLine + m_open.lines};
    m_openBytes.resize(0);
    m_runStart = -1;
}

qint64 OutputSpool::rowCount() const
{
    return storedLines() + (m_gap.lines > 0 ? 1 : 0) +
           std::ranges::count_if(m_partial, [](const QByteArray &line) { return !line.isEmpty(); }) +
           (refusedBytes() > 0 ? 1 : 0);
}

const OutputSpool::Block *OutputSpool::blockOfLine(qint64 line) const
{
    if (line >= m_open.firstLine)
        return &m_open;
    const std::deque<Block> &blocks = line < headLines() ? m_head : m_tail;
    const auto after = std::ranges::upper_bound(blocks, line, {}, &Block::firstLine);
    return after == blocks.begin() ? nullptr : &*std::prev(after);
}

QByteArray OutputSpool::bytesOf(const Block &block)
{
    if (&block == &m_open)
        return m_openBytes;
    if (block.slot == m_cachedSlot)
        return m_cachedBlock;
    if (!m_file->seek(block.slot * m_blockSize))
        return {};
    m_cachedBlock = m_file->read(block.size);
    m_cachedSlot = block.slot;
    return m_cachedBlock;
}

QList<SpooledLine> OutputSpool::read(qint64 first, qsizetype count)
{
    QList<SpooledLine> rows;
    const qint64 end = std::min(rowCount(), first + count);
    const qint64 stored = storedLines() + (m_gap.lines > 0 ? 1 : 0);
    for (qint64 row = std::max<qint64>(first, 0); row < end && row < stored;) {
        if (row == gapRow()) {
            rows.append({.kind = SpooledLine::Kind::Gap, .data = {}, .missingBytes = m_gap.bytes()});
            ++row;
            continue;
        }
        const qint64 line = m_gap.lines > 0 && row > headLines() ? row - 1 + m_gap.lines : row;
        const Block *block = blockOfLine(line);
        if (!block)
            return rows;
        qint64 current = block->firstLine;
        const qint64 last = std::min(block->firstLine + block->lines, line + end - row);
        const bool whole = visitRuns(bytesOf(*block), [&](OutputStream stream, QByteArrayView bytes) {
            for (bool ended = false; !bytes.isEmpty() && current < last; ++current) {
                const QByteArrayView text = rowOf(bytes, &ended);
                bytes = bytes.sliced(text.size() + (ended ? 1 : 0));
                if (current >= line)
                    rows.append({.stream = stream, .data = text.toByteArray(), .ended = ended});
            }
            return true;
        });
        if (!whole || current < last)
            return rows; // the file was damaged by somebody else
        row += last - line;
    }
    auto addLate = [&, row = stored](const SpooledLine &line) mutable {
        if (row >= first && row < end)
            rows.append(line);
        ++row;
    };
    for (const OutputStream stream : {OutputStream::StandardOutput, OutputStream::StandardError}) {
        if (const QByteArray &line = m_partial[indexOf(stream)]; !line.isEmpty())
            addLate({.stream = stream, .data = line, .ended = false});
    }
    if (refusedBytes() > 0)
        addLate({.kind = SpooledLine::Kind::Refused, .data = {}, .missingBytes = refusedBytes()});
    return rows;
}

QByteArray OutputSpool::blockOfRow(qint64 row, qint64 *firstRow, qint64 *nextRow)
{
    const bool gap = m_gap.lines > 0;
    *firstRow = row;
    *nextRow = row + 1;
    if (row == gapRow() || row >= storedLines() + (gap ? 1 : 0))
        return {};
    const qint64 shift = gap && row > headLines() ? m_gap.lines - 1 : 0;
    const Block *block = blockOfLine(row + shift);
    if (!block)
        return {};
    *firstRow = block->firstLine - shift;
    *nextRow = *firstRow + block->lines;
    return bytesOf(*block);
}

bool OutputSpool::exportBlock(const Block &block, OutputStream stream,
                              const std::function<bool(QByteArrayView)> &sink)
{
    const QByteArray bytes = bytesOf(block);
    return bytes.size() == (&block == &m_open ? m_openBytes.size() : block.size) &&
           visitRuns(bytes,
                     [&](OutputStream from, QByteArrayView piece) { return from != stream || sink(piece); });
}

bool OutputSpool::exportBytes(OutputStream stream, const std::function<bool(QByteArrayView)> &sink,
                              const std::function<bool(qint64)> &gap)
{
    const auto each = [&](const std::deque<Block> &blocks) {
        return std::ranges::all_of(blocks,
                                   [&](const Block &block) { return exportBlock(block, stream, sink); });
    };
    const size_t index = indexOf(stream);
    const QByteArray &partial = m_partial[index];
    return each(m_head) && (m_gap.streamBytes[index] == 0 || gap(m_gap.streamBytes[index])) && each(m_tail) &&
           exportBlock(m_open, stream, sink) && (partial.isEmpty() || sink(partial)) &&
           (m_refused[index] == 0 || gap(m_refused[index]));
}

void OutputSpool::removeStale(const QString &directory, int days)
{
    const QDateTime limit = QDateTime::currentDateTimeUtc().addDays(-days);
    const QFileInfoList files = QDir(directory).entryInfoList({u'*' + fileSuffix}, QDir::Files);
    for (const QFileInfo &file : files) {
        if (file.lastModified(QTimeZone::UTC) < limit)
            QFile::remove(file.filePath());
    }
}

} // namespace Sandboxio
