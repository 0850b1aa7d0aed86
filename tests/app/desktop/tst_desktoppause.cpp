// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "errors/messagearea.h"
#include "sandboxes/sandboxespage.h"
#include "shell/backendwatch.h"
#include "shell/mainwindow.h"
#include "support/testprogram.h"

#include <QAction>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>

using namespace Sandboxio;
using namespace Sandboxio::Desktop;
using namespace Qt::StringLiterals;

namespace {

/*! What the sandboxes of the test share with it. */
struct Provider
{
    std::atomic<SandboxState> state = SandboxState::Running;
    std::atomic<bool> refuses = false;
    Capabilities capabilities = Capability::PauseResume;
};
using ProviderPtr = std::shared_ptr<Provider>;

ManagedSandbox rowOf(const Provider &provider)
{
    ManagedSandbox row;
    row.target.backend = u"pausable"_s;
    row.id = u"one"_s;
    row.name = u"one"_s;
    row.state = provider.state;
    return row;
}

class PausableSandbox final : public SandboxPort
{
public:
    explicit PausableSandbox(ProviderPtr provider)
        : m_provider(std::move(provider))
    {}
    QString id() const override { return u"one"_s; }
    SandboxDetails details() const override
    {
        SandboxDetails details;
        details.managed = rowOf(*m_provider);
        details.capabilities = m_provider->capabilities;
        return details;
    }
    Operation<ManagedSandbox> inspect() override { return finishedOperation(rowOf(*m_provider)); }
    std::unique_ptr<ProcessPort> start(const ProcessRequest &, ProcessEvents *) override { return nullptr; }
    QStringList languages() const override { return {}; }
    FileSystemPort *files() override { return nullptr; }
    Operation<void> kill() override { return finishedOperation(); }
    Operation<void> pause() override { return become(SandboxState::Paused); }
    Operation<void> resume() override { return become(SandboxState::Running); }

private:
    Operation<void> become(SandboxState state)
    {
        if (m_provider->refuses)
            return failedOperation<void>(makeError(ErrorKind::ConnectError, u"Not now."_s));
        m_provider->state = state;
        return finishedOperation();
    }
    ProviderPtr m_provider;
};

class PausableBackend final : public BackendPort, public ReapablePort
{
public:
    explicit PausableBackend(ProviderPtr provider)
        : m_provider(std::move(provider))
    {}
    Capabilities capabilities() const override { return m_provider->capabilities; }
    Operation<CreatePlan> plan(const CreateOptions &) override { return finishedOperation(CreatePlan()); }
    Operation<std::shared_ptr<SandboxPort>> create(const CreatePlan &) override { return connectTo({}, false); }
    Operation<std::shared_ptr<SandboxPort>> connectTo(const QString &, bool) override
    {
        return finishedOperation<std::shared_ptr<SandboxPort>>(std::make_shared<PausableSandbox>(m_provider));
    }
    Operation<QList<Diagnosis>> diagnose() override { return finishedOperation(QList<Diagnosis>()); }
    ReapablePort *reapable() override { return this; }
    Operation<QList<ManagedSandbox>> listManaged(const QMap<QString, QString> &,
                                                 std::function<void(const QList<ManagedSandbox> &)>) override
    {
        return finishedOperation(QList<ManagedSandbox>{rowOf(*m_provider)});
    }
    Operation<std::optional<ManagedSandbox>> inspectManaged(const QString &) override
    {
        return finishedOperation(std::optional(rowOf(*m_provider)));
    }
    Operation<bool> killManaged(const QString &) override { return finishedOperation(true); }

private:
    ProviderPtr m_provider;
};

/*! A window on one sandbox that can be paused as \a capabilities say. */
struct Fixture
{
    explicit Fixture(Capabilities capabilities)
    {
        provider->capabilities = capabilities;
        EngineOptions engineOptions;
        engineOptions.stateDirectory = QString();
        engine = std::make_unique<Engine>(engineOptions);
        engine->registerBackend(u"pausable"_s, [shared = provider](EngineContext &, const Target &) {
            return std::make_unique<PausableBackend>(shared);
        });
        DesktopOptions options;
        Target target;
        target.backend = u"pausable"_s;
        options.targets = {target};
        options.settingsFile = folder.filePath(u"settings.ini"_s);
        options.outputDirectory = folder.filePath(u"output"_s);
        window = std::make_unique<MainWindow>(engine.get(), options);
        window->show();
    }
    QAction *action(const QString &name) const { return window->findChild<QAction *>(name); }
    bool select() const
    {
        SandboxListModel *model = window->backends()->model();
        if (!QTest::qWaitFor([&] { return model->rowCount() == 1; }))
            return false;
        window->sandboxesPage()->select(model->sandbox(0).target, model->sandbox(0).id);
        return window->sandboxesPage()->selectedSandbox().has_value();
    }

    QTemporaryDir folder;
    ProviderPtr provider = std::make_shared<Provider>();
    std::unique_ptr<Engine> engine;
    std::unique_ptr<MainWindow> window;
};

} // namespace

/*! The actions Pause and Resume of the list. */
class DesktopPauseTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theActionsFollowTheStateOfTheSelection()
    {
        const Fixture fixture(Capability::PauseResume);
        QAction *pause = fixture.action(u"sandbox.pause"_s);
        QAction *resume = fixture.action(u"sandbox.resume"_s);
        QVERIFY(!pause->isEnabled() && !resume->isEnabled()); // nothing is selected
        QVERIFY(!pause->shortcut().isEmpty() && !resume->shortcut().isEmpty());
        QVERIFY(fixture.select());
        QTRY_VERIFY(pause->isEnabled());
        QVERIFY(!resume->isEnabled());
        pause->trigger();
        QTRY_COMPARE(fixture.provider->state.load(), SandboxState::Paused);
        fixture.window->backends()->refresh();
        QTRY_VERIFY(resume->isEnabled());
        QVERIFY(!pause->isEnabled());
        QVERIFY2(pause->statusTip().startsWith(u"Not available"_s), qPrintable(pause->statusTip()));
        resume->trigger();
        QTRY_COMPARE(fixture.provider->state.load(), SandboxState::Running);
        fixture.window->backends()->refresh();
        QTRY_VERIFY(pause->isEnabled());
    }

    void whatCannotBePausedIsNotOffered()
    {
        const Fixture fixture({});
        const QSignalSpy known(fixture.window->backends(), &BackendWatch::capabilitiesKnown);
        QTRY_COMPARE(known.size(), 1);
        QVERIFY(fixture.select());
        QVERIFY(fixture.action(u"sandbox.kill"_s)->isEnabled());
        for (const QString &name : {u"sandbox.pause"_s, u"sandbox.resume"_s}) {
            QVERIFY(!fixture.action(name)->isEnabled());
            QVERIFY2(fixture.action(name)->statusTip().contains(u"cannot be paused"_s),
                     qPrintable(fixture.action(name)->statusTip()));
        }
    }

    void aRefusalIsShownInTheList()
    {
        const Fixture fixture(Capability::PauseResume);
        fixture.provider->refuses = true;
        QVERIFY(fixture.select());
        QTRY_VERIFY(fixture.action(u"sandbox.pause"_s)->isEnabled());
        fixture.action(u"sandbox.pause"_s)->trigger();
        const MessageArea *messages = fixture.window->sandboxesPage()->messages();
        QTRY_COMPARE(messages->bars().size(), 1);
        const Message message = messages->bars().first()->message();
        QCOMPARE(message.kind, Message::Kind::Error);
        QCOMPARE(message.title, u"one was not paused"_s);
        QVERIFY2(message.text.endsWith(u"Not now."_s), qPrintable(message.text));
        QCOMPARE(fixture.provider->state.load(), SandboxState::Running);
    }
};

SANDBOXIO_WIDGETS_TEST(DesktopPauseTest)
#include "tst_desktoppause.moc"
