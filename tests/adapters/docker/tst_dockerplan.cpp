// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "containerrequest.h"
#include "dockerconfig.h"
#include "dockerplan.h"
#include "support/testprogram.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <functional>

using namespace Qt::StringLiterals;
using namespace Sandboxio;
using namespace Sandboxio::Docker;

Q_DECLARE_METATYPE(std::function<void(PlanInput &)>)
Q_DECLARE_METATYPE(std::function<void(ContainerFacts &)>)

namespace {

using Change = std::function<void(PlanInput &)>;
using Flaw = std::function<void(ContainerFacts &)>;

PlanInput goodInput()
{
    PlanInput input;
    input.target = {.backend = u"docker"_s, .templateId = {}, .parameters = {}};
    DaemonFacts daemon;
    daemon.architecture = u"x86_64"_s;
    daemon.defaultRuntime = u"runc"_s;
    daemon.runtimes = {u"runc"_s, u"runsc"_s, u"mystery"_s};
    daemon.enforceable = Resources::Cap::Cpu | Resources::Cap::Memory | Resources::Cap::Processes;
    daemon.swapLimit = true;
    daemon.cpus = 4;
    daemon.storageDriver = u"overlay2"_s;
    input.daemon = daemon;
    input.keeperPossible = true;
    return input;
}

/*! What inspect says of a container as \a plan wants it. */
ContainerFacts goodFacts(const CreatePlan &plan)
{
    ContainerFacts facts;
    facts.id = u"12ab"_s;
    facts.networkMode = u"none"_s;
    facts.networks = {u"none"_s};
    facts.droppedCapabilities = {u"ALL"_s};
    facts.securityOptions = {u"no-new-privileges"_s};
    facts.runtime = plan.runtime;
    facts.memory = facts.memorySwap = 512 * 1024 * 1024;
    facts.nanoCpus = 1'000'000'000;
    facts.pids = 512;
    facts.labels.managed = true;
    return facts;
}

} // namespace

/*! Plans, what is sent for them, and how what came up is checked. Pure functions. */
class tst_DockerPlan : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void defaultsAreModest();
    void namesAreUnique();
    void templateComesFromOnePlace_data();
    void templateComesFromOnePlace();
    void refusals_data();
    void refusals();
    void waivedCapIsLeftOutAndSaidSo();
    void runtimeDecidesTheTier_data();
    void runtimeDecidesTheTier();
    void requestHardensTheContainer();
    void requestHoldsNoSecret();
    void openEgressUsesTheBridge();
    void waivedCapIsNotSent();
    void goodContainerMatches();
    void mismatches_data();
    void mismatches();
    void configBecomesATarget();
};

void tst_DockerPlan::defaultsAreModest()
{
    const CreatePlan plan = makePlan(goodInput());
    QVERIFY(plan.isAccepted());
    QCOMPARE(plan.templateId, u"python:3.12-slim"_s);
    QCOMPARE(plan.options.resources.cpu, 1.0);
    QCOMPARE(plan.options.resources.memoryMb, 512);
    QCOMPARE(plan.options.resources.processes, 512);
    QVERIFY(!plan.options.resources.diskMb);
    QCOMPARE(plan.runtime, u"runc"_s);
    QCOMPARE(plan.tier, IsolationTier::Container);
    QVERIFY(!plan.lifetimeMechanism.isEmpty());
}

void tst_DockerPlan::namesAreUnique()
{
    const QString one = makePlan(goodInput()).name;
    QVERIFY(one.startsWith(u"sandboxio-"_s));
    QVERIFY(one != makePlan(goodInput()).name);
}

void tst_DockerPlan::templateComesFromOnePlace_data()
{
    QTest::addColumn<QString>("dsn");
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("fallback");
    QTest::addColumn<QString>("expected");
    QTest::newRow("the DSN") << u"a:1"_s << QString() << u"z"_s << u"a:1"_s;
    QTest::newRow("the options") << QString() << u"b:1"_s << u"z"_s << u"b:1"_s;
    QTest::newRow("both when they agree") << u"a:1"_s << u"a:1"_s << QString() << u"a:1"_s;
    QTest::newRow("the variable") << QString() << QString() << u"z:9"_s << u"z:9"_s;
    QTest::newRow("the default") << QString() << QString() << QString() << u"python:3.12-slim"_s;
    QTest::newRow("neither when they disagree") << u"a:1"_s << u"b:1"_s << QString() << QString();
    QTest::newRow("no name of an image") << u"../info"_s << QString() << QString() << QString();
}

void tst_DockerPlan::templateComesFromOnePlace()
{
    QFETCH(const QString, dsn);
    QFETCH(const QString, option);
    QFETCH(const QString, fallback);
    QFETCH(const QString, expected);
    CreateOptions options;
    options.templateId = option;
    const auto name =
        resolveTemplate({.backend = u"docker"_s, .templateId = dsn, .parameters = {}}, options, fallback);
    QCOMPARE(name.value_or(QString()), expected);
    if (!name)
        QCOMPARE(name.error().kind, ErrorKind::ConfigurationError);
}

void tst_DockerPlan::refusals_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<QString>("messageContains");
    using Kind = ErrorKind;
    const auto row = [](const char *name, const Change &change, Kind kind, const QString &text) {
        QTest::newRow(name) << change << kind << text;
    };
    row(
        "an unknown parameter", [](PlanInput &i) { i.target.parameters[u"gpus"_s] = u"1"_s; },
        Kind::ConfigurationError, u"gpus"_s);
    row(
        "runs by something unknown", [](PlanInput &i) { i.target.parameters[u"runs"_s] = u"ssh"_s; },
        Kind::ConfigurationError, u"ssh"_s);
    row(
        "an allow list",
        [](PlanInput &i) { i.options.network = NetworkPolicy::allowList({u"pypi.org:443"_s}); },
        Kind::CapabilityNotSupported, u"allowlist"_s);
    row(
        "learning", [](PlanInput &i) { i.options.network.egress = NetworkPolicy::Egress::Learn; },
        Kind::CapabilityNotSupported, u"learn"_s);
    row(
        "an open port", [](PlanInput &i) { i.options.network.ingressPorts = {8080}; },
        Kind::CapabilityNotSupported, u"ports"_s);
    row(
        "a disk cap", [](PlanInput &i) { i.options.resources.diskMb = 100; }, Kind::ConfigurationError,
        u"overlay2"_s);
    row(
        "a GPU", [](PlanInput &i) { i.options.resources.gpu = u"any"_s; }, Kind::CapabilityNotSupported,
        QString());
    row(
        "more cores than there are", [](PlanInput &i) { i.options.resources.cpu = 5; },
        Kind::ConfigurationError, u"cpu"_s);
    row(
        "too little memory", [](PlanInput &i) { i.options.resources.memoryMb = 1; }, Kind::ConfigurationError,
        u"memory"_s);
    row(
        "no pids controller",
        [](PlanInput &i) { i.daemon->enforceable.setFlag(Resources::Cap::Processes, false); },
        Kind::ConfigurationError, u"processes"_s);
    row(
        "no cpu controller", [](PlanInput &i) { i.daemon->enforceable.setFlag(Resources::Cap::Cpu, false); },
        Kind::ConfigurationError, u"cpu"_s);
    row(
        "memory without a swap limit", [](PlanInput &i) { i.daemon->swapLimit = false; },
        Kind::ConfigurationError, u"memory"_s);
    row(
        "an unknown runtime", [](PlanInput &i) { i.target.parameters[u"runtime"_s] = u"kata"_s; },
        Kind::ConfigurationError, u"kata"_s);
    row(
        "too little isolation", [](PlanInput &i) { i.options.requireIsolation = IsolationTier::MicroVm; },
        Kind::ConfigurationError, u"MicroVM"_s);
    row(
        "isolation that nobody knows",
        [](PlanInput &i) {
            i.options.requireIsolation = IsolationTier::Container;
            i.target.parameters[u"runtime"_s] = u"mystery"_s;
        },
        Kind::ConfigurationError, u"Unknown"_s);
    row(
        "a lifetime of nothing", [](PlanInput &i) { i.options.timeout = std::chrono::milliseconds(0); },
        Kind::ConfigurationError, u"lifetime"_s);
    row(
        "a daemon that does not answer",
        [](PlanInput &i) {
            i.daemon.reset();
            i.problems.append(makeError(Kind::CreationError, u"no daemon"_s));
        },
        Kind::CreationError, u"no daemon"_s);
}

void tst_DockerPlan::refusals()
{
    QFETCH(const Change, change);
    QFETCH(const ErrorKind, kind);
    QFETCH(const QString, messageContains);
    PlanInput input = goodInput();
    change(input);
    const CreatePlan plan = makePlan(input);
    QCOMPARE(plan.refusals.size(), 1);
    QCOMPARE(plan.refusals.first().kind, kind);
    QVERIFY2(plan.refusals.first().message.contains(messageContains),
             qPrintable(plan.refusals.first().message));
    QVERIFY(!plan.refusals.first().hint.isEmpty());
}

void tst_DockerPlan::waivedCapIsLeftOutAndSaidSo()
{
    PlanInput input = goodInput();
    input.daemon->enforceable = {};
    input.options.resources.diskMb = 100;
    input.options.resources.waive(Resources::Cap::Cpu).waive(Resources::Cap::Memory);
    input.options.resources.waive(Resources::Cap::Processes).waive(Resources::Cap::Disk);
    const CreatePlan plan = makePlan(input);
    QVERIFY(plan.isAccepted());
    QCOMPARE(plan.remarks.size(), 4);
    const Resources &left = plan.options.resources;
    QVERIFY(!left.cpu && !left.memoryMb && !left.processes && !left.diskMb);
    PlanInput able = goodInput(); // waiving is "may be missing", not "must be missing"
    able.options.resources.waive(Resources::Cap::Memory);
    QCOMPARE(makePlan(able).options.resources.memoryMb, 512);
}

void tst_DockerPlan::runtimeDecidesTheTier_data()
{
    QTest::addColumn<IsolationTier>("tier");
    QTest::newRow("runc") << IsolationTier::Container;
    QTest::newRow("runsc") << IsolationTier::GVisor;
    QTest::newRow("mystery") << IsolationTier::Unknown;
}

void tst_DockerPlan::runtimeDecidesTheTier()
{
    QFETCH(const IsolationTier, tier);
    PlanInput input = goodInput();
    input.target.parameters[u"runtime"_s] = QString::fromLatin1(QTest::currentDataTag());
    const CreatePlan plan = makePlan(input);
    QVERIFY(plan.isAccepted());
    QCOMPARE(plan.tier, tier);
    QVERIFY(!plan.tierSource.isEmpty());
    const QString kept = u"Where a program inside stops that process"_s;
    QCOMPARE(plan.lifetimeMechanism.contains(kept), tier != IsolationTier::Container);

    // What a program inside can stop is no guarantee: it has to be accepted in so many words.
    input.keeperPossible = false;
    QCOMPARE(makePlan(input).isAccepted(), tier == IsolationTier::Container);
    input.options.acceptClientSideLifetime = true;
    const CreatePlan accepted = makePlan(input);
    QVERIFY(accepted.isAccepted());
    QCOMPARE(accepted.remarks.size(), plan.remarks.size() + (tier == IsolationTier::Container ? 0 : 1));
    QVERIFY(!accepted.lifetimeMechanism.contains(kept));
}

void tst_DockerPlan::requestHardensTheContainer()
{
    PlanInput input = goodInput();
    input.options.timeout = std::chrono::seconds(7);
    const QJsonObject request = containerRequest(makePlan(input), {}, u"sandboxio-guest-1-amd64"_s);
    const QJsonObject host = request.value("HostConfig"_L1).toObject();
    QCOMPARE(host["NetworkMode"_L1].toString(), u"none"_s);
    QCOMPARE(host["CapDrop"_L1].toArray(), QJsonArray{u"ALL"_s});
    QCOMPARE(host["SecurityOpt"_L1].toArray(), QJsonArray{u"no-new-privileges"_s});
    QCOMPARE(host["Memory"_L1].toInteger(), 512LL * 1024 * 1024);
    QCOMPARE(host["MemorySwap"_L1].toInteger(), host["Memory"_L1].toInteger());
    QCOMPARE(host["NanoCpus"_L1].toInteger(), 1'000'000'000LL);
    QCOMPARE(host["PidsLimit"_L1].toInt(), 512);
    QCOMPARE(host["LogConfig"_L1]["Type"_L1].toString(), u"none"_s);
    QCOMPARE(host["Init"_L1], QJsonValue(false));
    QCOMPARE(host["Mounts"_L1][0]["ReadOnly"_L1], QJsonValue(true));
    QVERIFY(!host.contains("Binds"_L1) && !host.contains("Privileged"_L1));
    const QJsonArray first{u"/.sandboxio/sandboxio-guest"_s, u"serve"_s, u"--lifetime-ms"_s, u"7000"_s};
    QCOMPARE(request["Entrypoint"_L1].toArray(), first);
    QCOMPARE(request["Cmd"_L1].toArray().size(), 0);
    QVERIFY(request["Tty"_L1] == QJsonValue(false) && request["OpenStdin"_L1] == QJsonValue(true));
}

void tst_DockerPlan::requestHoldsNoSecret()
{
    PlanInput input = goodInput();
    input.options.env = {{u"A"_s, u"visible"_s}};
    input.options.secrets = {{u"TOKEN"_s, Secret("canary-77"_ba)}};
    const CreatePlan plan = makePlan(input);
    for (const QJsonObject &request :
         {containerRequest(plan, {}, u"v"_s), fillRequest(plan, {}, u"v"_s, u"1"_s)}) {
        const QByteArray text = QJsonDocument(request).toJson();
        QVERIFY(!text.contains("canary-77") && !text.contains("TOKEN"));
    }
    QCOMPARE(containerRequest(plan, {}, u"v"_s)["Env"_L1].toArray(), QJsonArray{u"A=visible"_s});
}

void tst_DockerPlan::openEgressUsesTheBridge()
{
    PlanInput input = goodInput();
    input.options.network = NetworkPolicy::open();
    const QJsonObject request = containerRequest(makePlan(input), {}, u"v"_s);
    QCOMPARE(request["HostConfig"_L1]["NetworkMode"_L1].toString(), u"bridge"_s);
}

void tst_DockerPlan::waivedCapIsNotSent()
{
    PlanInput input = goodInput();
    input.daemon->enforceable = {};
    input.options.resources.waived = Resources::Cap::Cpu | Resources::Cap::Memory | Resources::Cap::Processes;
    const QJsonObject host = containerRequest(makePlan(input), {}, u"v"_s)["HostConfig"_L1].toObject();
    QVERIFY(!host.contains("Memory"_L1) && !host.contains("MemorySwap"_L1));
    QVERIFY(!host.contains("NanoCpus"_L1) && !host.contains("PidsLimit"_L1));
}

void tst_DockerPlan::goodContainerMatches()
{
    const CreatePlan plan = makePlan(goodInput());
    const auto mismatch = findMismatch(plan, {}, goodFacts(plan));
    QVERIFY2(!mismatch, mismatch ? qPrintable(mismatch->toText()) : "");
}

void tst_DockerPlan::mismatches_data()
{
    QTest::addColumn<Flaw>("flaw");
    QTest::addColumn<ErrorKind>("kind");
    using Kind = ErrorKind;
    const auto row = [](const char *name, const Flaw &flaw, Kind kind = Kind::CreationError) {
        QTest::newRow(name) << flaw << kind;
    };
    row(
        "another network mode", [](ContainerFacts &f) { f.networkMode = u"bridge"_s; },
        Kind::NetworkPolicyViolation);
    row(
        "a second network", [](ContainerFacts &f) { f.networks.append(u"bridge"_s); },
        Kind::NetworkPolicyViolation);
    row("no memory limit", [](ContainerFacts &f) { f.memory.reset(); });
    row("swap", [](ContainerFacts &f) { f.memorySwap = 2LL * 512 * 1024 * 1024; });
    row("no cpu limit", [](ContainerFacts &f) { f.nanoCpus.reset(); });
    row("more processes", [](ContainerFacts &f) { f.pids = 513; });
    row("capabilities kept", [](ContainerFacts &f) { f.droppedCapabilities.clear(); });
    row("a capability added", [](ContainerFacts &f) { f.addedCapabilities.append(u"NET_ADMIN"_s); });
    row("privileged", [](ContainerFacts &f) { f.privileged = true; });
    row("new privileges allowed", [](ContainerFacts &f) { f.securityOptions.clear(); });
    row("another runtime", [](ContainerFacts &f) { f.runtime = u"runsc"_s; });
    row("another user", [](ContainerFacts &f) { f.user = u"app"_s; });
    row("labels dropped", [](ContainerFacts &f) { f.labels = {}; });
}

void tst_DockerPlan::mismatches()
{
    QFETCH(const Flaw, flaw);
    QFETCH(const ErrorKind, kind);
    const CreatePlan plan = makePlan(goodInput());
    ContainerFacts facts = goodFacts(plan);
    flaw(facts);
    const auto mismatch = findMismatch(plan, {}, facts);
    QVERIFY(mismatch);
    QCOMPARE(mismatch->kind, kind);
    QVERIFY(!mismatch->hint.isEmpty());
}

void tst_DockerPlan::configBecomesATarget()
{
    const Target target = DockerConfig{.image = u"a:1"_s, .host = u"unix:///x"_s, .runtime = u"runsc"_s};
    QCOMPARE(target, Target::fromDsn(u"docker://a:1?host=unix:///x&runtime=runsc"_s));
    const Target plain = DockerConfig{.image = {}, .host = {}, .runtime = {}, .plainExec = true};
    QCOMPARE(plain, Target::fromDsn(u"docker://?runs=exec"_s));
    const Target bare = DockerConfig{};
    QCOMPARE(bare, Target::fromDsn(u"docker://"_s));
}

SANDBOXIO_TEST(tst_DockerPlan)
#include "tst_dockerplan.moc"
