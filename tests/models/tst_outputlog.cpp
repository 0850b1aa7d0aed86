// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include <sandboxio/models/outputlog.h>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

class OutputLogTest : public QObject
{
    Q_OBJECT
private:
    QTemporaryDir m_folder;

    OutputLogOptions options(qint64 limit = 1024 * 1024) const
    {
        return {.directory = m_folder.filePath(u"output"_s), .limit = limit};
    }
    static QStringList texts(const OutputLog &log)
    {
        QStringList result;
        const QList<OutputLog::Line> lines = log.lines(0, qsizetype(log.lineCount()));
        for (const OutputLog::Line &line : lines)
            result += line.text;
        return result;
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
        const QList<OutputLog::Line> lines = log.lines(0, 10);
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines[0], (OutputLog::Line{OutputStream::StandardError, u"error"_s, true}));
        QCOMPARE(lines[1], (OutputLog::Line{OutputStream::StandardOutput, u"out goes on"_s, true}));
        QCOMPARE(log.byteCount(OutputStream::StandardError), 6);
    }

    void aPromptIsVisibleBeforeItsLineEnds()
    {
        OutputLog log(options());
        log.append({.data = "Continue? "_ba});
        QCOMPARE(log.lineCount(), 1);
        QCOMPARE(log.lines(0, 1).first(),
                 (OutputLog::Line{OutputStream::StandardOutput, u"Continue? "_s, false}));
    }

    void aLongLineIsFoldedWithoutCuttingCharacters()
    {
        const QByteArray word = QByteArray("\xc3\xbc").repeated(10000);
        OutputLog log(options());
        log.append({.data = "x"_ba + word + "\n"_ba});
        QVERIFY(log.lineCount() > 4);
        QCOMPARE(texts(log).join(QString()), u'x' + QString::fromUtf8(word));
        const QList<OutputLog::Line> lines = log.lines(0, 10);
        QVERIFY(!lines.first().ended);
        QVERIFY(lines.last().ended);
    }

    void anyLineCanBeReadOutOfMany()
    {
        OutputLog log(options(64 * 1024 * 1024));
        for (int i = 0; i < 100'000; ++i)
            log.append({.data = QByteArray::number(i) + '\n'});
        QCOMPARE(log.lineCount(), 100'000);
        for (const qint64 first : {0, 127, 128, 129, 50'000, 99'998}) {
            const QList<OutputLog::Line> lines = log.lines(first, 300);
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
            QCOMPARE(log.lines(i, 1).first().text, QString::number(i));
        }
    }

    void beyondTheLimitBytesAreCountedAndNotKept()
    {
        OutputLog log(options(1000));
        for (int i = 0; i < 100; ++i)
            log.append({.data = QByteArray(99, 'x') + '\n'});
        log.finish();
        QVERIFY(log.lineCount() <= 10);
        QCOMPARE(log.byteCount(OutputStream::StandardOutput), 10'000);
        QCOMPARE(log.droppedBytes(), 10'000 - log.lineCount() * 100);
        QVERIFY(log.storageProblem().contains(u"not kept"_s));
        QVERIFY(QFileInfo(QDir(options().directory).filePath(files().value(0))).size() <= 1000);
    }

    void theFileIsPrivateAndGoesWithTheLog()
    {
        {
            OutputLog log(options());
            log.append({.data = "secret\n"_ba});
            QCOMPARE(log.lines(0, 1).size(), 1);
            QCOMPARE(files().size(), 1);
            const QFileInfo file(QDir(options().directory).filePath(files().first()));
            QCOMPARE(file.permissions() & QFile::Permissions::fromInt(0x0077), QFile::Permissions());
        }
        QCOMPARE(files().size(), 0);
    }

    void aFolderThatCannotBeMadeIsReportedAndBytesAreCounted()
    {
        OutputLog log({.directory = u"/proc/nowhere"_s});
        log.append({.data = "some text\n"_ba});
        QCOMPARE(log.lineCount(), 0);
        QCOMPARE(log.droppedBytes(), 10);
        QVERIFY(!log.storageProblem().isEmpty());
    }

    void manyChunksInOneTurnAreAnnouncedOnce()
    {
        OutputLog log(options());
        QSignalSpy changes(&log, &OutputLog::changed);
        for (int i = 0; i < 100; ++i)
            log.append({.data = "x\n"_ba});
        QCOMPARE(changes.size(), 0);
        QVERIFY(changes.wait());
        QCOMPARE(changes.size(), 1);
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

QTEST_GUILESS_MAIN(OutputLogTest)
#include "tst_outputlog.moc"
