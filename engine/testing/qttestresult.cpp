// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "qttestresult_p.h"

#include <QFile>
#include <QFileInfo>
#include <QXmlStreamReader>

#include <algorithm>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

bool isFixture(const QString &function)
{
    return function == "initTestCase"_L1 || function == "cleanupTestCase"_L1;
}

ContractRow::Verdict verdictOf(QStringView type)
{
    if (type == u"pass")
        return ContractRow::Verdict::Passed;
    return type == u"skip" ? ContractRow::Verdict::Skipped : ContractRow::Verdict::Failed;
}

// A row that failed twice, in its body and in its clean-up, is one row that failed.
void add(QList<ContractRow> &rows, const ContractRow &row)
{
    const auto same = std::ranges::find_if(
        rows, [&](const ContractRow &other) { return other.function == row.function && other.row == row.row; });
    if (same == rows.end())
        rows.append(row);
    else if (row.verdict > same->verdict)
        *same = row;
}

void readIncident(QXmlStreamReader &reader, QList<ContractRow> &rows, ContractRow row)
{
    row.verdict = verdictOf(reader.attributes().value("type"_L1));
    const QString place = u"%1:%2"_s.arg(QFileInfo(reader.attributes().value("file"_L1).toString()).fileName(),
                                         reader.attributes().value("line"_L1));
    while (reader.readNextStartElement()) {
        const QStringView name = reader.name();
        if (name == u"DataTag")
            row.row += u": "_s + reader.readElementText();
        else if (name == u"Description")
            row.reason = reader.readElementText();
        else
            reader.skipCurrentElement();
    }
    if (row.verdict == ContractRow::Verdict::Failed)
        row.reason += u" ("_s + place + u')';
    if (!isFixture(row.function) || row.verdict != ContractRow::Verdict::Passed)
        add(rows, row);
}

void readFunction(QXmlStreamReader &reader, QList<ContractRow> &rows, const QString &family)
{
    ContractRow row;
    row.family = family;
    row.function = reader.attributes().value("name"_L1).toString();
    row.row = sentenceOf(row.function);
    const qsizetype first = rows.size();
    while (reader.readNextStartElement()) {
        if (reader.name() == u"Incident") {
            readIncident(reader, rows, row);
            continue;
        }
        if (reader.name() == u"Duration" && rows.size() > first)
            rows[first].milliseconds = reader.attributes().value("msecs"_L1).toDouble();
        reader.skipCurrentElement();
    }
}

} // namespace

QString sentenceOf(const QString &function)
{
    QString sentence;
    for (qsizetype i = 0; i < function.size(); ++i) {
        const QChar letter = function[i];
        if (letter.isUpper() && i > 0)
            sentence += u' ';
        sentence += letter.toLower();
    }
    return sentence;
}

QList<ContractRow> parseQtTestResult(const QByteArray &xml, const QString &family)
{
    QList<ContractRow> rows;
    QXmlStreamReader reader(xml);
    if (reader.readNextStartElement()) {
        while (reader.readNextStartElement()) {
            if (reader.name() == u"TestFunction")
                readFunction(reader, rows, family);
            else
                reader.skipCurrentElement();
        }
    }
    if (reader.hasError() || rows.isEmpty())
        rows.append({family,
                     {},
                     u"the result can be read"_s,
                     ContractRow::Verdict::Failed,
                     reader.hasError() ? reader.errorString() : u"there is no row in it"_s,
                     0});
    return rows;
}

QList<ContractRow> readQtTestResult(const QString &path, const QString &family)
{
    QFile file(path);
    return parseQtTestResult(file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray(), family);
}

} // namespace Sandboxio
