// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <QScopeGuard>

namespace Sandboxio {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/*! What goes wrong at the provider, and how it is called. */
class ErrorContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void aBrokenProviderIsNamedWithItsCause_data();
    void aBrokenProviderIsNamedWithItsCause();
    void aBrokenProviderDoesNotFailAListing();
    void aBrokenProviderIsDiagnosed();
    void aProviderThatWorksIsDiagnosed();
    void aCreateThatIsRefusedLeavesNothing();
    void aCreateWhoseAnswerBreaksOffIsNotRepeated();
    void aTemplateThatCannotBeFetchedIsAnError();
    void aSlowCreateNamesItsStep();
    void tooManyCreatesSayWhenToAskAgain();
    void anEndedSandboxIsGoneNotTimedOut();
    void aSandboxThatVanishesWhileItRunsIsGone();
    void aRunWhoseConnectionBreaksIsUnknown();
    void aMissingCredentialNamesItsVariable();
    void anUnknownBackendNamesThoseThereAre();
    void aCredentialInTheTargetIsRefused();

private:
    void hasCause(const ErrorInfo &error, Location where = Location::current())
    {
        check(error.kind != ErrorKind::SandboxError && error.kind != ErrorKind::SandboxTimeout,
              u"an error of no class: "_s + error.toText(), where);
        check(error.cause && !error.cause->text.isEmpty(),
              u"the provider's own words are lost: "_s + error.toText(), where);
    }
};

void ErrorContract::aBrokenProviderIsNamedWithItsCause_data()
{
    QTest::addColumn<QString>("action");
    for (const char *action : {"create", "connect", "info", "kill by id"})
        QTest::newRow(action) << QString::fromLatin1(action);
}

void ErrorContract::aBrokenProviderIsNamedWithItsCause()
{
    QFETCH(QString, action);
    const auto &breakProvider = need(subject.probes.breakProvider, "probe `breakProvider`");
    const SandboxPtr own = create();
    const QStringList before = atProvider();
    {
        const Fault fault = breakProvider();
        if (action == "create"_L1)
            hasCause(errorOf(engine().create(target(), options())));
        else if (action == "connect"_L1)
            hasCause(errorOf(engine().connectTo(target(), own->id())));
        else if (action == "info"_L1)
            hasCause(errorOf(own->info()));
        else
            hasCause(errorOf(engine().killManaged(target(), own->id())));
    }
    nothingIsLeft(before);
    QVERIFY(atProvider().contains(own->id()));
}

void ErrorContract::aBrokenProviderDoesNotFailAListing()
{
    const auto &breakProvider = need(subject.probes.breakProvider, "probe `breakProvider`");
    const Fault fault = breakProvider();
    const ManagedListing listing = value(engine().listManaged({{target()}, {}}));
    QCOMPARE(listing.targets.size(), 1);
    QVERIFY2(listing.targets.first().error, "the target's part of the listing has no error");
    hasCause(*listing.targets.first().error);
}

void ErrorContract::aBrokenProviderIsDiagnosed()
{
    const auto &breakProvider = need(subject.probes.breakProvider, "probe `breakProvider`");
    const Fault fault = breakProvider();
    const DoctorReport report = value(engine().doctor({target()}));
    QVERIFY(!report.isUsable());
    for (const Diagnosis &line : report.targets.first().lines) {
        if (line.status != Diagnosis::Status::Good)
            check(!line.fix.isEmpty(), u"'%1' has no fix"_s.arg(line.finding));
    }
}

void ErrorContract::aProviderThatWorksIsDiagnosed()
{
    const QStringList before = atProvider();
    const DoctorReport report = value(engine().doctor({target()}));
    QCOMPARE(report.targets.size(), 1);
    QVERIFY(report.isUsable());
    QVERIFY(!report.targets.first().lines.isEmpty());
    QCOMPARE(atProvider(), before);
}

void ErrorContract::aCreateThatIsRefusedLeavesNothing()
{
    const auto &failCreate = need(subject.probes.failCreate, "probe `failCreate`");
    const QStringList before = atProvider();
    {
        const Fault fault = failCreate();
        const Operation<SandboxPtr> creation = engine().create(target(), options());
        hasCause(failsAs(ErrorKind::CreationError, creation));
        QVERIFY_THROWS_EXCEPTION(CreationError, creation.result());
    }
    nothingIsLeft(before);
}

void ErrorContract::aCreateWhoseAnswerBreaksOffIsNotRepeated()
{
    const auto &cut = need(subject.probes.cutCreateAnswer, "probe `cutCreateAnswer`");
    const auto &requests = need(subject.probes.createRequests, "probe `createRequests`");
    const QStringList before = atProvider();
    const int requestsBefore = requests();
    {
        const Fault fault = cut();
        const Operation<SandboxPtr> creation =
            endedAfter(subject.operationLimit, engine().create(target(), options()));
        failsAs(ErrorKind::CreationError, creation);
        QCOMPARE(requests(), requestsBefore + 1);
    }
    nothingIsLeft(before);
}

void ErrorContract::aTemplateThatCannotBeFetchedIsAnError()
{
    const auto &failFetch = need(subject.probes.failFetch, "probe `failFetch`");
    const QStringList before = atProvider();
    CreateOptions with = options();
    with.templateId = subject.missingTemplate;
    QVERIFY(value(engine().plan(target(), with)).templateMissing);
    const Fault fault = failFetch();
    const Operation<SandboxPtr> creation = engine().create(target(), with);
    const ErrorInfo error = errorOf(creation);
    check(error.kind == ErrorKind::CreationError || error.kind == ErrorKind::ConfigurationError,
          u"failed as "_s + error.toText());
    hasCause(error);
    nothingIsLeft(before);
}

void ErrorContract::aSlowCreateNamesItsStep()
{
    const auto &slow = need(subject.probes.slowCreate, "probe `slowCreate`");
    const QStringList before = atProvider();
    {
        const Fault fault = slow(3s);
        CreateOptions with = options();
        with.createLimit = subject.shortLimit;
        const Operation<SandboxPtr> creation = endedAfter(10s, engine().create(target(), with));
        const ErrorInfo error = failsAs(ErrorKind::CreateTimeout, creation);
        QVERIFY(!error.step.isEmpty());
        QVERIFY_THROWS_EXCEPTION(CreationError, creation.result());
        QVERIFY_THROWS_EXCEPTION(SandboxTimeout, creation.result());
    }
    nothingIsLeft(before);
}

void ErrorContract::tooManyCreatesSayWhenToAskAgain()
{
    const auto &rateLimit = need(subject.probes.rateLimit, "probe `rateLimit`");
    const auto &requests = need(subject.probes.createRequests, "probe `createRequests`");
    const Fault fault = rateLimit();
    const int before = requests();
    const ErrorInfo error = failsAs(ErrorKind::RateLimitError, engine().create(target(), options()));
    QVERIFY(error.retryAfter && *error.retryAfter > 0ms);
    hasCause(error);
    QVERIFY2(requests() <= before + 1, "the create was sent again");
}

void ErrorContract::anEndedSandboxIsGoneNotTimedOut()
{
    const SandboxPtr own = createEnded();
    const auto isGone = [](const ErrorInfo &error, const QString &what) {
        check(error.kind == ErrorKind::SandboxGone, what + u" failed as "_s + error.toText());
        check(error.hint.contains(u"lifetime"_s),
              what + u": the hint does not say what ended it: "_s + error.hint);
    };
    const Capabilities declared = own->capabilities();
    if (declared.testFlag(Capability::RunCommand)) {
        const Command late = print(u"late"_s);
        isGone(errorOf(own->run(late)), u"a run"_s);
        if (declared.testFlag(Capability::Streaming)) {
            const auto process = own->stream(late);
            isGone(errorOf(process->start(Process::ConsumerMode::Pull)), u"a stream"_s);
        }
    }
    if (declared.testFlag(Capability::RunCode))
        isGone(errorOf(own->runCode(need(subject.code.print, "code `print`")(u"late"_s))), u"a run of code"_s);
    if (declared.testFlag(Capability::FileSystem))
        isGone(errorOf(own->files().ls()), u"a listing"_s);
}

void ErrorContract::aSandboxThatVanishesWhileItRunsIsGone()
{
    const auto &lose = need(subject.probes.lose, "probe `lose`");
    needCapability(Capability::RunCommand);
    const SandboxPtr own = create();
    const Operation<ExecResult> run = own->run(hang());
    runsInside(own->id(), 1);
    lose(own->id());
    failsAs(ErrorKind::SandboxGone, run);
    if (!own->capabilities().testFlag(Capability::Streaming))
        return;
    const SandboxPtr another = create();
    const auto process = another->stream(hang());
    const auto end = endOf(*process);
    value(process->start(Process::ConsumerMode::Discard));
    lose(another->id());
    eventually([&] { return end->count > 0; }, u"ended()"_s);
    QCOMPARE(end->outcome.kind, RunOutcome::Kind::SandboxGone);
    QVERIFY2(!end->result, "a run that was lost has a result");
}

void ErrorContract::aRunWhoseConnectionBreaksIsUnknown()
{
    const auto &breakNow = subject.probes.breakConnections;
    needCapability(Capability::Streaming);
    const SandboxPtr own = create();
    const Fault fault = breakNow ? Fault() : need(subject.probes.disconnectRuns, "probe `disconnectRuns`")();
    const auto process =
        own->stream(need(subject.commands.printThenHang, "command `printThenHang`")(u"some output"_s, 600));
    const auto end = endOf(*process);
    const Operation<void> start = process->start(Process::ConsumerMode::Discard);
    if (breakNow) {
        value(start);
        breakNow();
    }
    eventually([&] { return end->count > 0; }, u"ended()"_s);
    QCOMPARE(end->outcome.kind, RunOutcome::Kind::Unknown);
    QVERIFY2(!end->result, "a status was invented");
    QVERIFY(end->error);
    QVERIFY(!process->exitCode());
}

void ErrorContract::aMissingCredentialNamesItsVariable()
{
    if (subject.credentialVariables.isEmpty())
        skip(u"the backend needs no credential"_s);
    for (const QString &variable : std::as_const(subject.credentialVariables)) {
        const QByteArray name = variable.toUtf8();
        const QByteArray kept = qgetenv(name.constData());
        const auto restore = qScopeGuard([&] {
            if (!kept.isNull())
                qputenv(name.constData(), kept);
        });
        qunsetenv(name.constData());
        const auto without = anotherEngine();
        const ErrorInfo error = failsAs(ErrorKind::AuthError, without->create(target(), options()));
        check(error.hint.contains(variable), u"the hint does not name %1: %2"_s.arg(variable, error.hint));
    }
}

void ErrorContract::anUnknownBackendNamesThoseThereAre()
{
    Target unknown = target();
    unknown.backend = u"no-such-backend"_s;
    const ErrorInfo error = failsAs(ErrorKind::BackendNotFound, engine().create(unknown));
    check(error.hint.contains(target().backend), u"the hint does not say what is there: "_s + error.hint);
}

void ErrorContract::aCredentialInTheTargetIsRefused()
{
    const QString dsn = target().backend + u"://?api_key=canary-31415926"_s;
    try {
        std::ignore = Target::fromDsn(dsn);
    } catch (const ConfigurationError &error) {
        check(!error.info().toText().contains(u"31415926"_s), u"the error repeats the credential"_s);
        return;
    }
    fail(u"the DSN was accepted"_s);
}

std::unique_ptr<ContractFamily> makeErrorContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<ErrorContract>(subject, label);
}

} // namespace Sandboxio

#include "errors.moc"
