// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "format.h"

#include "translation.h"

#include <sandboxio/core/path.h>

#include <array>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

QString formatDuration(double milliseconds)
{
    const double seconds = milliseconds / 1000;
    if (seconds < 1)
        return Text::tr("%1 ms").arg(milliseconds, 0, 'f', milliseconds < 10 ? 1 : 0);
    if (seconds < 60)
        return Text::tr("%1 s").arg(seconds, 0, 'f', seconds < 10 ? 1 : 0);
    const auto whole = qint64(seconds);
    if (whole < 3600)
        return Text::tr("%1 min").arg(whole / 60);
    if (whole < 2 * 86400)
        return Text::tr("%1 h").arg(whole / 3600);
    return Text::tr("%1 d").arg(whole / 86400);
}

QString formatBytes(double bytes)
{
    static constexpr std::array units{"B"_L1, "KiB"_L1, "MiB"_L1, "GiB"_L1, "TiB"_L1};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    return u"%1 %2"_s.arg(bytes, 0, 'f', unit == 0 ? 0 : 1).arg(units.at(unit));
}

QString shortId(const QString &id)
{
    constexpr qsizetype length = 12;
    return id.left(length);
}

Table::Table(const QStringList &header)
{
    QList<Cell> cells;
    for (const QString &title : header)
        cells.append({title, Tone::Strong});
    m_rows.append(cells);
}

void Table::addRow(const QList<Cell> &cells)
{
    QList<Cell> row = cells;
    for (Cell &cell : row)
        cell.text = displayPath(cell.text);
    m_rows.append(row);
}

QString Table::toText(const Style &style) const
{
    QList<qsizetype> widths(m_rows.first().size(), 0);
    for (const QList<Cell> &row : m_rows) {
        for (qsizetype column = 0; column < row.size(); ++column)
            widths[column] = qMax(widths.at(column), row.at(column).text.size());
    }
    QString text;
    for (const QList<Cell> &row : m_rows) {
        for (qsizetype column = 0; column < row.size(); ++column) {
            const Cell &cell = row.at(column);
            text += style.paint(cell.text, cell.tone);
            if (column + 1 < row.size())
                text += QString(widths.at(column) - cell.text.size() + 2, u' ');
        }
        text += u'\n';
    }
    return text;
}

} // namespace Sandboxio::Cli
