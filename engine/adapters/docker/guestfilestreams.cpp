// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestfilestreams.h"

#include "fileerror.h"
#include "guestrequest.h"
#include "texts.h"

#include <cerrno>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr quint32 chunk = Guest::maximumChunk;
constexpr int piecesAhead = 4;
constexpr qint64 bytesAhead = 4 * 1024 * 1024;

template <typename T>
void failWith(const OperationPromise<T> &promise, const GuestFile &file, const QString &what,
              Guest::FileError error)
{
    if (error.connectionLost)
        failAsLost(promise, file.sandbox);
    else
        promise.fail(fileError(error.errorNumber, what, file.path));
}

constexpr Guest::FileError lost{.errorNumber = 0, .connectionLost = true};

} // namespace

GuestFileReader::GuestFileReader(GuestFile file, qint64 size)
    : m_file(std::move(file))
    , m_size(size)
{}

GuestFileReader::~GuestFileReader()
{
    if (m_file.client && m_file.client->isUsable())
        m_file.client->close(m_file.handle);
}

Operation<QByteArray> GuestFileReader::read(qint64 maximum)
{
    m_waiting.emplace();
    m_maximum = maximum;
    const Operation<QByteArray> operation = m_waiting->operation();
    requestAhead();
    serve();
    return operation;
}

void GuestFileReader::requestAhead()
{
    if (!m_file.client)
        m_error = lost;
    while (!m_error && !m_atEnd && m_outstanding + static_cast<int>(m_ready.size()) < piecesAhead) {
        // The known size saves answers that are shorter than asked; one request beyond it finds the end.
        const qint64 left = m_size - static_cast<qint64>(m_nextOffset);
        if (left <= 0 && m_outstanding > 0)
            return;
        const quint32 length = left > 0 ? static_cast<quint32>(std::min<qint64>(left, chunk)) : chunk;
        const quint64 offset = m_nextOffset;
        m_nextOffset += length;
        ++m_outstanding;
        m_file.client->read(m_file.handle, offset, length,
                            [self = weak_from_this(), generation = m_generation, offset,
                             length](const std::expected<QByteArray, Guest::FileError> &reply) {
                                if (const auto reader = self.lock())
                                    reader->receive(generation, offset, length, reply);
                            });
    }
}

void GuestFileReader::receive(quint32 generation, quint64 offset, quint32 length,
                              const std::expected<QByteArray, Guest::FileError> &reply)
{
    if (generation != m_generation)
        return;
    --m_outstanding;
    if (!reply) {
        m_error = reply.error();
    } else if (reply->isEmpty()) {
        m_atEnd = true;
    } else {
        m_ready.push_back(*reply);
    }
    if (m_error || m_atEnd || reply->size() < length) {
        ++m_generation;
        m_outstanding = 0;
        m_nextOffset = offset + static_cast<quint64>(reply ? reply->size() : 0);
    }
    if (m_waiting)
        requestAhead();
    serve();
}

void GuestFileReader::serve()
{
    if (!m_waiting)
        return;
    if (!m_ready.empty()) {
        QByteArray &first = m_ready.front();
        const qint64 size = std::min(m_maximum, first.size() - m_taken);
        const bool isLast = m_taken + size == first.size();
        QByteArray piece = m_taken == 0 && isLast ? std::move(first) : first.sliced(m_taken, size);
        m_taken = isLast ? 0 : m_taken + size;
        if (isLast)
            m_ready.pop_front();
        std::exchange(m_waiting, {})->finish(std::move(piece));
    } else if (m_error) {
        failWith(*std::exchange(m_waiting, {}), m_file, Text::tr("read"), *m_error);
    } else if (m_atEnd) {
        std::exchange(m_waiting, {})->finish({});
    }
}

GuestFileWriter::GuestFileWriter(GuestFile file)
    : m_file(std::move(file))
{}

GuestFileWriter::~GuestFileWriter()
{
    if (!m_closed && m_file.client && m_file.client->isUsable())
        m_file.client->close(m_file.handle);
}

Operation<void> GuestFileWriter::write(const QByteArray &data)
{
    m_writing.emplace();
    const Operation<void> operation = m_writing->operation();
    m_data = data;
    m_position = 0;
    pump();
    return operation;
}

void GuestFileWriter::pump()
{
    if (m_closed && !m_error)
        m_error = Guest::FileError{EBADF, false};
    if (!m_file.client && !m_error)
        m_error = lost;
    while (!m_error && m_position < m_data.size() && m_outstanding < bytesAhead) {
        const qint64 size = std::min<qint64>(m_data.size() - m_position, chunk - Guest::frameHeaderSize);
        m_outstanding += size;
        m_file.client->write(
            m_file.handle, m_offset, QByteArrayView(m_data).sliced(m_position, size),
            [self = weak_from_this(), size](const std::expected<void, Guest::FileError> &reply) {
                if (const auto writer = self.lock())
                    writer->written(size, reply);
            });
        m_position += size;
        m_offset += static_cast<quint64>(size);
    }
    if (m_error)
        endWaiting(m_writing, std::unexpected(*m_error));
    else if (m_position == m_data.size())
        endWaiting(m_writing, {});
}

void GuestFileWriter::written(qint64 bytes, const std::expected<void, Guest::FileError> &reply)
{
    m_outstanding -= bytes;
    if (!reply && !m_error)
        m_error = reply.error();
    if (m_writing)
        pump();
    if (m_committing && m_outstanding == 0)
        commitNow();
}

void GuestFileWriter::endWaiting(std::optional<OperationPromise<void>> &waiting,
                                 const std::expected<void, Guest::FileError> &result)
{
    const std::optional<OperationPromise<void>> promise = std::exchange(waiting, {});
    if (promise && result)
        promise->finish();
    else if (promise)
        failWith(*promise, m_file, Text::tr("write"), result.error());
}

Operation<void> GuestFileWriter::commit()
{
    m_committing.emplace();
    const Operation<void> operation = m_committing->operation();
    if (m_closed && !m_error)
        m_error = Guest::FileError{EBADF, false};
    if (m_outstanding == 0)
        commitNow();
    return operation;
}

// Only when every write was answered: a commit after a failed one would put half a file in place.
void GuestFileWriter::commitNow()
{
    if (!m_file.client && !m_error)
        m_error = lost;
    if (m_error) {
        const Guest::FileError error = *m_error;
        if (!std::exchange(m_closed, true) && m_file.client)
            m_file.client->close(m_file.handle);
        endWaiting(m_committing, std::unexpected(error));
        return;
    }
    m_closed = true;
    m_file.client->commit(m_file.handle, {},
                          [self = shared_from_this()](const std::expected<void, Guest::FileError> &reply) {
                              self->endWaiting(self->m_committing, reply);
                          });
}

Operation<void> GuestFileWriter::abort()
{
    if (std::exchange(m_closed, true) || !m_file.client)
        return finishedOperation();
    const OperationPromise<void> promise;
    const Operation<void> operation = promise.operation();
    // What was lost with the connection is removed by the guest itself.
    m_file.client->close(m_file.handle,
                         [promise](const std::expected<void, Guest::FileError> &) { promise.finish(); });
    return operation;
}

} // namespace Sandboxio::Docker
