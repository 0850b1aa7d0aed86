// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/models/outputlog.h>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <cstring>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

namespace {

const QString tooLarge = QString::fromLocal8Bit(strerror(EFBIG));

// While it lives, a file of this process takes at most so many bytes, as on a disk that is full.
class FileSizeLimit
{
public:
    explicit FileSizeLimit(rlim_t bytes)
        : m_handler(signal(SIGXFSZ, SIG_IGN))
    {
        const bool known = getrlimit(RLIMIT_FSIZE, &m_before) == 0;
        const rlimit small{bytes, m_before.rlim_max};
        m_set = known && setrlimit(RLIMIT_FSIZE, &small) == 0;
    }
    ~FileSizeLimit()
    {
        if (m_set)
            setrlimit(RLIMIT_FSIZE, &m_before);
        signal(SIGXFSZ, m_handler);
    }
    Q_DISABLE_COPY_MOVE(FileSizeLimit)
    bool isSet() const { return m_set; }

private:
    void (*m_handler)(int);
    rlimit m_before{};
    bool m_set = false;
};

} // namespace

class OutputLogTest : public QObject
{
    Q_OBJECT
private:
    QTemporaryDir m_folder;

    OutputLogOptions options(qint64 limit = 1024 * 1024) const
    {
        // Of the row alone: the file of the last one goes when its log's thread gets to it.
        return {.directory = m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction())),
                .limit = limit};
    }
    // All there is by now, in the order it was printed.
    static QList<OutputLog::Line> all(OutputLog &log) { return log.rows(0, 1'000'000).result().lines; }
    static QStringList texts(OutputLog &log)
    {
        QStringList result;
        const QList<OutputLog::Line> lines = all(log);
        for (const OutputLog::Line &line : lines)
            result += line.text;
        return result;
    }
    // What save() writes.
    QByteArray saved(OutputLog &log, OutputStream stream, qint64 *missing = nullptr)
    {
        const QString path = m_folder.filePath(u"saved"_s);
        const qint64 gone = log.save(stream, path).result();
        if (missing)
            *missing = gone;
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("the file is missing");
    }
    QStringList files() const { return QDir(options().directory).entryList(QDir::Files); }

private Q_SLOTS:
    void linesAreTheSameWhereverChunksAreCut()
    {
        const QByteArray text = "first\nsecond line\n\nlast without end"_ba;
        const QStringList expected{u"first"_s, u"second line"_s, u""_s, u"last without end"_s};
        for (qsizetype cut = 0; cut <= text.size(); ++cut) {
            OutputLog log(options());
            log.append({.data = text.first(cut)});
            log.append({.data = text.sliced(cut)});
            QCOMPARE(texts(log), expected);
            log.finish();
            QCOMPARE(texts(log), expected);
            QCOMPARE(log.byteCount(OutputStream::StandardOutput), text.size());
        }
    }

    void streamsKeepTheirLinesApart()
    {
        OutputLog log(options());
        log.append({.stream = OutputStream::StandardOutput, .data = "out "_ba});
        log.append({.stream = OutputStream::StandardError, .data = "error\n"_ba});
        log.append({.stream = OutputStream::StandardOutput, .data = "goes on\n"_ba});
        const QList<OutputLog::Line> lines = all(log);
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines[0], (OutputLog::Line{OutputStream::StandardError, u"error"_s, true}));
        QCOMPARE(lines[1], (OutputLog::Line{OutputStream::StandardOutput, u"out goes on"_s, true}));
        QCOMPARE(log.byteCount(OutputStream::StandardError), 6);
    }

    void aPromptIsVisibleBeforeItsLineEnds()
    {
        OutputLog log(options());
        log.append({.data = "Continue? "_ba});
        QCOMPARE(all(log).size(), 1);
        QCOMPARE(all(log).first(), (OutputLog::Line{OutputStream::StandardOutput, u"Continue? "_s, false}));
    }

    void aLongLineIsFoldedWithoutCuttingCharacters()
    {
        const QByteArray word = QByteArray("\xc3\xbc").repeated(10000);
        OutputLog log(options());
        log.append({.data = "x"_ba + word + "\n"_ba});
        QVERIFY(all(log).size() > 4);
        QCOMPARE(texts(log).join(QString()), u'x' + QString::fromUtf8(word));
        const QList<OutputLog::Line> lines = all(log);
        QVERIFY(!lines.first().ended);
        QVERIFY(lines.last().ended);
    }

    void anyLineCanBeReadOutOfMany()
    {
        OutputLog log(options(64 * 1024 * 1024));
        for (int i = 0; i < 100'000; ++i)
            log.append({.data = QByteArray::number(i) + '\n'});
        for (const qint64 first : {0, 127, 128, 129, 50'000, 99'998}) {
            const OutputLog::Page page = log.rows(first, 300).result();
            const QList<OutputLog::Line> &lines = page.lines;
            QCOMPARE(page.rowCount, 100'000);
            QCOMPARE(lines.size(), std::min<qint64>(300, 100'000 - first));
            for (qsizetype i = 0; i < lines.size(); ++i)
                QCOMPARE(lines[i].text, QString::number(first + i));
        }
    }

    void readingBetweenWritesSeesWhatCameLast()
    {
        OutputLog log(options());
        for (int i = 0; i < 1000; ++i) {
            log.append({.data = QByteArray::number(i) + '\n'});
            QCOMPARE(log.lastRows(1).result().lines.first().text, QString::number(i));
        }
    }

    void beyondTheLimitTheMiddleGoesAndAMarkTellsHowMuch()
    {
        constexpr qint64 limit = 64 * 1024;
        constexpr int lines = 10'000;
        OutputLog log(options(limit));
        QByteArray printed;
        for (int i = 0; i < lines; ++i)
            printed += QByteArray::number(i).rightJustified(19, '0') + '\n';
        for (qsizetype at = 0; at < printed.size(); at += 777)
            log.append({.data = printed.mid(at, 777)});
        log.finish();
        const QList<OutputLog::Line> kept = all(log);
        const OutputLog::Page page = log.lastRows(1).result();
        QVERIFY(page.gapRow > 0);
        QVERIFY(page.gapRow < page.rowCount - 1);
        for (qint64 row = 0; row < page.gapRow; ++row)
            QCOMPARE(kept[row].text.toInt(), row);
        QVERIFY(kept[page.gapRow].isGap);
        for (qint64 row = page.gapRow + 1; row < page.rowCount; ++row)
            QCOMPARE(kept[row].text.toInt(), row + page.removedRows);
        QCOMPARE(kept.last().text.toInt(), lines - 1);
        QCOMPARE(log.missingBytes(), (lines - (kept.size() - 1)) * 20);
        QVERIFY(log.missingBytes() >= printed.size() - limit - limit / 8); // one block is in memory
        QVERIFY(log.storageProblem().contains(u"not kept"_s));
        QVERIFY(QFileInfo(QDir(options().directory).filePath(files().value(0))).size() <= limit);
        qint64 missing = 0;
        const QByteArray file = saved(log, OutputStream::StandardOutput, &missing);
        QCOMPARE(missing, log.missingBytes());
        QCOMPARE(file, printed.first(page.gapRow * 20) + "\n["_ba + QByteArray::number(missing) +
                           " bytes are not kept]\n"_ba + printed.sliced(page.gapRow * 20 + missing));
    }

    void everyByteIsSavedAsItCame_data()
    {
        QTest::addColumn<QByteArray>("printed");
        QByteArray all;
        for (int i = 0; i < 256; ++i)
            all += char(i);
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("every value of a byte") << all.repeated(100);
        QTest::newRow("a line that never ends") << QByteArray("\xc3\xbc").repeated(100'000);
        QTest::newRow("only line feeds") << QByteArray(300'000, '\n');
        QTest::newRow("a line as long as a row") << QByteArray(OutputSpool::maximumLine, 'x') + "\nend"_ba;
        QTest::newRow("a last line without end") << "a\nb"_ba;
    }
    void everyByteIsSavedAsItCame()
    {
        QFETCH(QByteArray, printed);
        for (const qsizetype cut : {1, 7, 1023, 1024, 1025, 100'000}) {
            if (printed.size() / cut > 30'000)
                continue;
            OutputLog log(options(64 * 1024 * 1024));
            for (qsizetype at = 0; at < printed.size(); at += cut) {
                log.append({.data = printed.mid(at, cut)});
                log.append({.stream = OutputStream::StandardError, .data = printed.mid(at, cut)});
            }
            QCOMPARE(saved(log, OutputStream::StandardOutput), printed);
            log.finish();
            QCOMPARE(saved(log, OutputStream::StandardOutput), printed);
            QCOMPARE(saved(log, OutputStream::StandardError), printed);
            const QList<OutputLog::Line> lines = all(log);
            QCOMPARE(lines.size(), log.rowCount());
        }
    }

    void aFileThatCannotBeWrittenIsAnErrorWithTheFix()
    {
        OutputLog log(options());
        log.append({.data = "text\n"_ba});
        const Operation<qint64> saving = log.save(OutputStream::StandardOutput, u"/proc/nowhere/file"_s);
        QVERIFY(saving.waitFor(std::chrono::seconds(10)));
        QCOMPARE(saving.outcome(), OperationOutcome::Error);
        QVERIFY(saving.error().message.contains(u"/proc/nowhere/file"_s));
        QVERIFY(!saving.error().hint.isEmpty());
    }

    void textIsFoundOnceAround_data()
    {
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<bool>("backward");
        QTest::addColumn<OutputLog::Position>("from");
        QTest::addColumn<qint64>("row"); // -1: nowhere
        QTest::addColumn<qsizetype>("column");
        QTest::addColumn<bool>("wrapped");
        using P = OutputLog::Position;
        QTest::newRow("forward from the beginning")
            << u"line 70000"_s << false << P{0, 0} << qint64(70'000) << qsizetype(0) << false;
        QTest::newRow("case does not matter")
            << u"LINE 70000"_s << false << P{0, 0} << qint64(70'000) << qsizetype(0) << false;
        QTest::newRow("later in the same row")
            << u"e"_s << false << P{5, 4} << qint64(6) << qsizetype(3) << false;
        QTest::newRow("at the place itself")
            << u"e"_s << false << P{5, 3} << qint64(5) << qsizetype(3) << false;
        QTest::newRow("around the end")
            << u"line 70000"_s << false << P{70'000, 1} << qint64(70'000) << qsizetype(0) << true;
        QTest::newRow("backward") << u"line 7"_s << true << P{100, 0} << qint64(79) << qsizetype(0) << false;
        QTest::newRow("backward in the same row")
            << u"n"_s << true << P{5, 3} << qint64(5) << qsizetype(2) << false;
        QTest::newRow("backward not at the place itself")
            << u"n"_s << true << P{5, 2} << qint64(4) << qsizetype(2) << false;
        QTest::newRow("backward around the beginning")
            << u"line 99999"_s << true << P{5, 0} << qint64(99'999) << qsizetype(0) << true;
        QTest::newRow("nowhere") << u"line x"_s << false << P{0, 0} << qint64(-1) << qsizetype(0) << false;
        QTest::newRow("beyond ASCII") << u"grün"_s << false << P{0, 0} << qint64(100'000) << qsizetype(0)
                                      << false;
        QTest::newRow("through colours")
            << u"redblue"_s << false << P{0, 0} << qint64(100'001) << qsizetype(0) << false;
        QTest::newRow("in the line that has not ended")
            << u"prompt"_s << false << P{0, 0} << qint64(100'002) << qsizetype(0) << false;
    }
    void textIsFoundOnceAround()
    {
        QFETCH(QString, wanted);
        QFETCH(bool, backward);
        QFETCH(OutputLog::Position, from);
        QFETCH(qint64, row);
        QFETCH(qsizetype, column);
        QFETCH(bool, wrapped);
        OutputLog log(options(64 * 1024 * 1024));
        QByteArray printed;
        for (int i = 0; i < 100'000; ++i)
            printed += "line "_ba + QByteArray::number(i) + '\n';
        log.append({.data = printed + QByteArray("gr\xc3\xbcn\n\x1b[31mred\x1b[34mblue\nprompt> ")});
        const auto match = log.find({.text = wanted, .backward = backward, .from = from}).result();
        QCOMPARE(match.has_value(), row >= 0);
        if (match)
            QCOMPARE(*match, (OutputLog::Match{{row, column}, wanted.size(), wrapped}));
    }

    void theFileIsPrivateAndGoesWithTheLog()
    {
        {
            OutputLog log(options());
            log.append({.data = QByteArray("secret\n").repeated(100'000)});
            QVERIFY(all(log).size() > 0);
            QCOMPARE(files().size(), 1);
            const QFileInfo file(QDir(options().directory).filePath(files().first()));
            QCOMPARE(file.permissions() & QFile::Permissions::fromInt(0x0077), QFile::Permissions());
        }
        QTRY_COMPARE(files().size(), 0);
    }

    void aDiskThatRefusesIsToldOnceAndBytesAreCounted()
    {
        OutputLog log({.directory = u"/proc/nowhere"_s, .limit = 1024 * 1024});
        QSignalSpy failures(&log, &OutputLog::storageFailed);
        constexpr qint64 lines = 200'000;
        for (int i = 0; i < 10; ++i)
            log.append({.data = QByteArray("text\n").repeated(lines / 10)});
        log.finish();
        QTRY_VERIFY(log.isFinished());
        QTRY_COMPARE(failures.size(), 1);
        const QList<OutputLog::Line> kept = all(log);
        QVERIFY(kept.last().isGap);
        QCOMPARE(log.missingBytes(), (lines - (kept.size() - 1)) * 5); // what memory holds can still be read
        QCOMPARE(log.byteCount(OutputStream::StandardOutput), lines * 5);
        QVERIFY(log.storageProblem().contains(u"not kept"_s));
    }

    void aFullDiskInTheMiddleLosesNothingSilently()
    {
        OutputLog log(options(8 * 1024 * 1024));
        constexpr qint64 lines = 200'000;
        {
            const FileSizeLimit full(300 * 1024);
            QVERIFY(full.isSet());
            log.append({.data = QByteArray("text\n").repeated(lines)});
            log.finish();
            QTRY_VERIFY(log.isFinished());
        }
        const QList<OutputLog::Line> kept = all(log);
        QVERIFY(kept.size() > 40'000);
        QVERIFY(kept.last().isGap);
        QVERIFY2(log.storageProblem().contains(tooLarge), qPrintable(log.storageProblem()));
        QCOMPARE(log.missingBytes(), (lines - (kept.size() - 1)) * 5);
        QVERIFY(std::ranges::all_of(kept.first(kept.size() - 1),
                                    [](const OutputLog::Line &line) { return line.text == "text"_L1; }));
    }

    void whatTheLimitAndWhatTheDiskLeftOutIsToldApart()
    {
        OutputLog log(options(64 * 1024));
        log.append({.data = QByteArray("text\n").repeated(50'000)});
        QVERIFY(log.lastRows(1).result().gapRow > 0);
        {
            const FileSizeLimit full(4 * 1024);
            QVERIFY(full.isSet());
            log.append({.data = QByteArray("text\n").repeated(50'000)});
            log.finish();
            QTRY_VERIFY(log.isFinished());
        }
        QStringList told;
        const QList<OutputLog::Line> kept = all(log);
        for (const OutputLog::Line &line : kept) {
            if (line.isGap)
                told += line.text;
        }
        QCOMPARE(told.size(), 2);
        QVERIFY2(told.first().contains(u"the limit of"_s), qPrintable(told.first()));
        QVERIFY2(told.last().contains(tooLarge), qPrintable(told.last()));
        QCOMPARE(log.storageProblem(), told.join(u"; "_s));
    }

    void aSpoolThatSomebodyCutIsAnErrorAndNotAShorterFile()
    {
        OutputLog log(options());
        log.append({.data = QByteArray("text\n").repeated(100'000)});
        QVERIFY(log.lastRows(1).result().rowCount > 0);
        QCOMPARE(files().size(), 1);
        QVERIFY(QFile::resize(QDir(options().directory).filePath(files().first()), 1000));
        const QString path = m_folder.filePath(u"never"_s);
        const Operation<qint64> saving = log.save(OutputStream::StandardOutput, path);
        QVERIFY(saving.waitFor(std::chrono::seconds(10)));
        QCOMPARE(saving.outcome(), OperationOutcome::Error);
        QVERIFY(saving.error().message.contains(u"could not be read"_s));
        QCOMPARE(saving.error().hint, u"Run the cell again."_s);
        QVERIFY(!QFile::exists(path));
    }

    void pendingBytesGoDownAsTheyAreStored()
    {
        OutputLog log(options());
        QSignalSpy changes(&log, &OutputLog::changed);
        log.append({.data = QByteArray(1000, 'x')});
        QTRY_COMPARE(log.pendingBytes(), 0);
        QTRY_VERIFY(changes.size() > 0);
    }

    void changesThatNobodyTookYetAreAnnouncedOnce()
    {
        OutputLog log(options());
        QSignalSpy changes(&log, &OutputLog::changed);
        for (int i = 0; i < 100; ++i)
            log.append({.data = "x\n"_ba});
        QCOMPARE(all(log).size(),
                 100); // the worker is through with them, this thread was not in its event loop
        QCOMPARE(changes.size(), 0);
        QVERIFY(changes.wait());
        QCOMPARE(changes.size(), 1);
        QCOMPARE(log.rowCount(), 100);
    }

    void onlyOldSpoolsAreRemoved()
    {
        QDir().mkpath(options().directory);
        const auto make = [&](const QString &name, int daysOld) {
            QFile file(QDir(options().directory).filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            QVERIFY(file.setFileTime(QDateTime::currentDateTimeUtc().addDays(-daysOld),
                                     QFileDevice::FileModificationTime));
        };
        make(u"old.spool"_s, 8);
        make(u"young.spool"_s, 6);
        make(u"old.txt"_s, 8);
        OutputSpool::removeStale(options().directory, 7);
        QCOMPARE(files(), QStringList({u"old.txt"_s, u"young.spool"_s}));
        QVERIFY(QDir(options().directory).removeRecursively());
    }
};

SANDBOXIO_TEST(OutputLogTest)
#include "tst_outputlog.moc"
