// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
// Tests the contract suite: each deliberately broken adapter must fail in the family of the promise that it breaks, and
// in no other. Prints the table, and writes it where SANDBOXIO_BROKEN_ADAPTERS_REPORT says. Arguments: parts of names,
// to run those adapters only.
#include "brokenadapter.h"

#include "fakesubject.h"

#include <sandboxio/testing/contract.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QSet>

#include <cstdio>

using namespace Sandboxio;
using namespace Sandboxio::Broken;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/*! The fake behind a broken adapter. */
class BrokenSubject final : public Fake::FakeSubject
{
public:
    explicit BrokenSubject(const BrokenAdapter &adapter)
        : FakeSubject([this, wrap = adapter.wrap](const Fake::Factory &inner) -> Fake::Factory {
            return [this, wrap, inner](EngineContext &context, const Target &target) {
                return wrap({&context, script}, inner(context, target));
            };
        })
        , m_name(adapter.name)
    {
        operationLimit = 1500ms; // many of them hang, on purpose
        rounds = 3;
    }
    QString name() const override { return m_name; }

private:
    QString m_name;
};

struct Line
{
    QString name;
    QString expected;
    QString caughtBy; // the rows
    QString problem;
    qint64 milliseconds = 0;
};

QStringList failedRows(const ContractReport &report, const QString &family)
{
    QStringList rows;
    for (const ContractRow &row : report.failures()) {
        if (row.family == family)
            rows.append(row.row);
    }
    return rows;
}

Line judged(const BrokenAdapter &adapter, const ContractReport &report)
{
    Line line{adapter.name, adapter.family, {}, {}, 0};
    if (adapter.family.isEmpty()) {
        line.expected = u"(harmless)"_s;
        line.caughtBy = adapter.prevented;
        if (!report.passed())
            line.problem = u"fails: "_s + report.toText();
        return line;
    }
    line.caughtBy = failedRows(report, adapter.family).join(u"; "_s);
    if (line.caughtBy.isEmpty())
        line.problem = u"NOT CAUGHT in its family"_s;
    for (const QString &family : report.failedFamilies()) {
        if (family != adapter.family)
            line.problem += u" also fails in %1: %2"_s.arg(family, failedRows(report, family).join(u"; "_s));
    }
    return line;
}

QString table(const QList<Line> &lines)
{
    QString text = u"| adapter | family | row that caught it | ms |\n|---|---|---|---|\n"_s;
    for (const Line &line : lines)
        text +=
            u"| %1 | %2 | %3 | %4 |\n"_s
                .arg(line.name, line.expected,
                     line.problem.isEmpty() ? line.caughtBy : u"**"_s + line.problem + u"** "_s + line.caughtBy)
                .arg(line.milliseconds);
    return text;
}

QStringList familiesWithoutTwo(const QList<BrokenAdapter> &adapters)
{
    QStringList few;
    for (const QString &family : contractFamilies()) {
        if (std::ranges::count(adapters, family, &BrokenAdapter::family) < 2)
            few.append(family);
    }
    return few;
}

bool isWanted(const BrokenAdapter &adapter, const QStringList &parts)
{
    return parts.isEmpty() ||
           std::ranges::any_of(parts, [&](const QString &part) { return adapter.name.contains(part); });
}

void print(const QString &text)
{
    std::fputs(text.toUtf8().constData(), stdout);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const QStringList parts = QCoreApplication::arguments().sliced(1);
    const QList<BrokenAdapter> adapters = brokenBackends() + brokenCreates() + brokenRuns() + brokenTimeouts() +
                                          brokenStreams() + brokenCode() + brokenFileSystems() +
                                          brokenPolicies() + brokenReapers() + harmlessAdapters();
    QList<Line> lines;
    for (const BrokenAdapter &adapter : adapters) {
        if (!isWanted(adapter, parts))
            continue;
        QElapsedTimer timer;
        timer.start();
        BrokenSubject subject(adapter);
        const ContractReport report = runContract(subject);
        lines.append(judged(adapter, report));
        lines.last().milliseconds = timer.elapsed();
        if (!parts.isEmpty())
            print(report.toText());
    }
    const QString text = table(lines);
    print(text);
    const QString path = qEnvironmentVariable("SANDBOXIO_BROKEN_ADAPTERS_REPORT");
    QFile file(path);
    const bool written = path.isEmpty() || (file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0);
    const qsizetype problems =
        std::ranges::count_if(lines, [](const Line &line) { return !line.problem.isEmpty(); });
    const QStringList few = familiesWithoutTwo(adapters);
    print(u"%1 adapters, %2 with problems; families with fewer than two adapters: %3\n"_s.arg(lines.size())
              .arg(problems)
              .arg(few.isEmpty() ? u"none"_s : few.join(u", "_s)));
    return problems == 0 && few.isEmpty() && written && !lines.isEmpty() ? 0 : 1;
}
