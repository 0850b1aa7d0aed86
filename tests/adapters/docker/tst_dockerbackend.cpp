// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "backendfixture.h"
#include "support/testprogram.h"

#include "dockersandbox.h"
#include "labels.h"

#include <QJsonDocument>

using namespace Qt::StringLiterals;
using namespace Sandboxio;
using namespace Sandboxio::Docker;

/*! Create, list, connect, kill and watch on a real daemon. */
class tst_DockerBackend : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void createdSandboxRunsAndKillLeavesNothing();
    void labelsSayWhoAndWhat();
    void denyAndHardeningAreInForce();
    void capsAreInForceInside();
    void openEgressHasANetwork();
    void environmentReachesRunsAndSecretsStayOutOfTheContainer();
    void ownerOfTheWorkDirectoryIsTheUserOfTheImage_data();
    void ownerOfTheWorkDirectoryIsTheUserOfTheImage();
    void lifetimeEndsTheContainer();
    void guestVolumeIsRefilledWhenItWasLeftEmpty();
    void manyCreatorsAtOnceFillTheGuestVolumeOnce();
    void cancelLeavesNothing_data();
    void cancelLeavesNothing();
    void limitOfAStepNamesItAndLeavesNothing();
    void missingImageWithoutRegistryIsExplained();
    void capThatTheDaemonRefusesLeavesNothing();
    void listFindsByMetadataAndShowsForeignOnes();
    void aForeignSandboxThatWasStartedAnewIsNotOver();
    void killManagedRefusesWhatIsNotManaged();
    void connectFindsRunningOnesOnly();
    void eventsTellOfCreateAndRemove();
    void diagnosisIsGood();

private:
    /*! A container that was not made by this adapter. */
    QString makeForeign(const QJsonObject &labels, const QString &user = {});
    QString buildImage(const QString &user);

    std::unique_ptr<BackendFixture> m_fixture;
};

void tst_DockerBackend::init()
{
    QString why;
    m_fixture = BackendFixture::make(&why);
    if (!m_fixture)
        QSKIP(qPrintable(why));
}

void tst_DockerBackend::cleanup()
{
    m_fixture.reset();
}

QString tst_DockerBackend::makeForeign(const QJsonObject &labels, const QString &user)
{
    QJsonObject all = metadataLabels(m_fixture->metadata());
    for (auto it = labels.begin(); it != labels.end(); ++it)
        all[it.key()] = it.value();
    const QJsonObject body{{u"Image"_s, QString::fromLatin1(testImage)},
                           {u"User"_s, user},
                           {u"Cmd"_s, QJsonArray{u"sleep"_s, u"60"_s}},
                           {u"Labels"_s, all},
                           {u"HostConfig"_s, QJsonObject{{u"NetworkMode"_s, u"none"_s}}}};
    const Call call{.purpose = {ErrorKind::CreationError, u"test"_s}};
    const QByteArray made = waitFor(m_fixture->api().post(u"/containers/create"_s, {}, body, call));
    const QString id = objectOf(made, call.purpose).value("Id"_L1).toString();
    waitFor(m_fixture->api().post(u"/containers/%1/start"_s.arg(id), {}, {}, call));
    return id;
}

void tst_DockerBackend::createdSandboxRunsAndKillLeavesNothing()
{
    const CreatePlan plan = waitFor(m_fixture->backend().plan(m_fixture->options()));
    QVERIFY(plan.isAccepted());
    QCOMPARE(plan.runtime, u"runc"_s);
    QCOMPARE(plan.tier, IsolationTier::Container);
    QVERIFY(!plan.templateMissing);
    const auto operation = m_fixture->backend().create(plan);
    QVERIFY(!operation.isEnded());
    const auto sandbox = waitFor(operation);
    QCOMPARE(sandbox->details().managed.name, plan.name);
    QCOMPARE(sandbox->details().managed.state, SandboxState::Running);
    QCOMPARE(outputOf(*sandbox, {u"pwd"_s}), "/work\n");
    QCOMPARE(m_fixture->leftovers().size(), 2); // the container and its volume
    waitFor(sandbox->kill());
    QCOMPARE(m_fixture->leftovers(), QStringList());
    waitFor(sandbox->kill());
    QVERIFY(m_fixture->warnings.isEmpty());
}

void tst_DockerBackend::labelsSayWhoAndWhat()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    const QJsonObject labels = m_fixture->inspect(sandbox->id())["Config"_L1]["Labels"_L1].toObject();
    const LabelFacts facts = readLabels(labels);
    QVERIFY(facts.managed);
    QCOMPARE(facts.owner, m_fixture->context().owner);
    QCOMPARE(facts.metadata, m_fixture->metadata());
    QCOMPARE(facts.lifetime, std::chrono::seconds(60));
    QCOMPARE(facts.egress, NetworkPolicy::Egress::Deny);
    QCOMPARE(facts.tier, IsolationTier::Container);
    QCOMPARE(facts.templateId, QString::fromLatin1(testImage));
    QCOMPARE(facts.resources.memoryMb, 512);
}

void tst_DockerBackend::denyAndHardeningAreInForce()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    QCOMPARE(m_fixture->inspect(sandbox->id())["HostConfig"_L1]["NetworkMode"_L1].toString(), u"none"_s);
    const QByteArray interfaces = outputOf(*sandbox, {u"ls"_s, u"/sys/class/net"_s});
    QCOMPARE(interfaces.trimmed(), "lo");
    const QByteArray status = outputOf(
        *sandbox, {u"grep"_s, u"-E"_s, u"CapEff|CapBnd|NoNewPrivs|Seccomp:"_s, u"/proc/self/status"_s});
    QVERIFY2(status.contains("CapEff:\t0000000000000000"), status.constData());
    QVERIFY2(status.contains("CapBnd:\t0000000000000000"), status.constData());
    QVERIFY2(status.contains("NoNewPrivs:\t1"), status.constData());
    const QByteArray touched = outputOf(*sandbox, {u"touch"_s, u"/.sandboxio/x"_s});
    QVERIFY2(touched.contains("Read-only file system"), touched.constData());
}

void tst_DockerBackend::capsAreInForceInside()
{
    CreateOptions options = m_fixture->options();
    options.resources.memoryMb = 64;
    options.resources.cpu = 0.5;
    options.resources.processes = 50;
    const auto sandbox = m_fixture->create(options);
    QCOMPARE(sandbox->details().resources.memoryMb, 64);
    const auto read = [&](const QString &v2, const QString &v1) {
        return outputOf(*sandbox, {u"sh"_s, u"-c"_s,
                                   u"cat /sys/fs/cgroup/%1 2>/dev/null || cat /sys/fs/cgroup/%2"_s.arg(v2, v1)})
            .trimmed();
    };
    QCOMPARE(read(u"memory.max"_s, u"memory/memory.limit_in_bytes"_s), "67108864");
    QCOMPARE(read(u"pids.max"_s, u"pids/pids.max"_s), "50");
    QVERIFY(read(u"cpu.max"_s, u"cpu/cpu.cfs_quota_us"_s).startsWith("50000"));
    const QByteArray swap = read(u"memory.swap.max"_s, u"memory/memory.memsw.limit_in_bytes"_s);
    QVERIFY2(swap == "0" || swap == "67108864", swap.constData());
}

void tst_DockerBackend::openEgressHasANetwork()
{
    CreateOptions options = m_fixture->options();
    options.network = NetworkPolicy::open();
    const auto sandbox = m_fixture->create(options);
    const QByteArray interfaces = outputOf(*sandbox, {u"ls"_s, u"/sys/class/net"_s});
    QVERIFY2(interfaces.contains("eth0"), interfaces.constData());
    QCOMPARE(sandbox->details().managed.egress, NetworkPolicy::Egress::Open);
}

void tst_DockerBackend::environmentReachesRunsAndSecretsStayOutOfTheContainer()
{
    CreateOptions options = m_fixture->options();
    options.env = {{u"GREETING"_s, u"hello there"_s}};
    options.secrets = {{u"API_KEY"_s, Secret("canary-3f1c"_ba)}};
    const auto sandbox = m_fixture->create(options);
    QCOMPARE(outputOf(*sandbox, {u"sh"_s, u"-c"_s, u"echo \"$GREETING/$API_KEY\""_s}),
             "hello there/canary-3f1c\n");
    const QByteArray inspected = QJsonDocument(m_fixture->inspect(sandbox->id())).toJson();
    QVERIFY(inspected.contains("hello there"));
    QVERIFY(!inspected.contains("canary-3f1c"));
    QVERIFY(!inspected.contains("API_KEY"));
}

void tst_DockerBackend::ownerOfTheWorkDirectoryIsTheUserOfTheImage_data()
{
    QTest::addColumn<QString>("user");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("a number") << u"1234"_s << "1234:0 1234:0\n"_ba;
    QTest::newRow("two numbers") << u"1234:4321"_s << "1234:4321 1234:4321\n"_ba;
    QTest::newRow("a name") << u"nobody"_s << "65534:65534 65534:65534\n"_ba;
}

/*! An image from the test image with another USER: by committing a container. */
QString tst_DockerBackend::buildImage(const QString &user)
{
    const QString id = makeForeign({}, user);
    const QString name = u"sandboxio-test-user"_s;
    const Call call{.purpose = {ErrorKind::CreationError, u"test"_s}};
    const QUrlQuery query{
        {u"container"_s, id}, {u"repo"_s, name}, {u"tag"_s, QString(user).replace(u':', u'-')}};
    const QJsonObject config{{u"User"_s, user}};
    waitFor(m_fixture->api().post(u"/commit"_s, query, config, call));
    waitFor(m_fixture->api().remove(u"/containers/"_s + id, QUrlQuery{{u"force"_s, u"1"_s}}, call));
    return name + u':' + QString(user).replace(u':', u'-');
}

void tst_DockerBackend::ownerOfTheWorkDirectoryIsTheUserOfTheImage()
{
    QFETCH(const QString, user);
    QFETCH(const QByteArray, expected);
    CreateOptions options = m_fixture->options();
    options.templateId = buildImage(user);
    const auto sandbox = m_fixture->create(options);
    const QByteArray owners =
        outputOf(*sandbox, {u"sh"_s, u"-c"_s, u"echo $(stat -c %u:%g /work) $(id -u):$(id -g)"_s});
    const QByteArray written = outputOf(*sandbox, {u"sh"_s, u"-c"_s, u"echo yes > file && cat file"_s});
    waitFor(sandbox->kill());
    waitFor(m_fixture->api().remove(u"/images/"_s + options.templateId, {},
                                    {.purpose = {ErrorKind::ConnectError, u"test"_s}}));
    QCOMPARE(owners, expected);
    QCOMPARE(written, "yes\n");
}

void tst_DockerBackend::lifetimeEndsTheContainer()
{
    CreateOptions options = m_fixture->options();
    options.timeout = std::chrono::seconds(3);
    const auto sandbox = m_fixture->create(options);
    const auto running = [&] {
        return m_fixture->inspect(sandbox->id())["State"_L1]["Running"_L1].toBool();
    };
    QVERIFY(running());
    QTRY_VERIFY_WITH_TIMEOUT(!running(), 15'000);
    const auto row = waitFor(m_fixture->backend().reapable()->inspectManaged(sandbox->id()));
    QVERIFY(row);
    QCOMPARE(row->state, SandboxState::Stopped);
    QVERIFY(row->expiresAt <= QDateTime::currentDateTimeUtc());
}

void tst_DockerBackend::guestVolumeIsRefilledWhenItWasLeftEmpty()
{
    // Another program text is another volume: this one is ours alone.
    auto guest = loadGuest(u"amd64"_s);
    if (!guest)
        QSKIP(qPrintable(guest.error().message));
    guest->data += '\0';
    guest->version = u"test00000000"_s;
    const QString name = guest->volumeName();
    const auto api = std::make_shared<Api>(resolveEndpoint({}, EndpointSources::ofProcess()));
    const Call call{.purpose = {ErrorKind::ConnectError, u"test"_s}};
    const auto volume = std::make_shared<GuestVolume>(api, &m_fixture->context());
    QCOMPARE(waitFor(volume->ensureExists(*guest)), name); // exists, and nobody filled it
    QJsonObject labels = metadataLabels(m_fixture->metadata());
    labels[QString::fromLatin1(managedLabel)] = u"true"_s;
    const QJsonObject mount{
        {u"Type"_s, u"volume"_s}, {u"Source"_s, name}, {u"Target"_s, QString::fromLatin1(guestDirectory)}};
    const QJsonObject body{{u"Image"_s, QString::fromLatin1(testImage)},
                           {u"Labels"_s, labels},
                           {u"HostConfig"_s, QJsonObject{{u"Mounts"_s, QJsonArray{mount}}}}};
    const QByteArray made = waitFor(api->post(u"/containers/create"_s, {}, body, call));
    const QString container = objectOf(made, call.purpose).value("Id"_L1).toString();
    waitFor(volume->ensureFilled(*guest, container, body));
    const QUrlQuery path{{u"path"_s, QLatin1StringView(guestDirectory) + "/sandboxio-guest"_L1}};
    const QByteArray archive = waitFor(api->get(u"/containers/%1/archive"_s.arg(container), path, call));
    waitFor(api->remove(u"/containers/"_s + container, QUrlQuery{{u"force"_s, u"1"_s}}, call));
    waitFor(api->remove(u"/volumes/"_s + name, {}, call));
    QVERIFY(archive.contains(guest->data));
    QCOMPARE(m_fixture->leftovers(), QStringList()); // no helper container either
}

void tst_DockerBackend::manyCreatorsAtOnceFillTheGuestVolumeOnce()
{
    const CreatePlan plan = waitFor(m_fixture->backend().plan(m_fixture->options()));
    QList<Operation<std::shared_ptr<SandboxPort>>> operations;
    std::vector<std::unique_ptr<DockerBackend>> backends;
    for (int i = 0; i < 4; ++i) { // each knows nothing of the others, as other processes would
        backends.push_back(m_fixture->other({.backend = u"docker"_s, .templateId = {}, .parameters = {}}));
        const CreatePlan own = waitFor(backends.back()->plan(m_fixture->options()));
        operations.append(backends.back()->create(own));
    }
    for (const auto &operation : std::as_const(operations)) {
        const auto sandbox = waitFor(operation);
        QCOMPARE(outputOf(*sandbox, {u"echo"_s, u"up"_s}), "up\n");
        waitFor(sandbox->kill());
    }
    QCOMPARE(m_fixture->leftovers(), QStringList());
}

void tst_DockerBackend::cancelLeavesNothing_data()
{
    QTest::addColumn<QString>("step");
    QTest::newRow("at once") << QString();
    QTest::newRow("while it looks at the image") << u"Looking at the image"_s;
    QTest::newRow("while the container is created") << u"Creating the container"_s;
    QTest::newRow("while the container is started") << u"Starting the container"_s;
    QTest::newRow("while the container is checked") << u"Checking the container"_s;
}

void tst_DockerBackend::cancelLeavesNothing()
{
    QFETCH(const QString, step);
    const CreatePlan plan = waitFor(m_fixture->backend().plan(m_fixture->options()));
    const auto operation = m_fixture->backend().create(plan);
    QStringList seen;
    QObject context;
    operation.onProgress(&context, [&](const OperationProgress &progress) {
        seen.append(progress.step);
        if (progress.step == step)
            operation.cancel();
    });
    if (step.isEmpty())
        operation.cancel();
    QVERIFY(QTest::qWaitFor([&] { return operation.isEnded(); }, 60'000));
    QVERIFY(step.isEmpty() || seen.contains(step));
    QCOMPARE(operation.outcome(), OperationOutcome::Cancelled);
    QCOMPARE(m_fixture->leftovers(), QStringList());
    QVERIFY(m_fixture->warnings.isEmpty());
}

void tst_DockerBackend::limitOfAStepNamesItAndLeavesNothing()
{
    CreateOptions options = m_fixture->options();
    options.createLimit = std::chrono::milliseconds(1);
    const CreatePlan plan = waitFor(m_fixture->backend().plan(options));
    const ErrorInfo error = errorOf(m_fixture->backend().create(plan));
    QCOMPARE(error.kind, ErrorKind::CreateTimeout);
    QVERIFY2(!error.step.isEmpty() && error.message.contains(error.step), qPrintable(error.message));
    QCOMPARE(m_fixture->leftovers(), QStringList());
}

void tst_DockerBackend::missingImageWithoutRegistryIsExplained()
{
    CreateOptions options = m_fixture->options();
    options.templateId = u"registry.invalid/sandboxio/nothing:1"_s;
    const CreatePlan plan = waitFor(m_fixture->backend().plan(options));
    QVERIFY(plan.templateMissing);
    QVERIFY(plan.isAccepted());
    const ErrorInfo error = errorOf(m_fixture->backend().create(plan));
    QCOMPARE(error.kind, ErrorKind::CreationError);
    QVERIFY2(error.message.contains(u"registry"_s), qPrintable(error.toText()));
    QVERIFY2(error.hint.contains(u"docker load"_s), qPrintable(error.hint));
    QCOMPARE(m_fixture->leftovers(), QStringList());
}

void tst_DockerBackend::capThatTheDaemonRefusesLeavesNothing()
{
    CreatePlan plan = waitFor(m_fixture->backend().plan(m_fixture->options()));
    plan.options.resources.cpu = 4096; // past plan(), as on a host that changed meanwhile
    const ErrorInfo error = errorOf(m_fixture->backend().create(plan));
    QCOMPARE(error.kind, ErrorKind::ConfigurationError);
    QVERIFY(error.cause && error.cause->status == 400);
    QCOMPARE(m_fixture->leftovers(), QStringList());
}

void tst_DockerBackend::listFindsByMetadataAndShowsForeignOnes()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    const QString python = makeForeign({{QString::fromLatin1(managedLabel), u"true"_s},
                                        {QString::fromLatin1(sessionLabel), u"py-1"_s},
                                        {QString::fromLatin1(timeoutLabel), u"300"_s}});
    makeForeign({}); // not managed at all
    int paged = 0;
    const auto rows = waitFor(m_fixture->backend().reapable()->listManaged(
        m_fixture->metadata(),
        [&](const QList<ManagedSandbox> &page) { paged += static_cast<int>(page.size()); }));
    QCOMPARE(rows.size(), 2);
    QCOMPARE(paged, 2);
    for (const ManagedSandbox &row : rows) {
        QCOMPARE(row.state, SandboxState::Running);
        QCOMPARE(row.owner.foreign, row.id == python);
        QVERIFY(row.expiresAt.isValid());
        QVERIFY(row.id == python || row.id == sandbox->id());
    }
    QMap<QString, QString> wrong = m_fixture->metadata();
    wrong[u"test_fixture"_s] += u"x"_s;
    QVERIFY(waitFor(m_fixture->backend().reapable()->listManaged(wrong, {})).isEmpty());
    QVERIFY(waitFor(m_fixture->backend().reapable()->killManaged(python)));
}

// The Python sandboxio restarts its containers; the daemon's list tells only when they were created.
void tst_DockerBackend::aForeignSandboxThatWasStartedAnewIsNotOver()
{
    const QString id = makeForeign({{QLatin1StringView(managedLabel), u"true"_s},
                                    {QLatin1StringView(sessionLabel), u"python"_s},
                                    {QLatin1StringView(timeoutLabel), u"3"_s}});
    const auto listed = [&] {
        const auto rows = waitFor(m_fixture->backend().reapable()->listManaged(m_fixture->metadata(), {}));
        return rows.isEmpty() ? ManagedSandbox() : rows.first();
    };
    QVERIFY(listed().owner.foreign);
    QTRY_VERIFY_WITH_TIMEOUT(listed().expiresAt <= QDateTime::currentDateTimeUtc(), 10'000);
    const Call call{.purpose = {ErrorKind::ConnectError, u"test"_s}};
    waitFor(m_fixture->api().post(u"/containers/%1/restart"_s.arg(id), QUrlQuery(u"t=0"_s), {}, call));
    const ManagedSandbox again = listed();
    QCOMPARE(again.id, id);
    QVERIFY2(again.expiresAt > QDateTime::currentDateTimeUtc(),
             qPrintable(again.expiresAt.toString(Qt::ISODate)));
}

void tst_DockerBackend::killManagedRefusesWhatIsNotManaged()
{
    const QString id = makeForeign({});
    const ErrorInfo error = errorOf(m_fixture->backend().reapable()->killManaged(id));
    QCOMPARE(error.kind, ErrorKind::ConnectError);
    QVERIFY(m_fixture->inspect(id)["State"_L1]["Running"_L1].toBool());
    waitFor(m_fixture->api().remove(u"/containers/"_s + id, QUrlQuery{{u"force"_s, u"1"_s}},
                                    {.purpose = {ErrorKind::ConnectError, u"test"_s}}));
    QVERIFY(!waitFor(m_fixture->backend().reapable()->killManaged(id)));
    QVERIFY(!waitFor(m_fixture->backend().reapable()->inspectManaged(id)));
    QVERIFY(!waitFor(m_fixture->backend().reapable()->killManaged(u"../../info"_s)));
}

void tst_DockerBackend::connectFindsRunningOnesOnly()
{
    QCOMPARE(errorOf(m_fixture->backend().connectTo(u"nosuchsandbox"_s, false)).kind, ErrorKind::ConnectError);
    const QString foreign = makeForeign({});
    QCOMPARE(errorOf(m_fixture->backend().connectTo(foreign, false)).kind, ErrorKind::ConnectError);
    const auto asked = waitFor(m_fixture->backend().connectTo(foreign, true));
    QCOMPARE(asked->id(), foreign);
    QVERIFY(asked->details().capabilities.testFlag(Capability::RunCommand)); // by plain execs: no guest in it
    QVERIFY(!asked->details().capabilities.testFlag(Capability::Pty));
    QVERIFY(asked->details().transport.contains(u"Plain exec"_s));
    QVERIFY(waitFor(asked->stats()).memoryUsed.value_or(0) > 0);
    QVERIFY2(asked->details().lifetimeMechanism.contains(u"Nothing of ours"_s),
             qPrintable(asked->details().lifetimeMechanism));
    const Call call{.purpose = {ErrorKind::ConnectError, u"test"_s}};
    waitFor(m_fixture->api().remove(u"/containers/"_s + foreign, QUrlQuery{{u"force"_s, u"1"_s}}, call));

    const auto made = m_fixture->create(m_fixture->options());
    const auto sandbox = waitFor(m_fixture->backend().connectTo(made->id(), false));
    QCOMPARE(sandbox->id(), made->id());
    QCOMPARE(sandbox->details().secretsAvailable, false);
    QCOMPARE(sandbox->details().managed.metadata, m_fixture->metadata());
    QCOMPARE(outputOf(*sandbox, {u"pwd"_s}), "/work\n");
    m_fixture->pauseByOthers(made->id());
    QCOMPARE(waitFor(m_fixture->backend().connectTo(made->id(), false))->details().managed.state,
             SandboxState::Paused);
    waitFor(m_fixture->api().post(u"/containers/%1/unpause"_s.arg(made->id()), {}, {}, call));
    waitFor(m_fixture->api().post(u"/containers/%1/kill"_s.arg(made->id()), {}, {}, call));
    QTRY_VERIFY(!m_fixture->inspect(made->id())["State"_L1]["Running"_L1].toBool());
    QCOMPARE(errorOf(m_fixture->backend().connectTo(made->id(), false)).kind, ErrorKind::ConnectError);
}

void tst_DockerBackend::eventsTellOfCreateAndRemove()
{
    QList<BackendEvent> events;
    const auto subscription =
        m_fixture->backend().events()->subscribe([&](const BackendEvent &event) { events.append(event); });
    QVERIFY(events.isEmpty());
    QTRY_VERIFY(!events.isEmpty()); // others use the daemon too, their events follow
    QCOMPARE(events.first().kind, BackendEvent::Kind::Resync);
    const auto sandbox = m_fixture->create(m_fixture->options());
    const auto has = [&](BackendEvent::Kind kind) {
        return std::ranges::any_of(
            events, [&](const BackendEvent &event) { return event.kind == kind && event.id == sandbox->id(); });
    };
    QTRY_VERIFY(has(BackendEvent::Kind::Changed));
    QVERIFY(!has(BackendEvent::Kind::Removed));
    waitFor(sandbox->kill());
    QTRY_VERIFY(has(BackendEvent::Kind::Removed));
}

void tst_DockerBackend::diagnosisIsGood()
{
    const auto lines = waitFor(m_fixture->backend().diagnose());
    QVERIFY(lines.size() >= 5);
    for (const Diagnosis &line : lines) {
        QVERIFY(!line.subject.isEmpty() && !line.finding.isEmpty());
        QVERIFY2(line.status == Diagnosis::Status::Good || !line.fix.isEmpty(), qPrintable(line.finding));
    }
    QCOMPARE(lines.first().status, Diagnosis::Status::Good);
    const auto nowhere = m_fixture->other({.backend = u"docker"_s,
                                           .templateId = {},
                                           .parameters = {{u"host"_s, u"unix:///nowhere/docker.sock"_s}}});
    const auto failing = waitFor(nowhere->diagnose());
    QCOMPARE(failing.size(), 1);
    QCOMPARE(failing.first().status, Diagnosis::Status::Failed);
    QVERIFY(failing.first().fix.contains(u"DOCKER_HOST"_s));
}

SANDBOXIO_TEST(tst_DockerBackend)
#include "tst_dockerbackend.moc"
