// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <expected>
#include <optional>

#include <QByteArray>
#include <QByteArrayView>

#include <sandboxio/core/export.h>

#include "transporterror.h"

namespace Sandboxio {

/// Splits a byte stream into lines, for newline-delimited JSON. Pure. A line ends in LF or CRLF; the terminator
/// is not part of it; empty lines are delivered.
///
/// @code
/// splitter.feed(bytes);
/// while (true) {
///     auto line = splitter.next();
///     if (!line) return line.error();
///     if (!*line) break;
///     use(**line);
/// }
/// @endcode
class SANDBOXIO_CORE_EXPORT LineSplitter
{
public:
    /// @p maximumLineLength in bytes, without the terminator.
    explicit LineSplitter(qsizetype maximumLineLength = 1024 * 1024);

    void feed(QByteArrayView bytes);
    /// The next whole line, nothing where more bytes are needed. Errors: TooLarge, after every line before the
    /// long one was delivered, and from then on.
    std::expected<std::optional<QByteArray>, DecodeError> next();
    /// What stands behind the last terminator; nothing where that is empty. For the end of the stream.
    std::optional<QByteArray> takeRest();

private:
    qsizetype m_maximumLineLength;
    QByteArray m_buffer;
    qsizetype m_start = 0;
    qsizetype m_searched = 0;
};

} // namespace Sandboxio
