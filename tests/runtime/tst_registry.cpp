// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/error.h>
#include <sandboxio/runtime/engine.h>

#include <QDir>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include "barebackend.h"

#include <algorithm>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

namespace {

EngineOptions options(const QStringList &pluginPath = {})
{
    return {.stateDirectory = QString(), .pluginPath = pluginPath};
}

QByteArray mappedFiles()
{
    QFile maps(u"/proc/self/maps"_s);
    return maps.open(QIODevice::ReadOnly) ? maps.readAll() : QByteArray();
}

QStringList entries(const QString &folder)
{
    return QDir(folder).entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot);
}

qsizetype openSockets()
{
    const QStringList descriptors = entries(u"/proc/self/fd"_s);
    return std::ranges::count_if(descriptors, [](const QString &number) {
        return QFile::symLinkTarget(u"/proc/self/fd/"_s + number).contains(u"socket:"_s);
    });
}

std::optional<BackendDescription> described(const Engine &engine, const QString &name)
{
    const QList<BackendDescription> backends = engine.backends();
    const auto found = std::ranges::find(backends, name, &BackendDescription::name);
    return found == backends.end() ? std::nullopt : std::optional(*found);
}

} // namespace

class TestRegistry : public QObject
{
    Q_OBJECT

    static QString badPlugins() { return QStringLiteral(BAD_PLUGINS); }

    static ErrorInfo refused(Engine &engine, const Target &target)
    {
        const Operation<CreatePlan> plan = engine.plan(target);
        try {
            std::ignore = plan.result();
        } catch (const SandboxError &error) {
            return error.info();
        }
        return {};
    }

private Q_SLOTS:
    // First: later functions load a plugin, and plugins stay.
    void beforeTheFirstOperationNothingIsLoadedOpenedOrStarted()
    {
        const QStringList threads = entries(u"/proc/self/task"_s);
        const qsizetype sockets = openSockets();
        {
            const Engine engine(options({badPlugins()}));
            QVERIFY(engine.backends().size() >= 4);
            QCOMPARE(engine.defaultTarget().backend, described(engine, u"docker"_s)->name);
            std::ignore = Target::fromDsn(u"fake://base?store=none"_s);
            QCOMPARE(entries(u"/proc/self/task"_s), threads);
            QCOMPARE(openSockets(), sockets);
        }
        const QByteArray mapped = mappedFiles();
        QVERIFY(mapped.contains("libSandboxioRuntime"));
        for (const char *plugin : {"fake.so", "docker.so", "otherversion.so", "wrongobject.so"})
            QVERIFY2(!mapped.contains(plugin), plugin);
    }

    void aPluginIsLoadedWhenItsBackendIsUsedAndOnlyThat()
    {
        Engine engine(options());
        std::ignore = engine.plan(Target::fromDsn(u"fake://"_s)).result();
        QVERIFY(mappedFiles().contains("fake.so"));
        QVERIFY(!mappedFiles().contains("docker.so"));
    }

    void aRelativePluginFolderIsReadAndLoadedFrom()
    {
        const QByteArray folders = qgetenv("SANDBOXIO_PLUGIN_PATH");
        const auto restore = qScopeGuard([&] { qputenv("SANDBOXIO_PLUGIN_PATH", folders); });
        qputenv("SANDBOXIO_PLUGIN_PATH",
                QDir::current().relativeFilePath(QString::fromLocal8Bit(folders)).toLocal8Bit());
        QVERIFY(!qgetenv("SANDBOXIO_PLUGIN_PATH").startsWith('/'));
        Engine engine(options());
        QVERIFY(engine.plan(Target::fromDsn(u"fake://"_s)).result().isAccepted());
    }

    void theDefaultIsLocalAndNeedsNoKeyAccountOrFile()
    {
        const Engine engine(options());
        const Target target = engine.defaultTarget();
        QCOMPARE(target, Target::fromDsn(u"docker://"_s));
        QVERIFY(described(engine, target.backend)->credentialVariables.isEmpty());
        const QList<BackendDescription> backends = engine.backends();
        QCOMPARE(std::ranges::count_if(backends, &BackendDescription::isDefault), 1);
    }

    void anUnknownBackendNamesThoseThereAre()
    {
        Engine engine(options());
        const ErrorInfo error = refused(engine, Target::fromDsn(u"nowhere://"_s));
        QCOMPARE(error.kind, ErrorKind::BackendNotFound);
        QVERIFY2(error.hint.contains("fake"_L1) && error.hint.contains("docker"_L1), qPrintable(error.hint));
    }

    void whatIsNoAdapterForThisEngineIsNotInstalled_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("reason");
        QTest::newRow("built for another version of the ports")
            << u"otherversion"_s << u"io.sandboxio.Backend/99"_s;
        QTest::newRow("a root object of another kind") << u"wrongobject"_s << u"factory"_s;
    }
    void whatIsNoAdapterForThisEngineIsNotInstalled()
    {
        QFETCH(QString, name);
        QFETCH(QString, reason);
        Engine engine(options({badPlugins()}));
        QVERIFY(described(engine, name));
        const ErrorInfo error = refused(engine, {.backend = name, .templateId = {}, .parameters = {}});
        QCOMPARE(error.kind, ErrorKind::BackendNotInstalled);
        QCOMPARE(error.code(), u"SBX_E1002"_s);
        QVERIFY2(error.message.contains(reason), qPrintable(error.message));
        QVERIFY2(error.hint.contains(name + u".so"_s), qPrintable(error.hint));
    }

    void anotherVersionIsSeenWithoutLoadingIt()
    {
        Engine engine(options({badPlugins()}));
        QVERIFY(!described(engine, u"otherversion"_s)->problem.isEmpty());
        const QString path = badPlugins() + u"/otherversion.so"_s;
        try {
            engine.registerBackend(path);
            QFAIL("accepted");
        } catch (const BackendNotInstalled &error) {
            QVERIFY(error.info().message.contains(path));
            QVERIFY(!error.info().hint.isEmpty());
        }
        QVERIFY(!mappedFiles().contains("otherversion.so"));
    }

    void aFileThatIsNoLibraryIsSaidToBeNone()
    {
        const QTemporaryDir folder;
        QFile file(folder.filePath(u"text.so"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("no library");
        file.close();
        Engine engine(options({folder.path()}));
        QVERIFY(!described(engine, u"text"_s)->problem.isEmpty());
        QCOMPARE(refused(engine, Target::fromDsn(u"text://"_s)).kind, ErrorKind::BackendNotInstalled);
        QVERIFY_THROWS_EXCEPTION(BackendNotInstalled, engine.registerBackend(file.fileName()));
        QCOMPARE(refused(engine, Target::fromDsn(u"fake://"_s)).kind, ErrorKind::SandboxError); // none
    }

    void aPluginIsRegisteredByItsPath()
    {
        Engine engine(options());
        const QString path = described(engine, u"fake"_s)->origin;
        const QTemporaryDir folder;
        const QString copy = folder.filePath(u"renamed.so"_s);
        QVERIFY(QFile::copy(path, copy));
        engine.registerBackend(copy);
        QCOMPARE(described(engine, u"fake"_s)->origin, copy);
        QVERIFY(engine.plan(Target::fromDsn(u"fake://"_s)).result().isAccepted());
    }

    void aFactoryIsAskedOncePerEngineAndPlace()
    {
        std::atomic<int> calls = 0;
        const auto factory = [&calls](EngineContext &, const Target &) {
            ++calls;
            return std::make_unique<BareBackend>();
        };
        Engine first(options());
        Engine second(options());
        first.registerBackend(u"bare"_s, factory);
        second.registerBackend(u"bare"_s, factory);
        QCOMPARE(calls, 0);
        for (const char *dsn : {"bare://", "bare://template", "bare://?timeout=5"})
            std::ignore = first.plan(Target::fromDsn(QString::fromLatin1(dsn))).result();
        QCOMPARE(calls, 1);
        std::ignore = first.plan(Target::fromDsn(u"bare://?host=a"_s)).result();
        std::ignore = second.plan(Target::fromDsn(u"bare://"_s)).result();
        QCOMPARE(calls, 3);
    }

    void twoEnginesUseOnePluginAndKeepTheirSandboxesApart()
    {
        const Target target = Target::fromDsn(u"fake://"_s);
        auto first = std::make_unique<Engine>(options());
        Engine second(options());
        const SandboxPtr ofFirst = first->create(target).result();
        const SandboxPtr ofSecond = second.create(target).result();
        const auto listed = [&target](Engine &engine) {
            return engine.listManaged({.targets = {target}, .metadata = {}}).result().rows().size();
        };
        QCOMPARE(listed(*first), 1);
        QCOMPARE(listed(second), 1);
        first.reset();
        QCOMPARE(ofSecond->run({u"true"_s}).result().exitCode, 0);
        QVERIFY_THROWS_EXCEPTION(ConfigurationError, ofFirst->run({u"true"_s}).result());
    }

    void anUnknownParameterNamesThoseThereAre()
    {
        Engine engine(options());
        const ErrorInfo error = refused(engine, Target::fromDsn(u"fake://?colour=red"_s));
        QCOMPARE(error.kind, ErrorKind::ConfigurationError);
        QVERIFY(error.message.contains("colour"_L1));
        QVERIFY2(error.hint.contains("timeout"_L1) && error.hint.contains("createDelayMs"_L1),
                 qPrintable(error.hint));
    }

    void aCredentialAmongTheParametersIsRefusedWithItsVariable()
    {
        Engine engine(options({badPlugins()}));
        const Target target{.backend = u"otherversion"_s,
                            .templateId = {},
                            .parameters = {{u"api_key"_s, u"canary-31415926"_s}}};
        const ErrorInfo error = refused(engine, target);
        QCOMPARE(error.kind, ErrorKind::ConfigurationError);
        QVERIFY2(error.hint.contains("OTHERVERSION_API_KEY"_L1), qPrintable(error.hint));
        QVERIFY(!error.toText().contains("31415926"_L1));
    }

    void aRegisteredFactoryGetsNoCredentialEither()
    {
        Engine engine(options());
        engine.registerBackend(u"bare"_s,
                               [](EngineContext &, const Target &) { return std::make_unique<BareBackend>(); });
        const Target target{
            .backend = u"bare"_s, .templateId = {}, .parameters = {{u"token"_s, u"canary-31415926"_s}}};
        const ErrorInfo error = refused(engine, target);
        QCOMPARE(error.kind, ErrorKind::ConfigurationError);
        QVERIFY(!error.hint.isEmpty() && !error.toText().contains("31415926"_L1));
    }
};

SANDBOXIO_TEST(TestRegistry)
#include "tst_registry.moc"
