// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "codelanguages.h"
#include "spawnrequest.h"
#include "support/testprogram.h"

#include <QTest>

#include <algorithm>
#include <cerrno>

using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace Qt::StringLiterals;

using Strings = std::vector<std::string>;

namespace {

ProcessRequest requestOf(const Command &command)
{
    ProcessRequest request;
    request.command = command;
    return request;
}

const RunDefaults defaults{.env = {{u"A"_s, u"sandbox"_s}, {u"B"_s, u"sandbox"_s}},
                           .secrets = {{u"B"_s, Secret("hidden"_ba)}, {u"C"_s, Secret("hidden"_ba)}},
                           .uid = 1000};

} // namespace

class TestSpawnRequest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void argumentsGoThroughNoShell();
    void aShellCommandGoesThroughSh();
    void bytesOfPathsSurvive();
    void theRequestWinsOverSecretsAndThoseOverTheSandbox();
    void inputAndTerminal();
    void users_data();
    void users();
    void anEmptyCommandIsRefused();
    void errorsOfStarting_data();
    void errorsOfStarting();
    void exits_data();
    void exits();
    void unknownLanguagesNameThoseThereAre();
    void languagesHaveSeveralNames();
    void codeIsNeverAnArgument();
    void searchPathsAreAbsolute();
};

void TestSpawnRequest::argumentsGoThroughNoShell()
{
    const auto spawn = spawnRequest(requestOf({u"echo"_s, u"$HOME; rm *"_s, u""_s}), defaults);
    QVERIFY(spawn.has_value());
    QVERIFY((spawn->argv == Strings{"echo", "$HOME; rm *", ""}));
}

void TestSpawnRequest::aShellCommandGoesThroughSh()
{
    const auto spawn = spawnRequest(requestOf(Command::shell(u"a | b"_s)), defaults);
    QVERIFY((spawn->argv == Strings{"sh", "-c", "a | b"}));
}

void TestSpawnRequest::bytesOfPathsSurvive()
{
    ProcessRequest request = requestOf({u"cat"_s, u"caf\u00e9-"_s + QChar(0xDCFF)});
    request.options.workingDirectory = u"d\u00e9"_s;
    const auto spawn = spawnRequest(request, defaults);
    QVERIFY((spawn->argv == Strings{"cat", "caf\xc3\xa9-\xff"}));
    QCOMPARE(QByteArray::fromStdString(spawn->workingDirectory), "d\xc3\xa9"_ba);
}

void TestSpawnRequest::theRequestWinsOverSecretsAndThoseOverTheSandbox()
{
    ProcessRequest request = requestOf({u"env"_s});
    request.options.env = {{u"C"_s, u"request"_s}};
    const auto spawn = spawnRequest(request, defaults);
    QVERIFY((spawn->environment == Strings{"A=sandbox", "B=hidden", "C=request"}));
    QVERIFY(!spawn->clearEnvironment);
}

void TestSpawnRequest::inputAndTerminal()
{
    ProcessRequest request = requestOf({u"cat"_s});
    QCOMPARE(spawnRequest(request, defaults)->stdinMode, Guest::StdinMode::Null);
    request.options.standardInput = QByteArray();
    QCOMPARE(spawnRequest(request, defaults)->stdinMode, Guest::StdinMode::Pipe);
    request.options.standardInput.reset();
    request.interactiveInput = true;
    QCOMPARE(spawnRequest(request, defaults)->stdinMode, Guest::StdinMode::Pipe);
    QVERIFY(!spawnRequest(request, defaults)->pty);
    request.options.pty = TerminalSize{.rows = 40, .columns = 100'000};
    const auto spawn = spawnRequest(request, defaults);
    QVERIFY(spawn->pty);
    QVERIFY((spawn->windowSize == Guest::WindowSize{40, 0xffff}));
    QCOMPARE(spawn->term, "xterm-256color");
}

void TestSpawnRequest::users_data()
{
    QTest::addColumn<quint32>("uid");
    QTest::addColumn<QString>("user");
    QTest::addColumn<bool>("accepted");
    QTest::newRow("none given") << 1000u << QString() << true;
    QTest::newRow("the sandbox's own number") << 1000u << u"1000"_s << true;
    QTest::newRow("root in a sandbox of root") << 0u << u"root"_s << true;
    QTest::newRow("root in a sandbox of somebody else") << 1000u << u"root"_s << false;
    QTest::newRow("another name") << 1000u << u"postgres"_s << false;
}

void TestSpawnRequest::users()
{
    QFETCH(quint32, uid);
    QFETCH(QString, user);
    QFETCH(bool, accepted);
    ProcessRequest request = requestOf({u"id"_s});
    request.options.user = user;
    const auto spawn = spawnRequest(request, {.env = {}, .secrets = {}, .uid = uid});
    QCOMPARE(spawn.has_value(), accepted);
    if (!accepted) {
        QCOMPARE(spawn.error().kind, ErrorKind::ConfigurationError);
        QVERIFY(spawn.error().hint.contains(user));
    }
}

void TestSpawnRequest::anEmptyCommandIsRefused()
{
    QCOMPARE(spawnRequest(ProcessRequest(), defaults).error().kind, ErrorKind::ConfigurationError);
    QCOMPARE(spawnRequest(requestOf({u""_s}), defaults).error().kind, ErrorKind::ConfigurationError);
}

void TestSpawnRequest::errorsOfStarting_data()
{
    QTest::addColumn<int>("errorNumber");
    QTest::addColumn<Guest::SpawnStage>("stage");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<QString>("text");
    using Stage = Guest::SpawnStage;
    QTest::newRow("a program that is not there")
        << ENOENT << Stage::Exec << ErrorKind::ConfigurationError << u"no-such"_s;
    QTest::newRow("a program that may not be executed")
        << EACCES << Stage::Exec << ErrorKind::ConfigurationError << u"chmod"_s;
    QTest::newRow("a program of another architecture")
        << ENOEXEC << Stage::Exec << ErrorKind::ConfigurationError << u"architecture"_s;
    QTest::newRow("a working directory that is not there")
        << ENOENT << Stage::WorkingDirectory << ErrorKind::PathNotFound << u"some/where"_s;
    QTest::newRow("no process left") << EAGAIN << Stage::Setup << ErrorKind::ResourceLimitExceeded << u"(64)"_s;
    QTest::newRow("no memory left") << ENOMEM << Stage::Setup << ErrorKind::ResourceLimitExceeded
                                    << u"256 MB"_s;
    QTest::newRow("arguments that are too long")
        << E2BIG << Stage::Setup << ErrorKind::ConfigurationError << u"too long"_s;
    QTest::newRow("no terminal") << EIO << Stage::Pty << ErrorKind::ConnectError << u"set up"_s;
    QTest::newRow("killed while it waited for its output")
        << ECANCELED << Stage::Token << ErrorKind::ConnectError << u"before its program started"_s;
    QTest::newRow("output that was not connected")
        << ETIMEDOUT << Stage::Token << ErrorKind::ConnectError << u"output"_s;
}

void TestSpawnRequest::errorsOfStarting()
{
    QFETCH(int, errorNumber);
    QFETCH(Guest::SpawnStage, stage);
    QFETCH(ErrorKind, kind);
    QFETCH(QString, text);
    Guest::Spawn spawn;
    spawn.argv = {"no-such"};
    spawn.workingDirectory = "some/where";
    Resources resources;
    resources.processes = 64;
    resources.memoryMb = 256;
    const ErrorInfo error = spawnError(errorNumber, stage, spawn, resources);
    QCOMPARE(error.kind, kind);
    QVERIFY2((error.message + error.hint).contains(text), qPrintable(error.toText()));
    QVERIFY(!error.hint.isEmpty());
    if (kind == ErrorKind::ResourceLimitExceeded)
        QVERIFY(!error.limit.isEmpty() && error.limitValue);
    if (kind == ErrorKind::ConfigurationError)
        QCOMPARE(error.cause->status, errorNumber);
}

void TestSpawnRequest::exits_data()
{
    using Kind = Guest::ExitStatus::Kind;
    QTest::addColumn<Kind>("kind");
    QTest::addColumn<int>("value");
    QTest::addColumn<quint32>("kills");
    QTest::addColumn<ExitStatus>("expected");
    QTest::addColumn<bool>("limited");
    QTest::newRow("an exit code") << Kind::Exited << 3 << 0u << ExitStatus{.code = 3, .signal = {}, .limit = {}}
                                  << false;
    QTest::newRow("a signal") << Kind::Signalled << 15 << 0u
                              << ExitStatus{.code = {}, .signal = 15, .limit = {}} << false;
    QTest::newRow("a status that was lost is no zero") << Kind::Unknown << 0 << 0u << ExitStatus() << false;
    QTest::newRow("killed for memory")
        << Kind::Signalled << 9 << 1u << ExitStatus{.code = {}, .signal = 9, .limit = {}} << true;
    QTest::newRow("a child of the shell killed for memory")
        << Kind::Exited << 137 << 1u << ExitStatus{.code = 137, .signal = {}, .limit = {}} << true;
    QTest::newRow("killed by somebody")
        << Kind::Signalled << 9 << 0u << ExitStatus{.code = {}, .signal = 9, .limit = {}} << false;
    QTest::newRow("a neighbour killed for memory")
        << Kind::Exited << 0 << 1u << ExitStatus{.code = 0, .signal = {}, .limit = {}} << false;
}

void TestSpawnRequest::exits()
{
    QFETCH(Guest::ExitStatus::Kind, kind);
    QFETCH(int, value);
    QFETCH(quint32, kills);
    QFETCH(ExitStatus, expected);
    QFETCH(bool, limited);
    Resources resources;
    resources.memoryMb = 128;
    ExitStatus status =
        exitStatus({.kind = kind, .value = value, .coreDumped = false, .outOfMemoryKills = kills}, resources);
    QCOMPARE(status.limit.has_value(), limited);
    if (limited) {
        QCOMPARE(status.limit->kind, ErrorKind::ResourceLimitExceeded);
        QCOMPARE(status.limit->limit, u"memory"_s);
        QCOMPARE(status.limit->limitValue, 128 * 1024 * 1024);
    }
    status.limit.reset();
    QVERIFY(status == expected);
}

void TestSpawnRequest::unknownLanguagesNameThoseThereAre()
{
    const ErrorInfo unknown = unknownLanguage(u"cobol"_s, {u"python"_s, u"bash"_s});
    QCOMPARE(unknown.kind, ErrorKind::ConfigurationError);
    QVERIFY(unknown.hint.contains(u"python, bash"_s));
    QVERIFY(unknownLanguage(u"javascript"_s, {u"bash"_s}).message.contains(u"image"_s));
    QVERIFY(unknownLanguage(u"python"_s, {}).hint.contains(u"python:3.12-slim"_s));
}

void TestSpawnRequest::languagesHaveSeveralNames()
{
    for (const QString &name : {u"javascript"_s, u"node"_s, u"JS"_s, u" JavaScript\n"_s})
        QCOMPARE(languageNamed(name), u"javascript"_s);
    QCOMPARE(languageNamed(u"Python3"_s), u"python"_s);
    QCOMPARE(languageNamed(u"bash"_s), u"bash"_s);
    QCOMPARE(languageNamed(u"Cobol"_s), u"Cobol"_s);
}

void TestSpawnRequest::codeIsNeverAnArgument()
{
    for (const CodeLanguage &language : codeLanguages()) {
        const Strings arguments = codeArguments(language.name, "/tmp/source");
        QCOMPARE(arguments.front(), language.program.toStdString());
        QCOMPARE(arguments.back(), "/tmp/source");
    }
}

void TestSpawnRequest::searchPathsAreAbsolute()
{
    QCOMPARE(searchDirectories(u"/opt/bin::.:bin:/bin"_s), (QByteArrayList{"/opt/bin"_ba, "/bin"_ba}));
    QVERIFY(searchDirectories({}).contains("/usr/local/bin"_ba));
}

SANDBOXIO_TEST(TestSpawnRequest)
#include "tst_spawnrequest.moc"
