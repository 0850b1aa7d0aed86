// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace Sandboxio::Desktop {

/*! Bytes per line of hexDump(). */
constexpr qsizetype hexLineBytes = 16;

/*! \a data as lines of offset, bytes in hexadecimal and printable characters; the first byte is number \a
    offset. Each line ends with a line feed. A pure function. */
QByteArray hexDump(QByteArrayView data, qint64 offset);

/*! Whether \a data should be shown as text: UTF-8 without NUL bytes. */
bool looksLikeText(QByteArrayView data);

} // namespace Sandboxio::Desktop
