// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/runtime/wholefile.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <sys/sysmacros.h>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

/// What comes from a sandbox lands on the user's computer whole or not at all, and replaces files only.
class TestWholeFile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
    }

    void oldContentStaysUntilTheCommit()
    {
        put("old");
        WholeFile file(path());
        QVERIFY(file.open());
        QVERIFY(file.write("new"));
        QCOMPARE(content(), "old"_ba);
        QVERIFY(file.commit());
        QCOMPARE(content(), "new"_ba);
    }

    void nothingStaysWithoutTheCommit()
    {
        {
            WholeFile file(path());
            QVERIFY(file.open());
            QVERIFY(file.write("new"));
        }
        QVERIFY(QDir(m_folder->path()).isEmpty());
    }

    void aCharacterDeviceIsWrittenIntoAndStays()
    {
        if (::mknod(QFile::encodeName(path()).constData(), S_IFCHR | 0600, makedev(1, 3)) != 0)
            QSKIP("making a device needs root");
        WholeFile file(path());
        QVERIFY(file.open());
        QVERIFY(file.write("lost"));
        QVERIFY(file.commit());
        struct stat status{};
        QCOMPARE(::lstat(QFile::encodeName(path()).constData(), &status), 0);
        QVERIFY(S_ISCHR(status.st_mode));
    }

    void whatIsNoFileIsRefusedAndStays_data()
    {
        QTest::addColumn<int>("type");
        QTest::newRow("a pipe") << int(S_IFIFO);
        QTest::newRow("a socket") << int(S_IFSOCK);
    }
    void whatIsNoFileIsRefusedAndStays()
    {
        QFETCH(int, type);
        QCOMPARE(::mknod(QFile::encodeName(path()).constData(), mode_t(type) | 0600, 0), 0);
        WholeFile file(path());
        QVERIFY(!file.open());
        QVERIFY(file.hasFailed());
        QVERIFY2(file.errorString().contains(u"neither a file"_s), qPrintable(file.errorString()));
        QVERIFY(QFile::exists(path()) || type == int(S_IFSOCK));
    }

    void aFolderThatIsMissingIsTold()
    {
        WholeFile file(m_folder->filePath(u"no/such/folder"_s));
        QVERIFY(!file.open());
        QVERIFY(!file.errorString().isEmpty());
    }

private:
    QString path() const { return m_folder->filePath(u"file"_s); }
    void put(const QByteArray &bytes) const
    {
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    QByteArray content() const
    {
        QFile file(path());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

SANDBOXIO_TEST(TestWholeFile)
#include "tst_wholefile.moc"
