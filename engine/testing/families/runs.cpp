// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <csignal>

namespace Sandboxio {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/*! Commands that are waited for: status, output, surroundings. */
class RunContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void exitCodesComeThrough_data();
    void exitCodesComeThrough();
    void anEndBySignalIsNoExitCode();
    void theStreamsAreApart();
    void arguments_data();
    void arguments();
    void aShellIsUsedWhenItIsAskedFor();
    void bytesAreNotAltered_data();
    void bytesAreNotAltered();
    void theEnvironmentOfARunReachesItAndNoOther();
    void theEnvironmentOfTheSandboxReachesRunsAndIsOverridden();
    void aRunStartsInTheWorkingDirectory();
    void aWorkingDirectoryThatDoesNotExistIsAnError();
    void aUserThatDoesNotExistIsAnError();
    void theUsersOwnNameIsAccepted();
    void inputIsGivenAndThenEnds_data();
    void inputIsGivenAndThenEnds();
    void aMissingProgramIsAnErrorAndNoExitCode();
    void nothingToRunIsRefused();
    void longOutputIsCappedAndCounted();
    void aChildThatKeepsTheStreamsDoesNotHoldTheRun();
    void twentyRunsAtTheSameTimeDoNotMix();

private:
    void prepare() override { needCapability(Capability::RunCommand); }
};

void RunContract::exitCodesComeThrough_data()
{
    QTest::addColumn<int>("code");
    for (const int code : {0, 1, 3, 126, 127, 137, 255})
        QTest::addRow("a program that exits with %d", code) << code;
}

void RunContract::exitCodesComeThrough()
{
    QFETCH(int, code);
    const ExecResult result = run(need(subject.commands.exitWith, "command `exitWith`")(code));
    QCOMPARE(result.exitCode, code);
    QVERIFY(!result.signal);
    QCOMPARE(result.succeeded(), code == 0);
    QVERIFY(!result.streamed);
    if (code != 0)
        QVERIFY_THROWS_EXCEPTION(ExecutionError, result.throwIfFailed());
}

void RunContract::anEndBySignalIsNoExitCode()
{
    const ExecResult result = run(need(subject.commands.endBySignal, "command `endBySignal`")());
    QVERIFY2(!result.exitCode, qPrintable(u"exit code %1"_s.arg(result.exitCode.value_or(0))));
    QCOMPARE(result.signal, SIGTERM);
    QVERIFY(!result.succeeded());
}

void RunContract::theStreamsAreApart()
{
    const ExecResult result =
        run(need(subject.commands.printToBoth, "command `printToBoth`")(u"out"_s, u"err"_s));
    QCOMPARE(result.standardOutput, "out\n"_ba);
    QCOMPARE(result.standardError, "err\n"_ba);
    QCOMPARE(result.standardOutputBytes, 4);
    QCOMPARE(result.standardErrorBytes, 4);
    QVERIFY(!result.truncated);
}

void RunContract::arguments_data()
{
    QTest::addColumn<QString>("argument");
    QTest::newRow("a variable is not expanded") << u"$HOME ${HOME}"_s;
    QTest::newRow("a command is not substituted") << u"$(echo x) `echo x`"_s;
    QTest::newRow("a pattern is not expanded") << u"* /*"_s;
    QTest::newRow("a semicolon does not end it") << u"a; exit 3"_s;
    QTest::newRow("operators mean nothing") << u"a && b || c | d > e < f &"_s;
    QTest::newRow("quotes stay") << u"it's \"quoted\""_s;
    QTest::newRow("spaces stay") << u"  two  spaces  "_s;
    QTest::newRow("a line break stays") << u"one\ntwo"_s;
    QTest::newRow("a backslash stays") << u"a\\b"_s;
    QTest::newRow("a hash begins no comment") << u"# a"_s;
    QTest::newRow("letters of any alphabet stay") << u"äöü 漢字 😀"_s;
    QTest::newRow("a long one arrives whole") << QString(60'000, u'x');
}

void RunContract::arguments()
{
    QFETCH(QString, argument);
    const ExecResult result = run(print(argument));
    QCOMPARE(result.text(), argument + u'\n');
    QCOMPARE(result.exitCode, 0);
}

void RunContract::aShellIsUsedWhenItIsAskedFor()
{
    if (!subject.commands.exitWith || !subject.commands.exitWith(0).isShell())
        skip(u"the subject's sandboxes have no shell"_s);
    const ExecResult result = run(Command::shell(u"echo one; echo two"_s));
    QCOMPARE(result.text(), u"one\ntwo\n"_s);
}

void RunContract::bytesAreNotAltered_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QByteArray all;
    for (int i = 0; i < 256; ++i)
        all += static_cast<char>(i);
    QTest::newRow("every byte there is") << all;
    QTest::newRow("letters of several bytes") << "é€😀\n"_ba.repeated(20);
    QTest::newRow("half a letter") << "\xe2\x82"_ba;
    QTest::newRow("line ends of every kind") << "a\r\nb\rc\n\n"_ba;
    QTest::newRow("nothing") << ""_ba;
}

void RunContract::bytesAreNotAltered()
{
    QFETCH(QByteArray, bytes);
    const ExecResult result = run(need(subject.commands.printBytes, "command `printBytes`")(bytes));
    QCOMPARE(result.standardOutput, bytes);
    QCOMPARE(result.standardOutputBytes, bytes.size());
}

void RunContract::theEnvironmentOfARunReachesItAndNoOther()
{
    const auto &print = need(subject.commands.printVariable, "command `printVariable`");
    RunOptions with;
    with.env = {{u"CONTRACT_RUN"_s, u"with 'quotes' and = and ü"_s}};
    QCOMPARE(run(print(u"CONTRACT_RUN"_s), with).text(), u"with 'quotes' and = and ü\n"_s);
    QCOMPARE(run(print(u"CONTRACT_RUN"_s)).text(), u"\n"_s);
}

void RunContract::theEnvironmentOfTheSandboxReachesRunsAndIsOverridden()
{
    const auto &print = need(subject.commands.printVariable, "command `printVariable`");
    CreateOptions with = options();
    with.env = {{u"CONTRACT_SANDBOX"_s, u"of the sandbox"_s}};
    const SandboxPtr own = create(with);
    QCOMPARE(value(own->run(print(u"CONTRACT_SANDBOX"_s))).text(), u"of the sandbox\n"_s);
    RunOptions over;
    over.env = {{u"CONTRACT_SANDBOX"_s, u"of the run"_s}};
    QCOMPARE(value(own->run(print(u"CONTRACT_SANDBOX"_s), over)).text(), u"of the run\n"_s);
    QCOMPARE(value(own->run(print(u"CONTRACT_SANDBOX"_s))).text(), u"of the sandbox\n"_s);
}

void RunContract::aRunStartsInTheWorkingDirectory()
{
    const auto &print = need(subject.commands.printDirectory, "command `printDirectory`");
    const QString usual = sandbox()->details().workingDirectory;
    QVERIFY(usual.startsWith(u'/'));
    QCOMPARE(run(print()).text(), usual + u'\n');
    RunOptions with;
    with.workingDirectory = u"/"_s;
    QCOMPARE(run(print(), with).text(), u"/\n"_s);
    if (!sandbox()->capabilities().testFlag(Capability::FileSystem))
        return;
    value(sandbox()->files().mkdir(u"below/it"_s, true));
    with.workingDirectory = u"below/it"_s;
    QCOMPARE(run(print(), with).text(), (usual == "/"_L1 ? QString() : usual) + u"/below/it\n"_s);
}

void RunContract::aWorkingDirectoryThatDoesNotExistIsAnError()
{
    RunOptions with;
    with.workingDirectory = u"/no/such/directory"_s;
    const ErrorInfo error = errorOf(sandbox()->run(print(u"x"_s), with));
    check(error.kind == ErrorKind::ConfigurationError || error.kind == ErrorKind::PathNotFound,
          u"failed as "_s + kindName(error.kind));
}

void RunContract::aUserThatDoesNotExistIsAnError()
{
    RunOptions with;
    with.user = u"nobody-has-this-name"_s;
    failsAs(ErrorKind::ConfigurationError, sandbox()->run(print(u"x"_s), with));
}

void RunContract::theUsersOwnNameIsAccepted()
{
    const Command print = need(subject.commands.printUser, "command `printUser`")();
    const QString user = run(print).text().trimmed();
    QVERIFY(!user.isEmpty());
    RunOptions with;
    with.user = user;
    QCOMPARE(run(print, with).text().trimmed(), user);
}

void RunContract::inputIsGivenAndThenEnds_data()
{
    QTest::addColumn<std::optional<QByteArray>>("input");
    QByteArray binary;
    for (int i = 0; i < 100'000; ++i)
        binary += static_cast<char>(i * 31 >> 3);
    QTest::newRow("a line") << std::optional("a line\n"_ba);
    QTest::newRow("a hundred thousand bytes") << std::optional(binary);
    QTest::newRow("an empty input") << std::optional(""_ba);
    QTest::newRow("no input at all ends at once") << std::optional<QByteArray>();
}

void RunContract::inputIsGivenAndThenEnds()
{
    QFETCH(std::optional<QByteArray>, input);
    RunOptions with;
    with.standardInput = input;
    const ExecResult result = run(need(subject.commands.copyInput, "command `copyInput`")(), with);
    QCOMPARE(result.standardOutput, input.value_or(QByteArray()));
}

void RunContract::aMissingProgramIsAnErrorAndNoExitCode()
{
    const ErrorInfo error =
        failsAs(ErrorKind::ConfigurationError, sandbox()->run({u"no-such-program"_s, u"x"_s}));
    check(error.message.contains(u"no-such-program"_s),
          u"the message does not name the program: "_s + error.message);
}

void RunContract::nothingToRunIsRefused()
{
    failsAs(ErrorKind::ConfigurationError, sandbox()->run(Command(QStringList())));
    failsAs(ErrorKind::ConfigurationError, sandbox()->run(Command(QStringList{QString()})));
}

void RunContract::longOutputIsCappedAndCounted()
{
    constexpr qint64 printedBytes = 3'000'000;
    RunOptions with;
    with.outputLimit = 100'000;
    const ExecResult result =
        run(need(subject.commands.printZeros, "command `printZeros`")(printedBytes), with);
    QVERIFY(result.truncated);
    QCOMPARE(result.standardOutputBytes, printedBytes);
    QCOMPARE(result.standardOutput.size(), with.outputLimit);
    QCOMPARE(result.exitCode, 0);
}

void RunContract::aChildThatKeepsTheStreamsDoesNotHoldTheRun()
{
    const auto &command = need(subject.commands.printAndLeaveChild, "command `printAndLeaveChild`");
    const SandboxPtr own = create();
    const Operation<ExecResult> run = endedAfter(500ms, own->run(command(u"done"_s, 600)));
    const ExecResult result = value(run);
    QCOMPARE(result.text(), u"done\n"_s);
    QCOMPARE(result.exitCode, 0);
    QVERIFY(result.streamsOpen);
    runsInside(own->id(), 1); // it stays until the sandbox ends
}

void RunContract::twentyRunsAtTheSameTimeDoNotMix()
{
    QList<Operation<ExecResult>> runs;
    for (int i = 0; i < 20; ++i)
        runs.append(sandbox()->run(print(u"run %1"_s.arg(i))));
    for (int i = 0; i < 20; ++i)
        QCOMPARE(value(runs[i]).text(), u"run %1\n"_s.arg(i));
}

std::unique_ptr<ContractFamily> makeRunContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<RunContract>(subject, label);
}

} // namespace Sandboxio

#include "runs.moc"
