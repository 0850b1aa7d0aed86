// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "support/testprogram.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <sandboxio/transport/tararchive.h>

using namespace Qt::StringLiterals;
using namespace Sandboxio;

class TestTarArchive : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void roundTrips_data();
    void roundTrips();
    void matchesTheFormatOfTar();
    void readsWhatTarWrites_data();
    void readsWhatTarWrites();
    void refusesEntries_data();
    void refusesEntries();
    void refusesArchives_data();
    void refusesArchives();
    void refusesMoreThanTheLimits();
    void neverCrashesOnDamage();
    void aModeIsPermissionsAlone();
};

void TestTarArchive::roundTrips_data()
{
    QTest::addColumn<TarEntry>("entry");
    QTest::newRow("an executable") << TarEntry{.path = "guest"_ba,
                                               .mode = 0755,
                                               .modifiedSeconds = 1700000000,
                                               .data = "\x7f"
                                                       "ELF\0x"_ba};
    QTest::newRow("an empty file") << TarEntry{.path = "empty"_ba};
    QTest::newRow("a file of 3 MB") << TarEntry{.path = "big"_ba, .data = QByteArray(3'000'001, 'b')};
    QTest::newRow("a directory") << TarEntry{
        .path = "etc/"_ba, .type = TarEntry::Type::Directory, .mode = 0700};
    QTest::newRow("a symbolic link") << TarEntry{.path = "l"_ba,
                                                 .type = TarEntry::Type::SymbolicLink,
                                                 .mode = 0777,
                                                 .linkTarget = "../../etc/passwd"_ba};
    QTest::newRow("a path of 300 bytes") << TarEntry{.path = QByteArray(300, 'p'), .data = "x"_ba};
    QTest::newRow("a link target of 300 bytes")
        << TarEntry{.path = "l"_ba, .type = TarEntry::Type::SymbolicLink, .linkTarget = QByteArray(300, 't')};
    QTest::newRow("a name that is not UTF-8") << TarEntry{.path = "caf\xe9\n\x01"_ba, .data = "x"_ba};
    QTest::newRow("a name in UTF-8") << TarEntry{.path = "käse/日本"_ba, .data = "x"_ba};
    QTest::newRow("a name that climbs out stays a name") << TarEntry{.path = "../../x"_ba, .data = "x"_ba};
    QTest::newRow("an absolute name stays a name") << TarEntry{.path = "/etc/passwd"_ba, .data = "x"_ba};
    QTest::newRow("owner, group and suid")
        << TarEntry{.path = "s"_ba, .mode = 04755, .userId = 1000, .groupId = 3'000'000, .data = "x"_ba};
}

void TestTarArchive::roundTrips()
{
    QFETCH(const TarEntry, entry);
    const TarEntry neighbour{.path = "neighbour"_ba, .data = "n"_ba};
    const auto archive = tarOf({entry, neighbour});
    QVERIFY2(archive, qPrintable(archive ? QString() : archive.error().text));
    const auto entries = tarEntries(*archive);
    QVERIFY2(entries, qPrintable(entries ? QString() : entries.error().text));
    QCOMPARE(entries->size(), 2);
    QCOMPARE(entries->first().path, entry.path);
    QVERIFY(entries->first() == entry);
    QVERIFY(entries->last() == neighbour);
}

void TestTarArchive::matchesTheFormatOfTar()
{
    const auto archive = tarOf({{.path = "a"_ba, .mode = 0640, .modifiedSeconds = 1, .data = "hi"_ba}});
    QVERIFY(archive);
    QCOMPARE(archive->size() % 512, 0);
    QCOMPARE(archive->first(2), "a\0"_ba);
    QCOMPARE(archive->sliced(257, 8), "ustar  \0"_ba);
    QCOMPARE(archive->sliced(512, 2), "hi"_ba);
    QVERIFY(archive->endsWith(QByteArray(1024, '\0')));
}

void TestTarArchive::readsWhatTarWrites_data()
{
    QTest::addColumn<QString>("format");
    for (const char *format : {"ustar", "pax", "gnu", "v7"})
        QTest::newRow(format) << QString::fromLatin1(format);
}

void TestTarArchive::readsWhatTarWrites()
{
    QFETCH(const QString, format);
    QTemporaryDir directory;
    QFile file(directory.filePath(u"näme"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("content");
    file.close();
    QVERIFY(QFile::link(u"näme"_s, directory.filePath(u"link"_s)));
    QProcess tar;
    tar.start(u"tar"_s, {u"-c"_s, u"--format="_s + format, u"-C"_s, directory.path(), u"näme"_s, u"link"_s});
    QVERIFY(tar.waitForFinished());
    const auto entries = tarEntries(tar.readAllStandardOutput());
    QVERIFY2(entries, qPrintable(entries ? QString() : entries.error().text));
    QCOMPARE(entries->size(), 2);
    QCOMPARE(entries->first().path, "näme"_ba);
    QCOMPARE(entries->first().data, "content"_ba);
    QCOMPARE(entries->last().type, TarEntry::Type::SymbolicLink);
    QCOMPARE(entries->last().linkTarget, "näme"_ba);
}

void TestTarArchive::refusesEntries_data()
{
    QTest::addColumn<TarEntry>("entry");
    QTest::newRow("no path") << TarEntry{.data = "x"_ba};
    QTest::newRow("NUL in the path") << TarEntry{.path = "a\0b"_ba};
    QTest::newRow("a link without target") << TarEntry{.path = "a"_ba, .type = TarEntry::Type::SymbolicLink};
    QTest::newRow("a file with a target") << TarEntry{.path = "a"_ba, .linkTarget = "b"_ba};
    QTest::newRow("a directory with data")
        << TarEntry{.path = "a"_ba, .type = TarEntry::Type::Directory, .data = "x"_ba};
    QTest::newRow("an unknown type") << TarEntry{.path = "a"_ba, .type = TarEntry::Type::Other};
}

void TestTarArchive::refusesEntries()
{
    QFETCH(const TarEntry, entry);
    const auto archive = tarOf({entry});
    QVERIFY(!archive);
    QCOMPARE(archive.error().kind, DecodeError::Kind::Malformed);
}

void TestTarArchive::refusesArchives_data()
{
    QTest::addColumn<QByteArray>("archive");
    const QByteArray good = *tarOf({{.path = "a"_ba, .data = QByteArray(2000, 'x')}});
    QTest::newRow("text") << "this is no archive"_ba.repeated(100);
    QTest::newRow("cut in a header") << good.first(300);
    QTest::newRow("cut in the data") << good.first(1500);
    QTest::newRow("a wrong checksum") << QByteArray(good).replace(0, 1, "b");
}

void TestTarArchive::refusesArchives()
{
    QFETCH(const QByteArray, archive);
    QVERIFY(!tarEntries(archive));
}

void TestTarArchive::refusesMoreThanTheLimits()
{
    const auto archive = tarOf({{.path = "a"_ba, .data = "12345"_ba}, {.path = "b"_ba, .data = "12345"_ba}});
    QVERIFY(tarEntries(*archive, {.entries = 2, .bytes = 10}));
    QCOMPARE(tarEntries(*archive, {.entries = 1, .bytes = 10}).error().kind, DecodeError::Kind::TooLarge);
    QCOMPARE(tarEntries(*archive, {.entries = 2, .bytes = 9}).error().kind, DecodeError::Kind::TooLarge);
}

void TestTarArchive::neverCrashesOnDamage()
{
    const QByteArray good =
        *tarOf({{.path = QByteArray(200, 'p'), .data = "12345"_ba},
                {.path = "l"_ba, .type = TarEntry::Type::SymbolicLink, .linkTarget = "t"_ba}});
    int refused = 0;
    for (qsizetype i = 0; i < good.size(); i += 3) {
        QByteArray damaged = good;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x5a);
        refused += tarEntries(damaged).has_value() ? 0 : 1;
    }
    QVERIFY(refused > 100); // a header is protected by its checksum
}

void TestTarArchive::aModeIsPermissionsAlone()
{
    QByteArray archive = *tarOf({{.path = "a"_ba, .mode = 0413, .data = "12345"_ba}});
    constexpr qsizetype modeField = 100;
    constexpr qsizetype checksumField = 148;
    archive.replace(modeField, 8, "0330413\0"_ba);
    archive.replace(checksumField, 8, "        "_ba);
    int checksum = 0;
    for (const char byte : archive.first(512))
        checksum += static_cast<unsigned char>(byte);
    archive.replace(checksumField, 8, QByteArray::number(checksum, 8).rightJustified(6, '0') + "\0 "_ba);
    const auto entries = tarEntries(archive);
    QVERIFY(entries);
    QCOMPARE(entries->first().mode, 0413);
}

SANDBOXIO_TEST(TestTarArchive)
#include "tst_tararchive.moc"
