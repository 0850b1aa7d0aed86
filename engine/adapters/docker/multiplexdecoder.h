// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/transport/transporterror.h>

#include <QByteArrayView>

#include <array>
#include <functional>
#include <optional>

namespace Sandboxio::Docker {

/*! Reads the frames in which Docker carries several streams over one connection: a header of 8 bytes (stream,
    three zero bytes, length as 32 bit big endian) and the data. Pure and incremental; keeps at most a header,
    whatever a length claims. Any thread.

    \code
    MultiplexDecoder decoder;
    auto error = decoder.feed(bytes, [](MultiplexDecoder::Stream stream, QByteArrayView data) { … });
    \endcode */
class MultiplexDecoder
{
public:
    enum class Stream : quint8 {
        StandardInput = 0, //!< never sent, but defined
        StandardOutput = 1,
        StandardError = 2,
        System = 3, //!< a message of the daemon about the stream
    };
    /*! \a data points into what was fed; a frame that was split comes in several pieces, empty frames not at
       all. False ends feed() at once, for receivers that went away. */
    using Receiver = std::function<bool(Stream stream, QByteArrayView data)>;

    /*! Passes what is in \a bytes to \a receiver. Malformed when a header is none; the decoder is then of no
     * more use. */
    std::optional<DecodeError> feed(QByteArrayView bytes, const Receiver &receiver);
    /*! Truncated when the input ended inside a frame. */
    std::optional<DecodeError> end() const;

private:
    static constexpr qsizetype headerSize = 8;

    bool takeHeader(QByteArrayView &bytes);

    std::array<char, headerSize> m_header = {};
    qsizetype m_headerBytes = 0;
    quint32 m_left = 0; //!< bytes of the current frame that are to come
    Stream m_stream = Stream::StandardOutput;
    bool m_failed = false;
};

} // namespace Sandboxio::Docker
