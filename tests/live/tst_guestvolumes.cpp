// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"
#include "smalldaemon.h"
#include "support/testprogram.h"

#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/*! The real clock, an hour later: what was made just now is old. */
class LaterClock final : public Clock
{
public:
    std::chrono::nanoseconds now() const override { return m_real->now(); }
    QDateTime wallTime() const override { return m_real->wallTime().addDuration(1h); }
    std::unique_ptr<ArmedTimer> arm(QObject *context, std::chrono::milliseconds delay,
                                    std::function<void()> callback) override
    {
        return m_real->arm(context, delay, std::move(callback));
    }

private:
    std::shared_ptr<Clock> m_real = Clock::system();
};

} // namespace

// Volumes of other versions of the guest, on a daemon of the test's own.
class TestGuestVolumes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_daemon = std::make_unique<Live::SmallDaemon>();
        if (const QString problem = m_daemon->problem(); !problem.isEmpty())
            QSKIP(qPrintable(problem));
    }
    void cleanupTestCase() { m_daemon.reset(); }
    void cleanup()
    {
        if (const QByteArray all = m_daemon->docker({u"ps"_s, u"--all"_s, u"--quiet"_s}); !all.isEmpty())
            m_daemon->docker(QStringList{u"rm"_s, u"--force"_s, u"--volumes"_s} + words(all));
        if (const QByteArray all = m_daemon->docker({u"volume"_s, u"ls"_s, u"--quiet"_s}); !all.isEmpty())
            m_daemon->docker(QStringList{u"volume"_s, u"rm"_s} + words(all));
    }

    void onlyOldUnusedOnesOfOursGo()
    {
        makeVolume(u"sandboxio-guest-000000000001-amd64"_s);
        makeVolume(u"sandboxio-guest-000000000002-amd64"_s); // in use, by a container that does not run
        m_daemon->docker(
            {u"create"_s, u"--volume"_s, u"sandboxio-guest-000000000002-amd64:/x"_s, image(), u"/none"_s});
        m_daemon->docker(
            {u"volume"_s, u"create"_s, u"sandboxio-guest-000000000003-amd64"_s}); // without our label
        makeVolume(u"somebody-elses"_s);
        Engine engine(options(std::make_shared<LaterClock>()));
        const SandboxPtr sandbox =
            engine.create(m_daemon->target(), Live::createOptions(u"volumes"_s)).result();
        QTRY_VERIFY(!volumes().contains(u"sandboxio-guest-000000000001-amd64"_s));
        QVERIFY(volumes().contains(u"sandboxio-guest-000000000002-amd64"_s));
        QVERIFY(volumes().contains(u"sandboxio-guest-000000000003-amd64"_s));
        QVERIFY(volumes().contains(u"somebody-elses"_s));
        QCOMPARE(sandbox->files().ls().result().size(), 0); // its own is there
        sandbox->kill().result();
    }

    void youngOnesStay()
    {
        makeVolume(u"sandboxio-guest-000000000001-amd64"_s);
        Engine engine(options(nullptr));
        const SandboxPtr sandbox =
            engine.create(m_daemon->target(), Live::createOptions(u"volumes"_s)).result();
        sandbox->kill().result();
        QVERIFY(volumes().contains(u"sandboxio-guest-000000000001-amd64"_s));
    }

    // Another engine took it away between two creates, or the daemon made an empty one of its name.
    void anEngineWhoseVolumeWasRemovedMakesItAgain_data()
    {
        QTest::addColumn<bool>("empty");
        QTest::newRow("removed") << false;
        QTest::newRow("an empty one without our label is in its place") << true;
    }
    void anEngineWhoseVolumeWasRemovedMakesItAgain()
    {
        QFETCH(bool, empty);
        Engine engine(options(nullptr));
        const auto create = [&] {
            return engine.create(m_daemon->target(), Live::createOptions(u"volumes"_s)).result();
        };
        create()->kill().result();
        const QStringList made = volumes();
        QCOMPARE(made.size(), 1);
        m_daemon->docker({u"volume"_s, u"rm"_s, made.first()});
        if (empty) {            // and somebody holds it, so that it cannot be removed
            QTest::qWait(1100); // the daemon tells seconds
            m_daemon->docker({u"create"_s, u"--volume"_s, made.first() + u":/x"_s, image(), u"/none"_s});
        }
        const SandboxPtr sandbox = create();
        QCOMPARE(volumes().filter(u"sandboxio-guest-"_s), made);
        QCOMPARE(sandbox->files().ls().result().size(), 0);
        sandbox->kill().result();
    }

    void twoEnginesCleanUpAtTheSameTime()
    {
        for (int i = 0; i < 5; ++i)
            makeVolume(u"sandboxio-guest-00000000000%1-amd64"_s.arg(i));
        const auto clock = std::make_shared<LaterClock>();
        Engine one(options(clock));
        Engine other(options(clock));
        const auto first = one.create(m_daemon->target(), Live::createOptions(u"volumes"_s));
        const auto second = other.create(m_daemon->target(), Live::createOptions(u"volumes"_s));
        QCOMPARE(first.result()->files().ls().result().size(), 0);
        QCOMPARE(second.result()->files().ls().result().size(), 0);
        QTRY_COMPARE(volumes().filter(u"sandboxio-guest-0000"_s), QStringList());
        first.result()->kill().result();
        second.result()->kill().result();
    }

private:
    static QStringList words(const QByteArray &text)
    {
        return QString::fromUtf8(text).split(u'\n', Qt::SkipEmptyParts);
    }
    static EngineOptions options(const std::shared_ptr<Clock> &clock)
    {
        EngineOptions result;
        result.stateDirectory = QString();
        result.clock = clock;
        return result;
    }
    QString image() const { return m_daemon->target().templateId; }
    QStringList volumes() const { return words(m_daemon->docker({u"volume"_s, u"ls"_s, u"--quiet"_s})); }
    void makeVolume(const QString &name) const
    {
        m_daemon->docker({u"volume"_s, u"create"_s, u"--label"_s, u"io.sandboxio.guest=old"_s, name});
    }

    std::unique_ptr<Live::SmallDaemon> m_daemon;
};

SANDBOXIO_TEST(TestGuestVolumes)
#include "tst_guestvolumes.moc"
