// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "path.h"

#include <QStringDecoder>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {
constexpr char16_t escapeBase = 0xDC00;

// Length of the valid UTF-8 sequence at the start of \a bytes, 0 when there is none.
qsizetype validSequence(QByteArrayView bytes)
{
    const auto lead = static_cast<unsigned char>(bytes.front());
    const qsizetype length = lead < 0x80         ? 1
                             : (lead >> 5) == 6  ? 2
                             : (lead >> 4) == 14 ? 3
                             : (lead >> 3) == 30 ? 4
                                                 : 0;
    if (length == 0 || length > bytes.size())
        return 0;
    return QByteArrayView(bytes.first(length)).isValidUtf8() ? length : 0;
}
} // namespace

QString decodePath(const QByteArray &path)
{
    if (path.isValidUtf8())
        return QString::fromUtf8(path);
    QString result;
    QByteArrayView rest = path;
    while (!rest.isEmpty()) {
        const qsizetype length = validSequence(rest);
        if (length > 0)
            result += QString::fromUtf8(rest.first(length));
        else
            result += QChar(static_cast<char16_t>(escapeBase + static_cast<unsigned char>(rest.front())));
        rest = rest.sliced(std::max<qsizetype>(length, 1));
    }
    return result;
}

QByteArray encodePath(const QString &path)
{
    QByteArray result;
    qsizetype start = 0;
    for (qsizetype i = 0; i < path.size(); ++i) {
        const char16_t unit = path[i].unicode();
        const bool paired = i > 0 && path[i - 1].isHighSurrogate();
        if (unit < escapeBase + 0x80 || unit > escapeBase + 0xFF || paired)
            continue;
        result += QStringView(path).sliced(start, i - start).toUtf8();
        result += static_cast<char>(unit - escapeBase);
        start = i + 1;
    }
    return result + QStringView(path).sliced(start).toUtf8();
}

QString withoutTrailingSlashes(const QString &path)
{
    qsizetype size = path.size();
    while (size > 1 && path[size - 1] == u'/')
        --size;
    return path.first(size);
}

QString pathName(const QString &path)
{
    const QString name = withoutTrailingSlashes(path);
    return name == u"/" ? name : name.sliced(name.lastIndexOf(u'/') + 1);
}

QString displayPath(const QString &path)
{
    QString result;
    for (qsizetype i = 0; i < path.size(); ++i) {
        const char16_t unit = path[i].unicode();
        const bool lone = path[i].isLowSurrogate() && (i == 0 || !path[i - 1].isHighSurrogate());
        if (lone || unit < 0x20 || unit == 0x7F)
            result += u"\\x%1"_s.arg(unit & 0xFF, 2, 16, '0'_L1);
        else
            result += path[i];
    }
    return result;
}

} // namespace Sandboxio
