// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <QDebug>
#include <QJsonDocument>
#include <QMutex>

#include <algorithm>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

const QByteArray canary = "canary-2718281828"_ba;

QMutex logMutex;
QByteArray logged;

/*! Keeps everything that is logged while it lives, by whichever thread. */
class LogCapture
{
public:
    LogCapture()
    {
        const QMutexLocker locker(&logMutex);
        logged.clear();
        m_before = qInstallMessageHandler([](QtMsgType, const QMessageLogContext &, const QString &message) {
            const QMutexLocker lock(&logMutex);
            logged += message.toUtf8() + '\n';
        });
    }
    ~LogCapture() { qInstallMessageHandler(m_before); }
    Q_DISABLE_COPY_MOVE(LogCapture)
    QByteArray text() const
    {
        const QMutexLocker locker(&logMutex);
        return logged;
    }

private:
    QtMessageHandler m_before;
};

QByteArray textOf(const ManagedSandbox &sandbox)
{
    QStringList parts{sandbox.target.toDsn(), sandbox.id, sandbox.name, sandbox.templateId, sandbox.owner.user};
    for (const auto &[name, value] : sandbox.metadata.asKeyValueRange())
        parts += {name, value};
    return parts.join(u'\n').toUtf8();
}

QByteArray textOf(const SandboxDetails &details)
{
    const QJsonObject native = QJsonObject::fromVariantMap(details.native);
    const QStringList parts{details.tierSource, details.lifetimeMechanism, details.transport,
                            details.workingDirectory};
    return textOf(details.managed) + parts.join(u'\n').toUtf8() + QJsonDocument(native).toJson();
}

} // namespace

/*! Secrets: in the environment of runs, and nowhere else. */
class SecretContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void aSecretReachesRunsUnaltered();
    void aSecretReachesCode();
    void aSecretIsNotStoredAtTheProvider();
    void aSecretIsInNothingThatIsListed();
    void aSecretIsInNoCommandLine();
    void aSecretIsInNoError();
    void aSecretIsInNoErrorOfACreate();
    void aSecretIsInNoLog();
    void aSecretIsAbsentElsewhereAndSaidToBe();
    void shortSecretsAreRefused();
    void codeIsInNoError();

private:
    CreateOptions withSecret() const
    {
        CreateOptions with = options();
        with.secrets = {{u"CONTRACT_TOKEN"_s, Secret(canary)}};
        return with;
    }
    static void isClean(const QByteArray &text, const QString &what, Location where = Location::current())
    {
        check(!text.contains("2718281828") && !text.contains(canary.toBase64()), u"the secret is in "_s + what,
              where);
    }
};

void SecretContract::aSecretReachesRunsUnaltered()
{
    needCapability(Capability::RunCommand);
    const Command print = need(subject.commands.printVariable, "command `printVariable`")(u"CONTRACT_TOKEN"_s);
    const SandboxPtr own = create(withSecret());
    QVERIFY(own->details().secretsAvailable);
    QCOMPARE(value(own->run(print)).standardOutput, canary + '\n'); // what a program prints is not redacted
}

void SecretContract::aSecretReachesCode()
{
    needCapability(Capability::RunCode);
    const QString print = need(subject.code.printVariable, "code `printVariable`")(u"CONTRACT_TOKEN"_s);
    QCOMPARE(value(create(withSecret())->runCode(print)).standardOutput, canary + '\n');
}

void SecretContract::aSecretIsNotStoredAtTheProvider()
{
    const auto &description = need(subject.probes.description, "probe `description`");
    const SandboxPtr own = create(withSecret());
    const QByteArray text = description(own->id());
    check(text.contains(own->id().toUtf8()), u"the description is not of this sandbox"_s);
    isClean(text, u"what the provider stores"_s);
}

void SecretContract::aSecretIsInNothingThatIsListed()
{
    const SandboxPtr own = create(withSecret());
    isClean(textOf(own->details()), u"the details"_s);
    isClean(textOf(value(own->info())), u"the sandbox's state"_s);
    if (!canList())
        return;
    const QList<ManagedSandbox> rows =
        rowsOf(value(engine().listManaged({{target()}, {{labelName(), label()}}})));
    QVERIFY2(std::ranges::contains(rows, own->id(), &ManagedSandbox::id), "the sandbox is not listed");
    for (const ManagedSandbox &row : rows)
        isClean(textOf(row), u"the listing"_s);
}

void SecretContract::aSecretIsInNoCommandLine()
{
    const auto &processes = need(subject.probes.processes, "probe `processes`");
    needCapability(Capability::RunCommand);
    const SandboxPtr own = create(withSecret());
    const Operation<ExecResult> run = own->run(hang());
    runsInside(own->id(), 1);
    isClean(processes(own->id()).join(u'\n').toUtf8(), u"a command line"_s);
    run.cancel();
    endsAsCancelled(run);
}

void SecretContract::aSecretIsInNoError()
{
    needCapability(Capability::RunCommand);
    const SandboxPtr own = create(withSecret());
    const QString text = QString::fromUtf8(canary);
    RunOptions with;
    with.env = {{u"API_TOKEN"_s, u"another-2718281828"_s}};
    const Operation<ExecResult> missing = own->run({u"no-such-program"_s, text}, with);
    if (ended(missing).outcome() == OperationOutcome::Error) { // that it must be one is said elsewhere
        isClean(missing.error().toText().toUtf8(), u"the error of a run"_s);
        isClean(missing.error().cause.value_or(ErrorCause()).text.toUtf8(), u"the cause of an error"_s);
    }
    if (!own->capabilities().testFlag(Capability::FileSystem))
        return;
    const ErrorInfo file = errorOf(own->files().read(u"/tmp/"_s + text));
    isClean(file.toText().toUtf8(), u"the error of a file"_s);
    isClean(file.cause.value_or(ErrorCause()).text.toUtf8(), u"the cause of an error"_s);
}

void SecretContract::aSecretIsInNoErrorOfACreate()
{
    const Fault fault = need(subject.probes.failCreate, "probe `failCreate`")();
    const ErrorInfo error = errorOf(engine().create(target(), withSecret()));
    isClean(error.toText().toUtf8(), u"the error of a create"_s);
    isClean(error.cause.value_or(ErrorCause()).text.toUtf8(), u"the cause of an error"_s);
}

void SecretContract::aSecretIsInNoLog()
{
    const LogCapture log;
    const CreateOptions with = withSecret();
    const SandboxPtr own = create(with);
    if (own->capabilities().testFlag(Capability::RunCommand))
        value(own->run(print(u"x"_s)));
    qDebug() << with.secrets.first();
    value(own->kill());
    check(log.text().contains("<secret>"), u"nothing was captured"_s);
    isClean(log.text(), u"the log"_s);
}

void SecretContract::aSecretIsAbsentElsewhereAndSaidToBe()
{
    needCapability(Capability::RunCommand);
    const Command print = need(subject.commands.printVariable, "command `printVariable`")(u"CONTRACT_TOKEN"_s);
    const SandboxPtr own = create(withSecret());
    const auto second = anotherEngine();
    const SandboxPtr same = value(second->connectTo(target(), own->id()));
    const QByteArray expected = same->details().secretsAvailable ? canary : ""_ba;
    QCOMPARE(value(same->run(print)).standardOutput, expected + '\n');
}

void SecretContract::shortSecretsAreRefused()
{
    CreateOptions with = options();
    with.secrets = {{u"CONTRACT_TOKEN"_s, Secret("abc"_ba)}};
    failsAs(ErrorKind::ConfigurationError, engine().create(target(), with));
}

void SecretContract::codeIsInNoError()
{
    needCapability(Capability::RunCode);
    RunCodeOptions with;
    with.language = u"cobol"_s;
    const QString code = QString::fromUtf8(canary);
    isClean(errorOf(sandbox()->runCode(code, with)).toText().toUtf8(), u"the error of a code run"_s);
}

std::unique_ptr<ContractFamily> makeSecretContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<SecretContract>(subject, label);
}

} // namespace Sandboxio

#include "secrets.moc"
