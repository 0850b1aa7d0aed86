// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hexdump.h"

namespace Sandboxio::Desktop {

namespace {
constexpr char digits[] = "0123456789abcdef";
constexpr int offsetDigits = 8;
} // namespace

QByteArray hexDump(QByteArrayView data, qint64 offset)
{
    QByteArray text;
    text.reserve(data.size() * 5);
    for (qsizetype start = 0; start < data.size(); start += hexLineBytes) {
        const QByteArrayView line = data.sliced(start, std::min(hexLineBytes, data.size() - start));
        text += QByteArray::number(offset + start, 16).rightJustified(offsetDigits, '0');
        text += "  ";
        for (qsizetype i = 0; i < hexLineBytes; ++i) {
            const auto byte = i < line.size() ? static_cast<unsigned char>(line[i]) : 0;
            text += i < line.size() ? digits[byte >> 4] : ' ';
            text += i < line.size() ? digits[byte & 15] : ' ';
            text += i == hexLineBytes / 2 - 1 ? "  " : " ";
        }
        text += " |";
        for (const char character : line)
            text += character >= 0x20 && character < 0x7F ? character : '.';
        text += "|\n";
    }
    return text;
}

bool looksLikeText(QByteArrayView data)
{
    return !data.contains('\0') && data.isValidUtf8();
}

} // namespace Sandboxio::Desktop
