// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractreport.h"

#include "contractreport_p.h"

#include <sandboxio/runtime/wholefile.h>

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

QString verdictText(ContractRow::Verdict verdict)
{
    switch (verdict) {
    case ContractRow::Verdict::Passed:
        return u"pass"_s;
    case ContractRow::Verdict::Skipped:
        return u"skip"_s;
    case ContractRow::Verdict::Failed:
        break;
    }
    return u"FAIL"_s;
}

QStringList familiesOf(const QList<ContractRow> &rows)
{
    QStringList names;
    for (const ContractRow &row : rows) {
        if (!names.contains(row.family))
            names.append(row.family);
    }
    return names;
}

QString cell(QString text)
{
    return text.replace(u'|', u"\\|"_s).replace(u'\n', u' ');
}

bool writeFile(const QString &path, const QByteArray &content, QString *problem)
{
    WholeFile file(path);
    const bool written = file.open() && file.write(content) && file.commit();
    if (!written)
        *problem = u"%1: %2"_s.arg(path, file.errorString());
    return written;
}

} // namespace

bool ContractReport::passed() const
{
    return count(ContractRow::Verdict::Failed) == 0 && count(ContractRow::Verdict::Passed) > 0;
}

qsizetype ContractReport::count(ContractRow::Verdict verdict) const
{
    return std::ranges::count(rows, verdict, &ContractRow::verdict);
}

QList<ContractRow> ContractReport::failures() const
{
    QList<ContractRow> failed = rows;
    failed.removeIf([](const ContractRow &row) { return row.verdict != ContractRow::Verdict::Failed; });
    return failed;
}

QStringList ContractReport::failedFamilies() const
{
    return familiesOf(failures());
}

bool isGood(const ContractReport &report, bool isWhole)
{
    if (!report.failures().isEmpty())
        return false;
    return report.passed() || report.isUnavailable || !isWhole;
}

QString familyText(const QList<ContractRow> &rows)
{
    const ContractReport part{rows.first().family, rows};
    double milliseconds = 0;
    for (const ContractRow &row : rows)
        milliseconds += row.milliseconds;
    return u"%1 %2 passed, %3 skipped, %4 failed  %5 s\n"_s.arg(part.subject, -13)
        .arg(part.count(ContractRow::Verdict::Passed), 3)
        .arg(part.count(ContractRow::Verdict::Skipped), 3)
        .arg(part.count(ContractRow::Verdict::Failed), 3)
        .arg(milliseconds / 1000, 6, 'f', 2);
}

QString ContractReport::toText() const
{
    QString text;
    for (const QString &family : familiesOf(rows)) {
        QList<ContractRow> part = rows;
        part.removeIf([&](const ContractRow &row) { return row.family != family; });
        text += familyText(part);
    }
    return text + problemsText();
}

QString ContractReport::problemsText() const
{
    QString text;
    for (const ContractRow &row : rows) {
        if (row.verdict != ContractRow::Verdict::Passed)
            text += u"%1 %2: %3\n     %4\n"_s.arg(verdictText(row.verdict), row.family, row.row, row.reason);
    }
    return text + u"%1: %2 passed, %3 skipped, %4 failed\n"_s.arg(subject)
                      .arg(count(ContractRow::Verdict::Passed))
                      .arg(count(ContractRow::Verdict::Skipped))
                      .arg(count(ContractRow::Verdict::Failed));
}

QString ContractReport::toMarkdown() const
{
    QString text = u"# Contract of %1\n\n%2 passed, %3 skipped, %4 failed.\n\n"_s.arg(subject)
                       .arg(count(ContractRow::Verdict::Passed))
                       .arg(count(ContractRow::Verdict::Skipped))
                       .arg(count(ContractRow::Verdict::Failed));
    text += u"| family | row | verdict | why |\n|---|---|---|---|\n"_s;
    for (const ContractRow &row : rows)
        text += u"| %1 | %2 | %3 | %4 |\n"_s.arg(row.family, cell(row.row), verdictText(row.verdict),
                                                 cell(row.reason));
    return text;
}

QJsonObject ContractReport::toJson() const
{
    QJsonArray list;
    for (const ContractRow &row : rows)
        list.append(QJsonObject{{u"family"_s, row.family},
                                {u"function"_s, row.function},
                                {u"row"_s, row.row},
                                {u"verdict"_s, verdictText(row.verdict).toLower()},
                                {u"reason"_s, row.reason},
                                {u"milliseconds"_s, row.milliseconds}});
    return {{u"subject"_s, subject},
            {u"passed"_s, count(ContractRow::Verdict::Passed)},
            {u"skipped"_s, count(ContractRow::Verdict::Skipped)},
            {u"failed"_s, count(ContractRow::Verdict::Failed)},
            {u"rows"_s, list}};
}

bool ContractReport::write(const QString &path, QString *problem) const
{
    const QByteArray json = QJsonDocument(toJson()).toJson();
    const QByteArray markdown = toMarkdown().toUtf8();
    if (QFileInfo(path).isDir()) {
        const QString base = QDir(path).filePath(subject);
        return writeFile(base + u".json"_s, json, problem) && writeFile(base + u".md"_s, markdown, problem);
    }
    return writeFile(path, path.endsWith(".json"_L1) ? json : markdown, problem);
}

} // namespace Sandboxio
