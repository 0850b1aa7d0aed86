// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "everysplit.h"
#include "support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <sandboxio/transport/tardecoder.h>

#include <unistd.h>

using namespace Qt::StringLiterals;
using namespace Sandboxio;

namespace {

/// What a decoder made of its input.
struct Outcome
{
    QList<TarHeader> headers;
    QByteArrayList contents;
    bool ended = false;
    std::optional<DecodeError::Kind> error;

    bool operator==(const Outcome &) const = default;
};

/// False where no more may be fed.
bool feed(TarDecoder &decoder, QByteArrayView input, Outcome &outcome)
{
    using Kind = TarDecoder::Step::Kind;
    while (true) {
        const auto step = decoder.decode(input);
        if (!step) {
            outcome.error = step.error().kind;
            return false;
        }
        input = input.sliced(step->consumed);
        if (step->kind == Kind::Entry) {
            outcome.headers.append(decoder.header());
            outcome.contents.append(QByteArray());
        } else if (step->kind == Kind::Data) {
            outcome.contents.last() += step->data;
        } else {
            outcome.ended = step->kind == Kind::End;
            return !outcome.ended;
        }
    }
}

Outcome decoded(const QByteArrayList &pieces)
{
    TarDecoder decoder;
    Outcome outcome;
    for (const QByteArray &piece : pieces) {
        if (!feed(decoder, piece, outcome))
            break;
    }
    if (!outcome.error && !decoder.finish())
        outcome.error = decoder.finish().error().kind;
    return outcome;
}

/// A header block, with its checksum.
QByteArray block(char type, const QByteArray &size, const QByteArray &name = "name"_ba)
{
    QByteArray bytes(512, '\0');
    const auto put = [&bytes](qsizetype offset, const QByteArray &field) {
        bytes.replace(offset, field.size(), field);
    };
    put(0, name);
    put(100, "0000644\0"_ba);
    put(124, size);
    put(148, "        "_ba);
    bytes[156] = type;
    put(257, "ustar\0"
             "00"_ba);
    int sum = 0;
    for (const char byte : std::as_const(bytes))
        sum += static_cast<unsigned char>(byte);
    put(148, QByteArray::number(sum, 8).rightJustified(6, '0') + "\0 "_ba);
    return bytes;
}

QByteArray octal(qint64 size)
{
    return QByteArray::number(size, 8).rightJustified(11, '0') + '\0';
}

QByteArray padded(QByteArray content)
{
    return content.append((512 - content.size() % 512) % 512, '\0');
}

QByteArray extension(char type, const QByteArray &content)
{
    return block(type, octal(content.size())) + padded(content);
}

/// A record of a pax header.
QByteArray record(const QByteArray &text)
{
    qsizetype length = text.size() + 3;
    while (QByteArray::number(length).size() + 2 + text.size() != length)
        ++length;
    return QByteArray::number(length) + ' ' + text + '\n';
}

const QByteArray end(1024, '\0');

} // namespace

/*! Archives that arrive in pieces. */
class TestTarDecoder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsAnArchiveHoweverItIsCut();
    void readsWhatTarWrites_data();
    void readsWhatTarWrites();
    void readsTheNumbersOfLargeFiles();
    void takesWhatExtendedHeadersSay();
    void refusesArchives_data();
    void refusesArchives();
    void noticesAnEarlyEnd();
    void holdsNoContent();
};

void TestTarDecoder::readsAnArchiveHoweverItIsCut()
{
    const QByteArray archive =
        *tarOf({{.path = "d/"_ba, .type = TarEntry::Type::Directory, .mode = 0755},
                {.path = QByteArray(120, 'p'), .mode = 04711, .userId = 7, .data = "12345"_ba},
                {.path = "empty"_ba},
                {.path = "l"_ba,
                 .type = TarEntry::Type::SymbolicLink,
                 .mode = 0777,
                 .modifiedSeconds = 1700000000,
                 .linkTarget = "d/t"_ba}});
    const Outcome whole = decoded({archive});
    QVERIFY(whole.ended && !whole.error);
    QCOMPARE(whole.contents, QByteArrayList({""_ba, "12345"_ba, ""_ba, ""_ba}));
    QCOMPARE(whole.headers.at(0).type, TarEntry::Type::Directory);
    QCOMPARE(whole.headers.at(1).path, QByteArray(120, 'p'));
    QCOMPARE(whole.headers.at(1).size, 5);
    QCOMPARE(whole.headers.at(1).mode, 04711);
    QCOMPARE(whole.headers.at(1).userId, 7);
    QCOMPARE(whole.headers.at(3).linkTarget, "d/t"_ba);
    QCOMPARE(whole.headers.at(3).modifiedSeconds, 1700000000);
    for (const QByteArrayList &pieces : everySplit(archive))
        QVERIFY(decoded(pieces) == whole);
}

void TestTarDecoder::readsWhatTarWrites_data()
{
    QTest::addColumn<QString>("format");
    for (const char *format : {"ustar", "pax", "gnu", "v7"})
        QTest::newRow(format) << QString::fromLatin1(format);
}

void TestTarDecoder::readsWhatTarWrites()
{
    QFETCH(const QString, format);
    const QTemporaryDir folder;
    QDir directory(folder.path());
    // Longer than the field of a name, and for ustar to be split at a slash.
    const QString deep = format == "v7"_L1 ? u"deep"_s : QString(90, u'a') + u'/' + QString(60, u'b');
    QVERIFY(directory.mkpath(deep));
    QFile file(directory.filePath(deep + u"/käse"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(1500, 'x'));
    file.close();
    QVERIFY(QFile::link(u"/nowhere"_s, directory.filePath(u"link"_s)));
    QCOMPARE(::link(QFile::encodeName(file.fileName()).constData(),
                    QFile::encodeName(directory.filePath(u"second"_s)).constData()),
             0);
    QProcess tar;
    tar.start(u"tar"_s, {u"-c"_s, u"--format="_s + format, u"--owner=somebody:1234"_s, u"--mtime=@1700000000"_s,
                         u"-C"_s, folder.path(), deep, u"link"_s, u"second"_s});
    QVERIFY(tar.waitForFinished());
    const Outcome outcome = decoded({tar.readAllStandardOutput()});
    QVERIFY(outcome.ended && !outcome.error);
    QCOMPARE(outcome.headers.size(), 4);
    QCOMPARE(outcome.headers.at(0).path, (deep + u'/').toUtf8());
    QCOMPARE(outcome.headers.at(0).type, TarEntry::Type::Directory);
    QCOMPARE(outcome.headers.at(1).path, (deep + u"/käse"_s).toUtf8());
    QCOMPARE(outcome.contents.at(1), QByteArray(1500, 'x'));
    QCOMPARE(outcome.headers.at(1).userId, 1234);
    QCOMPARE(outcome.headers.at(1).userName, format == "v7"_L1 ? ""_ba : "somebody"_ba);
    QCOMPARE(outcome.headers.at(1).modifiedSeconds, 1700000000);
    QCOMPARE(outcome.headers.at(2).type, TarEntry::Type::SymbolicLink);
    QCOMPARE(outcome.headers.at(2).linkTarget, "/nowhere"_ba);
    QCOMPARE(outcome.headers.at(3).type, TarEntry::Type::HardLink);
    QVERIFY(outcome.headers.at(1).path.startsWith(outcome.headers.at(3).linkTarget)); // ustar has no more room
    if (format != "ustar"_L1)
        QCOMPARE(outcome.headers.at(3).linkTarget, outcome.headers.at(1).path);
}

void TestTarDecoder::readsTheNumbersOfLargeFiles()
{
    QByteArray binary(12, '\0');
    binary[0] = '\x80';
    binary[7] = '\x10'; // 2^36
    TarDecoder decoder;
    const auto step = decoder.decode(block('0', binary));
    QVERIFY(step);
    QCOMPARE(step->kind, TarDecoder::Step::Kind::Entry);
    QCOMPARE(decoder.header().size, qint64(1) << 36);
    const Outcome pax = decoded({extension('x', record("size=68719476736"_ba)) + block('0', octal(0))});
    QCOMPARE(pax.headers.first().size, qint64(1) << 36);
    QCOMPARE(pax.error, DecodeError::Kind::Truncated);
}

void TestTarDecoder::takesWhatExtendedHeadersSay()
{
    const Outcome outcome =
        decoded({extension('g', record("uid=12345"_ba) + record("uname=general"_ba)) +
                 extension('x', record("path=a\xff\nb = c"_ba) + record("uid=777"_ba) +
                                    record("mtime=1700000000.9"_ba)) +
                 block('0', octal(2)) + padded("hi"_ba) + extension('K', "target\0"_ba) +
                 extension('L', QByteArray(300, 'l')) + block('2', octal(0)) + block('6', octal(0)) + end});
    QVERIFY(outcome.ended && !outcome.error);
    QCOMPARE(outcome.headers.at(0).path, "a\xff\nb = c"_ba);
    QCOMPARE(outcome.headers.at(0).userId, 777);
    QCOMPARE(outcome.headers.at(0).userName, "general"_ba);
    QCOMPARE(outcome.headers.at(0).modifiedSeconds, 1700000000);
    QCOMPARE(outcome.contents.at(0), "hi"_ba);
    QCOMPARE(outcome.headers.at(1).path, QByteArray(300, 'l'));
    QCOMPARE(outcome.headers.at(1).linkTarget, "target"_ba);
    QCOMPARE(outcome.headers.at(1).userId, 12345);
    QCOMPARE(outcome.headers.at(2).path, "name"_ba);
    QCOMPARE(outcome.headers.at(2).type, TarEntry::Type::Other);
}

void TestTarDecoder::refusesArchives_data()
{
    QTest::addColumn<QByteArray>("archive");
    QTest::addColumn<DecodeError::Kind>("kind");
    const auto malformed = DecodeError::Kind::Malformed;
    QByteArray huge(12, '\xff');
    huge[0] = '\x80';
    QTest::newRow("text") << "this is no archive"_ba.repeated(100) << malformed;
    QTest::newRow("a wrong checksum") << block('0', octal(0)).replace(0, 1, "m") << malformed;
    QTest::newRow("a size that is no number") << block('0', "what is it?\0"_ba) << malformed;
    QTest::newRow("a size below nothing") << block('0', QByteArray(12, '\xff')) << malformed;
    QTest::newRow("a size beyond every disk") << block('0', huge) << malformed;
    QTest::newRow("a sparse file") << block('S', octal(0)) << malformed;
    QTest::newRow("a sparse file by a record") << extension('x', record("GNU.sparse.major=1"_ba)) << malformed;
    QTest::newRow("a record longer than its header") << extension('x', "99 path=a\n"_ba) << malformed;
    QTest::newRow("a record without a length") << extension('x', "path=a\n"_ba) << malformed;
    QTest::newRow("a record without a name") << extension('x', record("=a"_ba)) << malformed;
    QTest::newRow("a record with a negative size") << extension('x', record("size=-1"_ba)) << malformed;
    QTest::newRow("a name with a NUL in it") << extension('x', record("path=a\0b"_ba)) << malformed;
    QTest::newRow("an extended header without measure")
        << block('x', octal(TarDecoder::maximumExtension + 1)) << DecodeError::Kind::TooLarge;
}

void TestTarDecoder::refusesArchives()
{
    QFETCH(const QByteArray, archive);
    QFETCH(const DecodeError::Kind, kind);
    const Outcome outcome = decoded({archive + end});
    QCOMPARE(outcome.error, kind);
    QVERIFY(outcome.headers.isEmpty());
    QVERIFY(decoded(everySplit(archive + end).last()) == outcome);
}

void TestTarDecoder::noticesAnEarlyEnd()
{
    const QByteArray archive = block('0', octal(5)) + padded("12345"_ba) + end;
    for (qsizetype size = 0; size < archive.size() - 512; ++size)
        QCOMPARE(decoded({archive.first(size)}).error, DecodeError::Kind::Truncated);
    QVERIFY(!decoded({archive.first(archive.size() - 512)}).error);
}

void TestTarDecoder::holdsNoContent()
{
    TarDecoder decoder;
    QVERIFY(decoder.decode(block('0', octal(8LL * 1024 * 1024 * 1024 - 1))));
    const QByteArray piece(65536, 'x');
    for (int i = 0; i < 10; ++i) {
        const auto step = decoder.decode(piece);
        QVERIFY(step);
        QCOMPARE(step->kind, TarDecoder::Step::Kind::Data);
        QVERIFY(step->data.data() == piece.constData() && step->data.size() == piece.size());
    }
}

SANDBOXIO_TEST(TestTarDecoder)
#include "tst_tardecoder.moc"
