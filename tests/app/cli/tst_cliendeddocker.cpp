// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "invocation.h"
#include "support/testprogram.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <QUuid>

using namespace Qt::StringLiterals;

/*! What the real binary can still have of a container whose lifetime is over. */
class TestCliEndedDocker : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void itsDirectoriesAreListed();
    void itsFilesAreCopiedOut();
    void aMissingFileLeavesNothing();
    void nothingIsCopiedIntoIt();
    void connectingSaysHowItsFilesAreRead();

private:
    QString state() const;
    QByteArray contentOf(const QString &name) const
    {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir m_folder;
    QString m_case;
    QString m_sandbox;
};

void TestCliEndedDocker::initTestCase()
{
    if (!qEnvironmentVariableIsSet("DOCKER_HOST") && !QFileInfo::exists(u"/var/run/docker.sock"_s))
        QSKIP("DOCKER_HOST names no daemon and there is no /var/run/docker.sock");
    QVERIFY(m_folder.isValid());
    qputenv("XDG_STATE_HOME", m_folder.filePath(u"state"_s).toLocal8Bit());
    m_case = u"case="_s + QUuid::createUuid().toString(QUuid::WithoutBraces);
    const auto create = invoke(QStringList{u"create"_s, u"--json"_s, u"--image"_s, u"sandboxio-test:1"_s,
                                           u"--timeout"_s, u"8"_s, u"--label"_s, m_case} +
                               testLabel());
    m_sandbox = create->json().value("id"_L1).toString();
    QVERIFY2(!m_sandbox.isEmpty(), create->report());
    const auto fill =
        invoke({u"run"_s, u"--sandbox"_s, m_sandbox, u"--"_s, u"sh"_s, u"-c"_s,
                u"mkdir -p results/deep && echo done > results/report && echo x > results/deep/x && "
                "ln -s results/report latest && head -c 5000000 /dev/zero > results/large && "
                "ln results/report results/second"_s});
    QVERIFY2(fill->exitCode() == 0, fill->report());
    QTRY_COMPARE_WITH_TIMEOUT(state(), u"stopped"_s, 30000);
}

void TestCliEndedDocker::cleanupTestCase()
{
    if (!m_sandbox.isEmpty())
        invoke({u"kill"_s, m_sandbox});
}

QString TestCliEndedDocker::state() const
{
    const QJsonArray rows =
        invoke({u"list"_s, u"--json"_s, u"--label"_s, m_case})->json().value("sandboxes"_L1).toArray();
    return rows.size() == 1 ? rows.first()["state"_L1].toString() : QString();
}

void TestCliEndedDocker::itsDirectoriesAreListed()
{
    const auto list = invoke({u"ls"_s, u"--json"_s, m_sandbox.first(12) + u":results"_s});
    QVERIFY2(list->exitCode() == 0, list->report());
    const QJsonArray entries = list->json().value("entries"_L1).toArray();
    QCOMPARE(entries.size(), 4);
    QCOMPARE(entries.at(0)["name"_L1].toString(), u"deep"_s);
    QCOMPARE(entries.at(0)["type"_L1].toString(), u"directory"_s);
    QCOMPARE(entries.at(1)["sizeBytes"_L1].toInteger(), 5000000);
    QCOMPARE(entries.at(2)["sizeBytes"_L1].toInteger(), 5);
    QCOMPARE(entries.at(3)["name"_L1].toString(), u"second"_s); // a second name of the same file
    QCOMPARE(entries.at(3)["type"_L1].toString(), u"file"_s);
    QCOMPARE(entries.at(3)["sizeBytes"_L1].toInteger(), 5);
    QCOMPARE(list->json().value("sandbox"_L1).toString(), m_sandbox);
    const auto text = invoke({u"ls"_s, m_sandbox});
    QVERIFY2(text->exitCode() == 0 && text->output().contains("latest -> results/report"), text->report());
}

void TestCliEndedDocker::itsFilesAreCopiedOut()
{
    const auto copy = invoke({u"cp"_s, u"--json"_s, m_sandbox + u":results/report"_s, m_folder.path()});
    QVERIFY2(copy->exitCode() == 0, copy->report());
    QCOMPARE(contentOf(u"report"_s), "done\n");
    QCOMPARE(copy->json().value("sizeBytes"_L1).toInteger(), 5);
    QCOMPARE(copy->json().value("direction"_L1).toString(), u"download"_s);
    const auto link = invoke({u"cp"_s, m_sandbox + u":latest"_s, m_folder.filePath(u"latest"_s)});
    QVERIFY2(link->exitCode() == 0, link->report());
    QCOMPARE(contentOf(u"latest"_s), "done\n");
    const auto large = invoke({u"cp"_s, m_sandbox + u":results/large"_s, m_folder.filePath(u"large"_s)});
    QVERIFY2(large->exitCode() == 0, large->report());
    QVERIFY(contentOf(u"large"_s) == QByteArray(5000000, '\0'));
}

void TestCliEndedDocker::aMissingFileLeavesNothing()
{
    const auto copy = invoke({u"cp"_s, m_sandbox + u":results/missing"_s, m_folder.filePath(u"missing"_s)});
    QVERIFY2(copy->exitCode() == 125 && copy->error().contains("SBX_E1701"), copy->report());
    QVERIFY(!QFileInfo::exists(m_folder.filePath(u"missing"_s)));
    const auto list = invoke({u"ls"_s, m_sandbox + u":nowhere"_s});
    QVERIFY2(list->exitCode() == 125 && list->error().contains("SBX_E1701"), list->report());
}

void TestCliEndedDocker::nothingIsCopiedIntoIt()
{
    QFile local(m_folder.filePath(u"local"_s));
    QVERIFY(local.open(QIODevice::WriteOnly));
    local.close();
    const auto copy = invoke({u"cp"_s, local.fileName(), m_sandbox + u":results/"_s});
    QVERIFY2(copy->exitCode() == 125 && copy->error().contains("SBX_E1202"), copy->report());
    QVERIFY2(copy->error().contains("not into it") && copy->error().contains("sandboxio create"),
             copy->report());
    const auto list = invoke({u"ls"_s, u"--json"_s, m_sandbox + u":results"_s});
    QCOMPARE(list->json().value("entries"_L1).toArray().size(), 4);
}

void TestCliEndedDocker::connectingSaysHowItsFilesAreRead()
{
    const auto run = invoke({u"run"_s, u"--sandbox"_s, m_sandbox, u"--"_s, u"true"_s});
    QVERIFY2(run->exitCode() == 125 && run->error().contains("SBX_E1202"), run->report());
    QVERIFY2(run->error().contains("sandboxio ls " + m_sandbox.toLatin1()), run->report());
}

SANDBOXIO_TEST(TestCliEndedDocker)
#include "tst_cliendeddocker.moc"
