// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/policychecks.h>

#include <QTest>

#include <functional>
#include <limits>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestPolicyChecks : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void createOptions_data()
    {
        QTest::addColumn<CreateOptions>("options");
        QTest::addColumn<bool>("accepted");
        const auto row = [](const char *name, bool accepted,
                            const std::function<void(CreateOptions &)> &change) {
            CreateOptions options;
            change(options);
            QTest::newRow(name) << options << accepted;
        };
        row("the defaults are accepted", true, [](CreateOptions &) {});
        row("a lifetime of zero is refused", false, [](CreateOptions &o) { o.timeout = 0ms; });
        row("a negative lifetime is refused", false, [](CreateOptions &o) { o.timeout = -1s; });
        row("a lifetime of ten years is accepted", true,
            [](CreateOptions &o) { o.timeout = std::chrono::days(3650); });
        row("a lifetime without end is refused", false,
            [](CreateOptions &o) { o.timeout = std::chrono::milliseconds::max(); });
        row("a create limit of zero is refused", false, [](CreateOptions &o) { o.createLimit = 0ms; });
        row("half a core is accepted", true, [](CreateOptions &o) { o.resources.cpu = 0.5; });
        row("no core is refused", false, [](CreateOptions &o) { o.resources.cpu = 0; });
        row("a cpu cap that is no number is refused", false,
            [](CreateOptions &o) { o.resources.cpu = std::numeric_limits<double>::quiet_NaN(); });
        row("no memory is refused", false, [](CreateOptions &o) { o.resources.memoryMb = 0; });
        row("negative memory is refused", false, [](CreateOptions &o) { o.resources.memoryMb = -1; });
        row("no disk is refused", false, [](CreateOptions &o) { o.resources.diskMb = 0; });
        row("no processes are refused", false, [](CreateOptions &o) { o.resources.processes = 0; });
        row("waiving a cap does not make a wrong one right", false, [](CreateOptions &o) {
            o.resources.diskMb = -5;
            o.resources.waive(Resources::Cap::Disk);
        });
        row("an allow list with Deny is refused", false,
            [](CreateOptions &o) { o.network.allow = {u"a.org"_s}; });
        row("an allow list with Open is refused", false, [](CreateOptions &o) {
            o.network = NetworkPolicy::open();
            o.network.allow = {u"a.org"_s};
        });
        row("an empty allow list is refused", false,
            [](CreateOptions &o) { o.network = NetworkPolicy::allowList({}); });
        row("an allow list is accepted", true,
            [](CreateOptions &o) { o.network = NetworkPolicy::allowList({u"a.org:443"_s, u"10.0.0.0/8"_s}); });
        row("learning with an empty list is accepted", true,
            [](CreateOptions &o) { o.network.egress = NetworkPolicy::Egress::Learn; });
        row("an entry that is no host is refused", false,
            [](CreateOptions &o) { o.network = NetworkPolicy::allowList({u"https://a.org/"_s}); });
        row("a secret of four bytes is accepted", true,
            [](CreateOptions &o) { o.secrets = {{u"KEY"_s, Secret("abcd"_ba)}}; });
        row("a secret of three bytes is refused", false,
            [](CreateOptions &o) { o.secrets = {{u"KEY"_s, Secret("abc"_ba)}}; });
        row("a variable with an equals sign is refused", false,
            [](CreateOptions &o) { o.env = {{u"A=B"_s, {}}}; });
        row("a variable without a name is refused", false,
            [](CreateOptions &o) { o.env = {{QString(), u"x"_s}}; });
        row("a value with a NUL byte is refused", false,
            [](CreateOptions &o) { o.env = {{u"A"_s, QString(QChar(0))}}; });
        row("an empty value is accepted", true, [](CreateOptions &o) { o.env = {{u"A"_s, QString()}}; });
        row("metadata is accepted", true,
            [](CreateOptions &o) { o.metadata = {{u"tenant_id"_s, u"any text"_s}}; });
        row("a metadata key with a blank is refused", false,
            [](CreateOptions &o) { o.metadata = {{u"a b"_s, {}}}; });
        row("an empty metadata key is refused", false,
            [](CreateOptions &o) { o.metadata = {{QString(), {}}}; });
        row("a metadata key of 63 characters is accepted", true,
            [](CreateOptions &o) { o.metadata = {{QString(63, u'k'), {}}}; });
        row("a metadata key of 64 characters is refused", false,
            [](CreateOptions &o) { o.metadata = {{QString(64, u'k'), {}}}; });
        row("a metadata key that ends in a newline is refused", false,
            [](CreateOptions &o) { o.metadata = {{u"key\n"_s, {}}}; });
    }
    void createOptions()
    {
        QFETCH(CreateOptions, options);
        QFETCH(bool, accepted);
        check(checkCreateOptions(options), accepted);
    }
    void aRefusedSecretIsNamedAndNotShown()
    {
        CreateOptions options;
        options.secrets = {{u"KEY"_s, Secret("q7Z"_ba)}};
        const QString text = checkCreateOptions(options)->toText();
        QVERIFY(text.contains("KEY"_L1));
        QVERIFY(!text.contains("q7Z"_L1));
    }

    void runs_data()
    {
        QTest::addColumn<QStringList>("argv");
        QTest::addColumn<RunOptions>("options");
        QTest::addColumn<bool>("accepted");
        const auto row = [](const char *name, bool accepted, const QStringList &argv,
                            const std::function<void(RunOptions &)> &change) {
            RunOptions options;
            change(options);
            QTest::newRow(name) << argv << options << accepted;
        };
        const auto nothing = [](RunOptions &) {
        };
        row("a program is accepted", true, {u"true"_s}, nothing);
        row("an empty argument is accepted", true, {u"echo"_s, QString()}, nothing);
        row("no program is refused", false, {}, nothing);
        row("an empty program is refused", false, {QString()}, nothing);
        row("an argument with a NUL byte is refused", false, {u"echo"_s, u"a"_s + QChar(0)}, nothing);
        row("no limit is accepted", true, {u"true"_s}, [](RunOptions &o) { o.timeout.reset(); });
        row("a limit of zero is refused", false, {u"true"_s}, [](RunOptions &o) { o.timeout = 0ms; });
        row("a negative limit is refused", false, {u"true"_s}, [](RunOptions &o) { o.timeout = -1ms; });
        row("keeping no output is accepted", true, {u"true"_s}, [](RunOptions &o) { o.outputLimit = 0; });
        row("a negative output limit is refused", false, {u"true"_s},
            [](RunOptions &o) { o.outputLimit = -1; });
        row("a terminal is accepted", true, {u"true"_s}, [](RunOptions &o) { o.pty = TerminalSize{24, 80}; });
        row("a terminal without rows is refused", false, {u"true"_s},
            [](RunOptions &o) { o.pty = TerminalSize{0, 80}; });
        row("a bad variable is refused", false, {u"true"_s}, [](RunOptions &o) { o.env = {{u"="_s, {}}}; });
    }
    void runs()
    {
        QFETCH(QStringList, argv);
        QFETCH(RunOptions, options);
        QFETCH(bool, accepted);
        check(checkRun(Command(argv), options), accepted);
    }
    void codeRuns()
    {
        RunCodeOptions options;
        check(checkRunCode(options), true);
        options.timeout = 0ms;
        check(checkRunCode(options), false);
        options.timeout = 1ms;
        check(checkRunCode(options), true);
        options.outputLimit = -1;
        check(checkRunCode(options), false);
        options.outputLimit = 0;
        options.env = {{u"a=b"_s, {}}};
        check(checkRunCode(options), false);
    }

    void allowListEntries_data()
    {
        QTest::addColumn<bool>("accepted");
        for (const char *entry : {"pypi.org", "pypi.org:443", "*.pypi.org", "*.pypi.org:443", "localhost",
                                  "a-b.example", "10.0.0.1", "10.0.0.0/8", "10.0.0.1:80", "10.0.0.0/8:443",
                                  "::1", "fd00::/8", "[::1]:443", "xn--bcher-kva.example"})
            QTest::newRow(entry) << true;
        for (const char *entry : {"",           " ",       "*",       "a b",         "https://a.org",
                                  "a.org/path", "a.org:",  "a.org:0", "a.org:65536", "a.org:x",
                                  "-a.org",     "a..org",  ".org",    "user@a.org",  "10.0.0.0/33",
                                  "256.0.0.1",  "a.org\n", "*.*.org", "::1::2",      "fd00::/129"})
            QTest::newRow(entry) << false;
    }
    void allowListEntries()
    {
        QFETCH(bool, accepted);
        QCOMPARE(isAllowListEntry(QString::fromUtf8(QTest::currentDataTag())), accepted);
    }

private:
    static void check(const std::optional<ErrorInfo> &problem, bool accepted)
    {
        QCOMPARE(!problem.has_value(), accepted);
        if (problem) {
            QCOMPARE(problem->kind, ErrorKind::ConfigurationError);
            QVERIFY(!problem->message.isEmpty());
            QVERIFY(!problem->hint.isEmpty());
        }
    }
};

SANDBOXIO_TEST(TestPolicyChecks)
#include "tst_policychecks.moc"
