// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
// Tests the contract suite: each deliberately broken adapter must fail in the family of the promise that it breaks, and
// in no other. Prints the table, and writes it where SANDBOXIO_BROKEN_ADAPTERS_REPORT says. Arguments: parts of names,
// to run those adapters only and to see the whole report of each.
#include "brokenadapter.h"
#include "support/testprogram.h"

#include "fakesubject.h"

#include <sandboxio/testing/contract.h>

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

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
        streamBytes = 32 * 1024 * 1024;
        credentialVariables = adapter.credentials;
        for (const QString &variable : adapter.credentials)
            qputenv(qPrintable(variable), "key");
        noOpenNetwork.clear(); // as far as the probes of policies can see
        script->onProbe([](const NetworkProbe &, NetworkPolicy::Egress egress) {
            using Kind = NetworkProbeResult::Kind;
            return NetworkProbeResult{egress == NetworkPolicy::Egress::Open ? Kind::Reached : Kind::Unreachable,
                                      {}};
        });
    }
    QString name() const override { return m_name; }

private:
    QString m_name;
};

// Most of the time nothing happens but waiting for what hangs, so several processes share the adapters.
constexpr int shares = 16;
constexpr auto limit = 9min; // less than that of the test

struct Line
{
    QString name;
    QString expected;
    QString caughtBy; // the rows
    QString problem;
    qint64 milliseconds = 0;
};

QStringList failedRows(const ContractReport &report, const QString &family, bool withReason = false)
{
    QStringList rows;
    for (const ContractRow &row : report.failures()) {
        if (row.family == family)
            rows.append(withReason ? row.row + u" ("_s + row.reason.simplified() + u')' : row.row);
    }
    return rows;
}

Line judged(const BrokenAdapter &adapter, const ContractReport &report)
{
    Line line{adapter.name, (QStringList{adapter.family} + adapter.also).join(u", "_s), {}, {}, 0};
    if (adapter.family.isEmpty()) {
        line.expected = u"(passes)"_s;
        line.caughtBy = adapter.harmlessBecause;
        if (!report.passed())
            line.problem = u"fails: "_s + report.toText();
        return line;
    }
    line.caughtBy = failedRows(report, adapter.family).join(u"; "_s);
    if (line.caughtBy.isEmpty())
        line.problem = u"NOT CAUGHT in its family"_s;
    for (const QString &family : adapter.also) {
        if (failedRows(report, family).isEmpty())
            line.problem += u" not caught in "_s + family;
    }
    for (const QString &family : report.failedFamilies()) {
        if (family != adapter.family && !adapter.also.contains(family))
            line.problem +=
                u" also fails in %1: %2"_s.arg(family, failedRows(report, family, true).join(u"; "_s));
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

QJsonObject toJson(const Line &line)
{
    return {{u"name"_s, line.name},
            {u"expected"_s, line.expected},
            {u"caughtBy"_s, line.caughtBy},
            {u"problem"_s, line.problem},
            {u"milliseconds"_s, line.milliseconds}};
}

Line fromJson(const QJsonObject &object)
{
    return {object["name"_L1].toString(), object["expected"_L1].toString(), object["caughtBy"_L1].toString(),
            object["problem"_L1].toString(), object["milliseconds"_L1].toInteger()};
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

void print(const QString &text)
{
    std::fputs(text.toUtf8().constData(), stdout);
    std::fflush(stdout);
}

QList<BrokenAdapter> allAdapters()
{
    return brokenBackends() + brokenCreates() + brokenRuns() + brokenTimeouts() + brokenStreams() +
           brokenCode() + brokenContexts() + brokenCredentials() + brokenFileSystems() + brokenPolicies() +
           brokenReapers() + brokenRecords() + brokenStores() + harmlessAdapters() + brokenWatches() +
           brokenBackground();
}

Line tried(const BrokenAdapter &adapter, bool verbose)
{
    QElapsedTimer timer;
    timer.start();
    BrokenSubject subject(adapter);
    const ContractReport report = runContract(subject);
    Line line = judged(adapter, report);
    line.milliseconds = timer.elapsed();
    if (verbose)
        print(report.toText());
    return line;
}

/*! In a process of its own: every \a share-th adapter, each a line of JSON on standard output. */
int runShare(int share)
{
    const QList<BrokenAdapter> adapters = allAdapters();
    for (qsizetype i = share; i < adapters.size(); i += shares) {
        const QByteArray json = QJsonDocument(toJson(tried(adapters[i], false))).toJson(QJsonDocument::Compact);
        print(QString::fromUtf8(json) + u'\n');
    }
    return 0;
}

/*! How \a process ended, at the latest at \a deadline. */
QString endOf(QProcess &process, const QDeadlineTimer &deadline)
{
    if (process.state() != QProcess::NotRunning &&
        !process.waitForFinished(static_cast<int>(deadline.remainingTime()))) {
        process.kill();
        process.waitForFinished(1000);
        return u"the process hung"_s;
    }
    return process.exitStatus() == QProcess::NormalExit ? u"the process ended"_s : u"the process crashed"_s;
}

QList<Line> runAll()
{
    std::vector<std::unique_ptr<QProcess>> processes;
    for (int share = 0; share < shares; ++share) {
        processes.push_back(std::make_unique<QProcess>());
        processes.back()->setProcessChannelMode(QProcess::ForwardedErrorChannel);
        processes.back()->start(QCoreApplication::applicationFilePath(),
                                {u"tst_brokenadapters"_s, u"--share"_s, QString::number(share)});
    }
    const QString notTried = u"not tried: the process ended at an adapter before it"_s;
    const QDeadlineTimer deadline(limit);
    QMap<QString, Line> found;
    QStringList ends;
    for (const auto &process : processes) {
        ends.append(endOf(*process, deadline));
        for (const QByteArray &json : process->readAllStandardOutput().split('\n')) {
            const Line line = fromJson(QJsonDocument::fromJson(json).object());
            found.insert(line.name, line);
        }
    }
    const QList<BrokenAdapter> adapters = allAdapters();
    QList<Line> lines;
    for (qsizetype i = 0; i < adapters.size(); ++i) {
        QString &end = ends[i % shares];
        const BrokenAdapter &adapter = adapters[i];
        if (found.contains(adapter.name))
            lines.append(found.value(adapter.name));
        else // the first that is missing is the one that ended the process
            lines.append({adapter.name, adapter.family, {}, std::exchange(end, notTried), 0});
    }
    return lines;
}

QList<Line> runSome(const QStringList &parts)
{
    QList<Line> lines;
    for (const BrokenAdapter &adapter : allAdapters()) {
        if (std::ranges::any_of(parts, [&](const QString &part) { return adapter.name.contains(part); }))
            lines.append(tried(adapter, true));
    }
    return lines;
}

} // namespace

static int runBrokenAdapters(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments().sliced(1);
    if (arguments.size() == 2 && arguments.first() == "--share"_L1)
        return runShare(arguments.last().toInt());
    const QList<Line> lines = arguments.isEmpty() ? runAll() : runSome(arguments);
    const QString text = table(lines);
    print(text);
    const QString path = qEnvironmentVariable("SANDBOXIO_BROKEN_ADAPTERS_REPORT");
    QFile file(path);
    const bool written = path.isEmpty() || (file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0);
    QList<Line> problems;
    std::ranges::copy_if(lines, std::back_inserter(problems),
                         [](const Line &line) { return !line.problem.isEmpty(); });
    const QStringList few = familiesWithoutTwo(allAdapters());
    print(u"%1 adapters, %2 with problems; families with fewer than two adapters: %3\n"_s.arg(lines.size())
              .arg(problems.size())
              .arg(few.isEmpty() ? u"none"_s : few.join(u", "_s)));
    if (!problems.isEmpty()) // once more at the end, where a log that was cut still shows them
        print(table(problems));
    return problems.isEmpty() && few.isEmpty() && written && !lines.isEmpty() ? 0 : 1;
}

SANDBOXIO_TEST_FUNCTION(runBrokenAdapters)
