// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "multiplexdecoder.h"

#include <QtEndian>

#include <algorithm>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {
DecodeError malformed()
{
    return {DecodeError::Kind::Malformed, u"not a frame header of a multiplexed stream"_s};
}
} // namespace

std::optional<DecodeError> MultiplexDecoder::feed(QByteArrayView bytes, const Receiver &receiver)
{
    while (!bytes.isEmpty() && !m_failed) {
        if (m_left == 0) {
            if (!takeHeader(bytes))
                break;
            continue;
        }
        const qsizetype size = std::min<qsizetype>(bytes.size(), m_left);
        const QByteArrayView piece = bytes.first(size);
        bytes = bytes.sliced(size);
        m_left -= static_cast<quint32>(size);
        if (!receiver(m_stream, piece))
            return {};
    }
    return m_failed ? std::optional(malformed()) : std::nullopt;
}

std::optional<DecodeError> MultiplexDecoder::end() const
{
    if (m_failed)
        return malformed();
    if (m_headerBytes > 0 || m_left > 0)
        return DecodeError{DecodeError::Kind::Truncated, u"the stream ended inside a frame"_s};
    return {};
}

// Whether a whole header was there.
bool MultiplexDecoder::takeHeader(QByteArrayView &bytes)
{
    const qsizetype size = std::min(bytes.size(), headerSize - m_headerBytes);
    std::copy_n(bytes.data(), size, m_header.data() + m_headerBytes);
    bytes = bytes.sliced(size);
    m_headerBytes += size;
    if (m_header[0] > 3 || m_header[0] < 0 || m_header[1] != 0 || m_header[2] != 0 || m_header[3] != 0) {
        m_failed = true;
        return false;
    }
    if (m_headerBytes < headerSize)
        return false;
    m_headerBytes = 0;
    m_stream = static_cast<Stream>(m_header[0]);
    m_left = qFromBigEndian<quint32>(m_header.data() + 4);
    return true;
}

} // namespace Sandboxio::Docker
