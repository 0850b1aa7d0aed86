// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "style.h"

#include <QList>
#include <QStringList>

namespace Sandboxio::Cli {

/*! \a milliseconds for people, one unit: "12 ms", "3.4 s", "5 min", "2 h", "4 d". */
QString formatDuration(double milliseconds);
/*! \a bytes for people: "512 B", "1.5 KiB", "3.0 GiB". */
QString formatBytes(double bytes);
/*! The part of \a id that lists show; commands accept it as an id. */
QString shortId(const QString &id);

/*! One cell of a table. */
struct Cell
{
    QString text;
    Tone tone = Tone::Plain;
};

/*! Text in columns, two blanks apart, control characters made visible. */
class Table
{
public:
    explicit Table(const QStringList &header);
    void addRow(const QList<Cell> &cells);
    QString toText(const Style &style) const;

private:
    QList<QList<Cell>> m_rows;
};

} // namespace Sandboxio::Cli
