// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "containerfacts.h"
#include "daemonfacts.h"
#include "eventline.h"
#include "guestbinary.h"
#include "imagefacts.h"
#include "labels.h"
#include "pullprogress.h"
#include "support/testprogram.h"

#include <QFile>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace Sandboxio;
using namespace Sandboxio::Docker;

namespace {

QJsonObject json(const QByteArray &text)
{
    QJsonParseError error;
    const QJsonObject object = QJsonDocument::fromJson(text, &error).object();
    if (error.error != QJsonParseError::NoError)
        qFatal("%s", qPrintable(error.errorString()));
    return object;
}

const Target target{.backend = u"docker"_s, .templateId = {}, .parameters = {}};
const QDateTime now(QDate(2026, 11, 30), QTime(12, 0), QTimeZone::UTC);

} // namespace

/*! What the daemon writes, as values. Pure functions. */
class tst_DockerValues : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void labelsSurviveTheWayThereAndBack();
    void labelsHoldNoEnvironmentAndNoSecret();
    void oddLabelsAreNoReasonToFail_data();
    void oddLabelsAreNoReasonToFail();
    void pythonSandboxIsForeign();
    void entryOfAListing();
    void entriesThatAreNotOurs();
    void inspection();
    void inspectionOfAnEmptyObject();
    void state_data();
    void state();
    void info();
    void infoOfAnEmptyObject();
    void runtime_data();
    void runtime();
    void event_data();
    void event();
    void pullAddsUpLayers();
    void enormousLayersAddUpToNoNonsense();
    void pullFailsInsideAGoodAnswer();
    void image();
    void reference_data();
    void reference();
    void user_data();
    void user();
    void guestIsLookedForAbovethePlugin();
    void guestMayBeMissing();
};

void tst_DockerValues::labelsSurviveTheWayThereAndBack()
{
    CreatePlan plan;
    plan.templateId = u"python:3.12-slim"_s;
    plan.runtime = u"runsc"_s;
    plan.tier = IsolationTier::GVisor;
    plan.tierSource = u"by its name"_s;
    plan.options.timeout = std::chrono::milliseconds(1500);
    plan.options.metadata = {{u"tenant_id"_s, u"t-1"_s}, {u"odd.key"_s, u"a=b \"c\" ü"_s}};
    plan.options.network = NetworkPolicy::open();
    plan.options.resources = {
        .cpu = 1.5, .memoryMb = 256, .diskMb = {}, .gpu = {}, .processes = 64, .waived = {}};
    plan.options.resources.waive(Resources::Cap::Disk);
    const Owner owner{.hostId = u"h"_s,
                      .bootId = u"b"_s,
                      .pidNamespace = u"4026531836"_s,
                      .pid = 42,
                      .startTime = 9'000'000'000,
                      .user = u"me"_s,
                      .session = u"s"_s};
    const LabelFacts facts = readLabels(labelsOf(plan, owner));
    QVERIFY(facts.managed);
    QCOMPARE(facts.owner, owner);
    QCOMPARE(facts.lifetime, std::chrono::milliseconds(1500));
    QCOMPARE(facts.metadata, plan.options.metadata);
    QCOMPARE(facts.egress, NetworkPolicy::Egress::Open);
    QCOMPARE(facts.resources, plan.options.resources);
    QCOMPARE(facts.tier, IsolationTier::GVisor);
    QCOMPARE(facts.tierSource, u"by its name"_s);
    QCOMPARE(facts.templateId, plan.templateId);
    QCOMPARE(facts.runtime, plan.runtime);
}

void tst_DockerValues::labelsHoldNoEnvironmentAndNoSecret()
{
    CreatePlan plan;
    plan.options.env = {{u"VISIBLE"_s, u"canary-env"_s}};
    plan.options.secrets = {{u"HIDDEN"_s, Secret("canary-secret"_ba)}};
    const QByteArray labels = QJsonDocument(labelsOf(plan, {})).toJson();
    QVERIFY(!labels.contains("canary") && !labels.contains("VISIBLE") && !labels.contains("HIDDEN"));
}

void tst_DockerValues::oddLabelsAreNoReasonToFail_data()
{
    QTest::addColumn<QByteArray>("labels");
    QTest::newRow("no labels") << "{}"_ba;
    QTest::newRow("a plan that is no JSON") << R"({"io.sandboxio.plan":"{oops"})"_ba;
    QTest::newRow("a plan that is an array") << R"({"io.sandboxio.plan":"[1,2]"})"_ba;
    QTest::newRow("values of other types")
        << R"({"io.sandboxio.plan":"{\"egress\":7,\"caps\":{\"cpu\":\"x\",\"memoryMb\":-1}}"})"_ba;
    QTest::newRow("an endless lifetime") << R"({"io.sandboxio.timeout":"inf"})"_ba;
    QTest::newRow("a negative lifetime") << R"({"io.sandboxio.timeout":"-5"})"_ba;
    QTest::newRow("a lifetime of NaN") << R"({"io.sandboxio.timeout":"nan"})"_ba;
    QTest::newRow("an enormous lifetime") << R"({"io.sandboxio.timeout":"1e300"})"_ba;
    QTest::newRow("more processes than a number holds")
        << R"({"io.sandboxio.plan":"{\"caps\":{\"processes\":4294967296}}"})"_ba;
    QTest::newRow("metadata without a key") << R"({"io.sandboxio.meta.":"x"})"_ba;
}

void tst_DockerValues::oddLabelsAreNoReasonToFail()
{
    QFETCH(const QByteArray, labels);
    LabelFacts expected;
    expected.owner.foreign = true;
    QCOMPARE(readLabels(json(labels)), expected);
}

void tst_DockerValues::pythonSandboxIsForeign()
{
    const LabelFacts facts = readLabels(json(R"({"io.sandboxio.managed":"true","io.sandboxio.session":"py-7",
        "io.sandboxio.timeout":"300","io.sandboxio.meta.tenant_id":"t-1"})"));
    QVERIFY(facts.managed);
    QVERIFY(facts.owner.foreign);
    QCOMPARE(facts.owner.session, u"py-7"_s);
    QVERIFY(!facts.owner.pid);
    QCOMPARE(facts.lifetime, std::chrono::seconds(300));
    QCOMPARE(facts.metadata.value(u"tenant_id"_s), u"t-1"_s);
    QVERIFY(!facts.egress);
}

void tst_DockerValues::entryOfAListing()
{
    const auto row = managedSandboxOfEntry(
        json(R"({"Id":"12ab","Names":["/sandboxio-1"],"Image":"python:3","State":"running",
        "Created":1796026331,"Labels":{"io.sandboxio.managed":"true","io.sandboxio.timeout":"60",
        "io.sandboxio.plan":"{\"tier\":\"Container\",\"egress\":\"deny\"}"}})"),
        target, now);
    QVERIFY(row);
    QCOMPARE(row->id, u"12ab"_s);
    QCOMPARE(row->name, u"sandboxio-1"_s);
    QCOMPARE(row->state, SandboxState::Running);
    QCOMPARE(row->createdAt, QDateTime::fromSecsSinceEpoch(1796026331, QTimeZone::UTC));
    QCOMPARE(row->expiresAt, row->createdAt.addSecs(60));
    QVERIFY(row->expiryIsAsked);
    QCOMPARE(row->templateId, u"python:3"_s); // the plan names none
    QCOMPARE(row->tier, IsolationTier::Container);
    QCOMPARE(row->egress, NetworkPolicy::Egress::Deny);
    QCOMPARE(row->lastSeen, now);
}

void tst_DockerValues::entriesThatAreNotOurs()
{
    QVERIFY(!managedSandboxOfEntry({}, target, now));
    QVERIFY(!managedSandboxOfEntry(json(R"({"Id":"1","Labels":null})"), target, now));
    QVERIFY(!managedSandboxOfEntry(json(R"({"Id":"1","Labels":{"io.sandboxio.managed":"yes"}})"), target, now));
    QVERIFY(!managedSandboxOfEntry(json(R"({"Labels":{"io.sandboxio.managed":"true"}})"), target, now));
    const auto bare =
        managedSandboxOfEntry(json(R"({"Id":"1","Labels":{"io.sandboxio.managed":"true"}})"), target, now);
    QVERIFY(bare);
    QVERIFY(!bare->createdAt.isValid() && !bare->expiresAt.isValid());
    QCOMPARE(bare->state, SandboxState::Unknown);
}

void tst_DockerValues::inspection()
{
    const auto facts =
        containerFacts(json(R"({"Id":"12ab","Name":"/sandboxio-1","Created":"2026-11-30T08:41:18.123456789Z",
        "State":{"Status":"paused","StartedAt":"2026-11-30T08:41:20.5Z"},
        "Config":{"Image":"python:3","User":"app","WorkingDir":"/work","Env":["A=b=c","PATH=/bin"],
                  "Labels":{"io.sandboxio.managed":"true","io.sandboxio.timeout":"60"}},
        "HostConfig":{"Runtime":"runc","NetworkMode":"none","SecurityOpt":["no-new-privileges"],"CapDrop":["ALL"],"CapAdd":null,
                      "Memory":67108864,"MemorySwap":-1,"NanoCpus":0,"PidsLimit":null},
        "NetworkSettings":{"Networks":{"none":{}}},
        "Mounts":[{"Type":"volume","Name":"other","Destination":"/work"},
                  {"Type":"volume","Name":"sandboxio-guest-1-amd64","Destination":"/.sandboxio"}]})"));
    QVERIFY(facts);
    QCOMPARE(facts->name, u"sandboxio-1"_s);
    QCOMPARE(facts->state, SandboxState::Paused);
    QCOMPARE(facts->env.value(u"A"_s), u"b=c"_s);
    QCOMPARE(facts->networks, QStringList{u"none"_s});
    QCOMPARE(facts->memory, 67108864);
    QVERIFY(!facts->memorySwap && !facts->nanoCpus && !facts->pids);
    QCOMPARE(facts->guestVolume, u"sandboxio-guest-1-amd64"_s);
    const ManagedSandbox row = managedSandbox(*facts, target, now);
    QCOMPARE(row.createdAt.date(), QDate(2026, 11, 30));
    QCOMPARE(row.expiresAt, facts->startedAt.addSecs(60)); // the lifetime begins with the start
}

void tst_DockerValues::inspectionOfAnEmptyObject()
{
    QVERIFY(!containerFacts({}));
    const auto never =
        containerFacts(json(R"({"Id":"1","State":{"Status":"created","StartedAt":"0001-01-01T00:00:00Z"}})"));
    QVERIFY(never);
    QVERIFY(!never->startedAt.isValid());
    QVERIFY(never->guestVolume.isEmpty());
}

void tst_DockerValues::state_data()
{
    QTest::addColumn<SandboxState>("expected");
    QTest::newRow("created") << SandboxState::Creating;
    QTest::newRow("running") << SandboxState::Running;
    QTest::newRow("restarting") << SandboxState::Running;
    QTest::newRow("paused") << SandboxState::Paused;
    QTest::newRow("exited") << SandboxState::Stopped;
    QTest::newRow("removing") << SandboxState::Stopped;
    QTest::newRow("dead") << SandboxState::Failed;
    QTest::newRow("flying") << SandboxState::Unknown;
}

void tst_DockerValues::state()
{
    QFETCH(const SandboxState, expected);
    QCOMPARE(sandboxState(QString::fromLatin1(QTest::currentDataTag())), expected);
}

void tst_DockerValues::info()
{
    const DaemonFacts facts =
        daemonFacts(json(R"({"ServerVersion":"26.1.5","OperatingSystem":"Debian 13","Architecture":"x86_64",
        "Driver":"overlay2","CgroupVersion":"2","DefaultRuntime":"runc","Runtimes":{"runsc":{},"runc":{}},"NCPU":2,
        "MemoryLimit":true,"SwapLimit":false,"PidsLimit":true,"CpuCfsQuota":true,"CpuCfsPeriod":false,
        "SecurityOptions":["name=seccomp,profile=builtin","name=rootless"],"Warnings":["WARNING: No swap limit support"]})"));
    QCOMPARE(facts.imageArchitecture(), u"amd64"_s);
    QCOMPARE(facts.runtimes, (QStringList{u"runc"_s, u"runsc"_s}));
    QCOMPARE(facts.enforceable, Resources::Cap::Memory | Resources::Cap::Processes);
    QVERIFY(!facts.swapLimit);
    QVERIFY(facts.rootless);
    QCOMPARE(facts.cpus, 2);
    QCOMPARE(facts.warnings.size(), 1);
}

void tst_DockerValues::infoOfAnEmptyObject()
{
    QCOMPARE(daemonFacts({}), DaemonFacts());
    QCOMPARE(daemonFacts(json(R"({"Warnings":null,"Runtimes":null,"MemoryLimit":"yes"})")), DaemonFacts());
}

void tst_DockerValues::runtime_data()
{
    QTest::addColumn<IsolationTier>("tier");
    QTest::newRow("runc") << IsolationTier::Container;
    QTest::newRow("crun") << IsolationTier::Container;
    QTest::newRow("io.containerd.runc.v2") << IsolationTier::Container;
    QTest::newRow("runsc") << IsolationTier::GVisor;
    QTest::newRow("kata-qemu") << IsolationTier::MicroVm;
    QTest::newRow("runcx") << IsolationTier::Unknown;
    QTest::newRow("") << IsolationTier::Unknown;
}

void tst_DockerValues::runtime()
{
    QFETCH(const IsolationTier, tier);
    const RuntimeTier judged = runtimeTier(QString::fromLatin1(QTest::currentDataTag()));
    QCOMPARE(judged.tier, tier);
    const bool needsDate = tier == IsolationTier::GVisor || tier == IsolationTier::MicroVm;
    QVERIFY(!needsDate || judged.source.contains(u"2024-07"_s));
}

void tst_DockerValues::event_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<std::optional<BackendEvent::Kind>>("kind");
    using Kind = std::optional<BackendEvent::Kind>;
    const auto action = [](const char *name) {
        return R"({"Type":"container","Action":")"_ba + name +
               R"(","Actor":{"ID":"12ab","Attributes":{"image":"x"}}})";
    };
    QTest::newRow("a start") << action("start") << Kind(BackendEvent::Kind::Changed);
    QTest::newRow("an end") << action("die") << Kind(BackendEvent::Kind::Changed);
    QTest::newRow("a removal") << action("destroy") << Kind(BackendEvent::Kind::Removed);
    QTest::newRow("an exec") << action("exec_create: sh -c true") << Kind();
    QTest::newRow("an attach") << action("attach") << Kind();
    QTest::newRow("an image") << R"({"Type":"image","Action":"pull","Actor":{"ID":"x"}})"_ba << Kind();
    QTest::newRow("no id") << R"({"Type":"container","Action":"start"})"_ba << Kind();
    QTest::newRow("no JSON") << "oops"_ba << Kind();
    QTest::newRow("an empty line") << QByteArray() << Kind();
}

void tst_DockerValues::event()
{
    QFETCH(const QByteArray, line);
    QFETCH(const std::optional<BackendEvent::Kind>, kind);
    const auto event = backendEvent(line);
    QCOMPARE(event.has_value(), kind.has_value());
    if (event) {
        QCOMPARE(event->kind, *kind);
        QCOMPARE(event->id, u"12ab"_s);
    }
}

void tst_DockerValues::pullAddsUpLayers()
{
    const Purpose purpose{ErrorKind::CreationError, u"pull"_s};
    PullProgress progress;
    QVERIFY(!progress.feed(R"({"status":"Pulling from library/python","id":"3.12"})", purpose)->total);
    progress.feed(R"({"status":"Downloading","progressDetail":{"current":10,"total":100},"id":"a"})", purpose);
    auto sum = progress.feed(R"({"status":"Downloading","progressDetail":{"current":5,"total":50},"id":"b"})",
                             purpose);
    QCOMPARE(sum->done, 15);
    QCOMPARE(sum->total, 150);
    sum = progress.feed(R"({"status":"Download complete","progressDetail":{},"id":"a"})", purpose);
    QCOMPARE(sum->done, 105);
    sum = progress.feed(R"({"status":"Extracting","progressDetail":{"current":1,"total":100},"id":"a"})",
                        purpose);
    QCOMPARE(sum->done, 105);
    QCOMPARE(sum->step, u"a: Extracting"_s);
}

void tst_DockerValues::enormousLayersAddUpToNoNonsense()
{
    const Purpose purpose{ErrorKind::CreationError, u"pull"_s};
    PullProgress progress;
    const QByteArray line =
        R"({"status":"Downloading","progressDetail":{"current":9000000000000000000,"total":9000000000000000000},"id":"%"})";
    for (const char id : {'a', 'b', 'c'}) {
        const auto sum = progress.feed(QByteArray(line).replace('%', id), purpose);
        QVERIFY(sum->done >= 0 && sum->total > 0 && sum->done <= sum->total);
    }
}

void tst_DockerValues::pullFailsInsideAGoodAnswer()
{
    const Purpose purpose{ErrorKind::CreationError, u"pull"_s};
    PullProgress progress;
    const auto failed =
        progress.feed(R"({"errorDetail":{"message":"manifest unknown: no such tag"},"error":"x"})", purpose);
    QVERIFY(!failed);
    QCOMPARE(failed.error().kind, ErrorKind::CreationError);
    QVERIFY(failed.error().cause->text.contains(u"no such tag"_s));
    QVERIFY(!progress.feed(R"({"error":"write: no space left on device"})", purpose));
    QVERIFY(!progress.feed("not JSON", purpose));
}

void tst_DockerValues::image()
{
    const ImageFacts facts = imageFacts(json(R"({"Id":"sha256:1","Architecture":"arm64","Os":"linux",
        "Config":{"User":"app","WorkingDir":"/srv","Env":["PATH=/a:/b","X=1"],"Entrypoint":["/run"],"Volumes":{"/data":{}}}})"));
    QCOMPARE(facts.user, u"app"_s);
    QCOMPARE(facts.searchPath, u"/a:/b"_s);
    QCOMPARE(facts.architecture, u"arm64"_s);
    QCOMPARE(facts.entrypoint, QStringList{u"/run"_s});
    QCOMPARE(facts.volumes, QStringList{u"/data"_s});
    QCOMPARE(imageFacts({}), ImageFacts());
    QCOMPARE(imageFacts(json(R"({"Config":null})")), ImageFacts());
}

void tst_DockerValues::reference_data()
{
    QTest::addColumn<std::optional<ImageReference>>("expected");
    using Reference = std::optional<ImageReference>;
    const QString digest = u"sha256:"_s + QString(64, u'a');
    QTest::newRow("python") << Reference({u"python"_s, u"latest"_s});
    QTest::newRow("python:3.12-slim") << Reference({u"python"_s, u"3.12-slim"_s});
    QTest::newRow("host:5000/team/app") << Reference({u"host:5000/team/app"_s, u"latest"_s});
    QTest::newRow("host:5000/team/app:v1") << Reference({u"host:5000/team/app"_s, u"v1"_s});
    QTest::newRow("registry.invalid/a/b:1") << Reference({u"registry.invalid/a/b"_s, u"1"_s});
    QTest::addRow("app@%s", qPrintable(digest)) << Reference({u"app"_s, digest});
    QTest::newRow("") << Reference();
    QTest::newRow("Upper") << Reference();
    QTest::newRow("../containers") << Reference();
    QTest::newRow("a b") << Reference();
    QTest::newRow("a?x=1") << Reference();
    QTest::newRow("a:") << Reference();
    QTest::newRow("a\n") << Reference();
}

void tst_DockerValues::reference()
{
    QFETCH(const std::optional<ImageReference>, expected);
    QCOMPARE(parseImageReference(QString::fromLatin1(QTest::currentDataTag())), expected);
}

void tst_DockerValues::user_data()
{
    QTest::addColumn<std::optional<UserIds>>("expected");
    using Ids = std::optional<UserIds>;
    QTest::newRow("") << Ids({0, 0});
    QTest::newRow("root") << Ids({0, 0});
    QTest::newRow("1000:2000") << Ids({1000, 2000});
    QTest::newRow("app") << Ids({1000, 1001});
    QTest::newRow("1000") << Ids({1000, 1001}); // Docker takes the group from passwd as well
    QTest::newRow("7") << Ids({7, 0});
    QTest::newRow("app:staff") << Ids({1000, 50});
    QTest::newRow("app:9") << Ids({1000, 9});
    QTest::newRow("nobody-here") << Ids();
    QTest::newRow("app:nothing") << Ids();
    QTest::newRow("-1") << Ids();
}

void tst_DockerValues::user()
{
    QFETCH(const std::optional<UserIds>, expected);
    const QByteArray passwd = "root:x:0:0:root:/root:/bin/sh\nbroken\napp:x:1000:1001::/home/app:/bin/sh\n";
    const auto ids =
        resolveUser(QString::fromLatin1(QTest::currentDataTag()), passwd, "root:x:0:\nstaff:x:50:\n");
    QCOMPARE(ids.has_value(), expected.has_value());
    if (ids)
        QCOMPARE(*ids, *expected);
    else
        QCOMPARE(ids.error().kind, ErrorKind::CreationError);
}

void tst_DockerValues::guestIsLookedForAbovethePlugin()
{
    const QStringList found = guestCandidates(u"/usr/lib/x/sandboxio/adapters/docker.so"_s, {}, u"amd64"_s);
    QVERIFY(found.contains(u"/usr/libexec/sandboxio/guest/amd64/sandboxio-guest"_s));
    QCOMPARE(guestCandidates(u"/usr/lib/docker.so"_s, u"/opt/guest"_s, u"arm64"_s),
             QStringList{u"/opt/guest/arm64/sandboxio-guest"_s});
}

void tst_DockerValues::guestMayBeMissing()
{
    const QTemporaryDir folder;
    const auto missing = loadGuest({folder.filePath(u"none"_s)}, u"riscv64"_s);
    QVERIFY(!missing);
    QCOMPARE(missing.error().kind, ErrorKind::CreationError);
    QVERIFY(missing.error().hint.contains(u"SANDBOXIO_GUEST_DIR"_s));
    QFile file(folder.filePath(u"guest"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("abc");
    file.close();
    const auto guest = loadGuest({folder.filePath(u"none"_s), file.fileName()}, u"amd64"_s);
    QVERIFY(guest);
    QCOMPARE(guest->version, u"ba7816bf8f01"_s);
    QCOMPARE(guest->volumeName(), u"sandboxio-guest-ba7816bf8f01-amd64"_s);
}

SANDBOXIO_TEST(tst_DockerValues)
#include "tst_dockervalues.moc"
