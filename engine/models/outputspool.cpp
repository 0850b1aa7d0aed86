// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "outputspool.h"

#include <QDateTime>
#include <QDir>
#include <QtEndian>
#include <QUuid>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

// A record: one byte of flags, two bytes of length (little endian), the bytes.
constexpr char errorFlag = 1;
constexpr char endedFlag = 2;
constexpr qsizetype headerSize = 3;
constexpr qsizetype writeSize = 256 * 1024;
constexpr auto fileSuffix = ".spool"_L1;

} // namespace

OutputSpool::OutputSpool(const QString &directory)
    : m_directory(directory)
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
    if (!m_file->open(QIODevice::ReadWrite | QIODevice::NewOnly | QIODevice::Unbuffered, ownerOnly))
        m_errorText = m_file->errorString();
    return m_file->isOpen();
}

bool OutputSpool::append(OutputStream stream, QByteArrayView data, bool ended)
{
    Q_ASSERT(data.size() <= maximumLine);
    if (!m_errorText.isEmpty() || !open())
        return false;
    if (m_lineCount % blockLines == 0)
        m_blocks.append(size());
    const char flags = char((stream == OutputStream::StandardError ? errorFlag : 0) | (ended ? endedFlag : 0));
    char header[headerSize] = {flags};
    qToLittleEndian(quint16(data.size()), header + 1);
    m_pending.append(header, headerSize).append(data);
    ++m_lineCount;
    if (m_cachedNumber == m_blocks.size() - 1)
        m_cachedNumber = -1;
    return m_pending.size() < writeSize || flush();
}

bool OutputSpool::flush()
{
    if (m_pending.isEmpty())
        return true;
    if (!m_file->seek(m_written) || m_file->write(m_pending) != m_pending.size()) {
        m_errorText = m_file->errorString();
        // What did not reach the disk is not there; the index must not point to it.
        while (!m_blocks.isEmpty() && m_blocks.last() >= m_written)
            m_blocks.removeLast();
        m_lineCount = std::min(m_lineCount, m_blocks.size() * blockLines);
        m_pending.clear();
        return false;
    }
    m_written += m_pending.size();
    m_pending.resize(0);
    return true;
}

QByteArray OutputSpool::block(qsizetype number)
{
    if (number == m_cachedNumber)
        return m_cachedBlock;
    if (!flush())
        return {};
    const qint64 start = m_blocks.at(number);
    const qint64 end = number + 1 < m_blocks.size() ? m_blocks.at(number + 1) : m_written;
    if (!m_file->seek(start))
        return {};
    m_cachedBlock = m_file->read(end - start);
    m_cachedNumber = number;
    return m_cachedBlock;
}

QList<SpooledLine> OutputSpool::read(qint64 first, qsizetype count)
{
    QList<SpooledLine> lines;
    const qint64 end = std::min(m_lineCount, first + count);
    for (qint64 line = first; line < end;) {
        const auto number = qsizetype(line / blockLines);
        const QByteArray bytes = block(number);
        qint64 current = qint64(number) * blockLines;
        const qint64 blockEnd = std::min(end, current + blockLines);
        for (qsizetype at = 0; current < blockEnd; ++current) {
            if (at + headerSize > bytes.size())
                return lines;
            const char flags = bytes[at];
            const auto length = qsizetype(qFromLittleEndian<quint16>(bytes.constData() + at + 1));
            if (current >= line) {
                lines.append({flags & errorFlag ? OutputStream::StandardError : OutputStream::StandardOutput,
                              bytes.mid(at + headerSize, length), (flags & endedFlag) != 0});
            }
            at += headerSize + length;
        }
        line = blockEnd;
    }
    return lines;
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
