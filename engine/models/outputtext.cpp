// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "outputtext.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

constexpr char16_t escape = 0x1B;
constexpr char16_t bell = 0x07;
constexpr qsizetype tabWidth = 8;

// Position after the escape sequence that starts at \a start (ECMA-48: CSI, string sequences, two-character
// ones).
qsizetype afterEscape(QStringView text, qsizetype start)
{
    qsizetype at = start + 1;
    if (at >= text.size())
        return at;
    const char16_t kind = text[at++].unicode();
    if (kind == u'[') {
        while (at < text.size() && text[at].unicode() >= 0x20 && text[at].unicode() < 0x40)
            ++at;
        return std::min(at + 1, text.size());
    }
    if (kind == u']' || kind == u'P' || kind == u'X' || kind == u'^' || kind == u'_') {
        while (at < text.size() && text[at].unicode() != bell && text[at].unicode() != escape)
            ++at;
        if (at < text.size() && text[at].unicode() == escape)
            ++at;
        return std::min(at + 1, text.size());
    }
    while (kind >= 0x20 && kind < 0x30 && at < text.size() && text[at].unicode() < 0x30)
        ++at;
    return kind >= 0x20 && kind < 0x30 ? std::min(at + 1, text.size()) : at;
}

QByteArrayView lastOverwrite(QByteArrayView line)
{
    while (line.endsWith('\r'))
        line.chop(1);
    const qsizetype position = line.lastIndexOf('\r');
    return position < 0 ? line : line.sliced(position + 1);
}

} // namespace

QString displayLine(const QByteArray &line)
{
    const QString text = QString::fromUtf8(lastOverwrite(line));
    QString result;
    result.reserve(text.size());
    for (qsizetype at = 0; at < text.size();) {
        const char16_t unit = text[at].unicode();
        if (unit == escape) {
            at = afterEscape(text, at);
            continue;
        }
        if (unit == u'\t')
            result += QString(tabWidth - result.size() % tabWidth, u' ');
        else if (unit < 0x20)
            result += QChar(char16_t(0x2400 + unit));
        else if (unit == 0x7F)
            result += QChar(char16_t(0x2421));
        else
            result += text[at];
        ++at;
    }
    return result;
}

qsizetype foldLength(QByteArrayView data, qsizetype limit)
{
    if (data.size() <= limit)
        return data.size();
    const auto continues = [&](qsizetype at) {
        return (static_cast<unsigned char>(data[at]) & 0xC0) == 0x80;
    };
    qsizetype length = limit;
    while (length > limit - 3 && length > 0 && continues(length))
        --length;
    return length > 0 && !continues(length) ? length : limit;
}

} // namespace Sandboxio
