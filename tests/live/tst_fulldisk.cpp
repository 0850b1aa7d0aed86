// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"
#include "smalldaemon.h"
#include "support/testprogram.h"

#include <sandboxio/core/error.h>

#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

// A daemon whose disk is really full.
class TestFullDisk : public QObject
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

    void createSaysSoAndLeavesNothing()
    {
        Engine engine({.stateDirectory = QString()});
        m_daemon->fillDisk();
        const Operation<SandboxPtr> creation = create(engine);
        QVERIFY(creation.waitFor(60s));
        m_daemon->freeDisk();
        QVERIFY_THROWS_EXCEPTION(CreationError, creation.result());
        const ErrorInfo error = creation.error();
        QVERIFY2(error.message.contains(u"disk"_s), qPrintable(error.toText()));
        QVERIFY2(error.hint.contains(u"docker system prune"_s), qPrintable(error.toText()));
        QVERIFY(error.cause && error.cause->text.contains(u"no space left on device"_s));
        QCOMPARE(m_daemon->docker({u"ps"_s, u"--all"_s, u"--quiet"_s}), ""_ba);
    }

    void writeSaysSoAndLeavesNoPartOfTheFile()
    {
        Engine engine({.stateDirectory = QString()});
        const SandboxPtr sandbox = create(engine).result();
        m_daemon->fillDisk();
        const Operation<void> write = sandbox->files().write(u"big"_s, QByteArray(1 << 20, 'x'));
        QVERIFY(write.waitFor(30s));
        QVERIFY_THROWS_EXCEPTION(FileSystemError, write.result());
        QVERIFY2(write.error().toText().contains(u"disk"_s), qPrintable(write.error().toText()));
        QVERIFY(sandbox->files().ls().result().isEmpty());
        m_daemon->freeDisk();
        sandbox->files().write(u"big"_s, QByteArray(1 << 20, 'x')).result();
        QCOMPARE(sandbox->files().stat(u"big"_s).result().size, 1 << 20);
        sandbox->kill().result();
        QCOMPARE(m_daemon->docker({u"ps"_s, u"--all"_s, u"--quiet"_s}), ""_ba);
    }

private:
    Operation<SandboxPtr> create(Engine &engine) const
    {
        return engine.create(m_daemon->target(), Live::createOptions(u"full disk"_s));
    }

    std::unique_ptr<Live::SmallDaemon> m_daemon;
};

SANDBOXIO_TEST(TestFullDisk)
#include "tst_fulldisk.moc"
