// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "inputreader.h"
#include "outputwriter.h"
#include "support/testprogram.h"

#include <QElapsedTimer>
#include <QTest>

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace Sandboxio;
using namespace Sandboxio::Cli;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/*! A pipe whose ends are closed at the end of the scope. */
class Pipe
{
public:
    Pipe() { m_valid = ::pipe2(m_ends.data(), O_CLOEXEC) == 0; }
    ~Pipe()
    {
        closeReader();
        closeWriter();
    }
    Q_DISABLE_COPY_MOVE(Pipe)

    bool isValid() const { return m_valid; }
    int reader() const { return m_ends[0]; }
    int writer() const { return m_ends[1]; }
    void closeReader() { closeEnd(m_ends[0]); }
    void closeWriter() { closeEnd(m_ends[1]); }
    QByteArray readAll()
    {
        QByteArray all;
        QByteArray piece(65536, Qt::Uninitialized);
        while (true) {
            const ssize_t size = ::read(reader(), piece.data(), std::size_t(piece.size()));
            if (size <= 0)
                return all;
            all.append(piece.constData(), size);
        }
    }

private:
    static void closeEnd(int &end)
    {
        if (end >= 0)
            ::close(end);
        end = -1;
    }
    std::array<int, 2> m_ends{-1, -1};
    bool m_valid = false;
};

constexpr qsizetype mebibyte = 1024 * 1024;

} // namespace

class TestCliOutputWriter : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void bytesArriveInOrder();
    void aSlowReaderHoldsTheWriter();
    void aClosedReaderIsReported();
    void oneClosedDescriptorDoesNotStopAnother();
    void abandoningEndsEveryWait();
    void aBlockedWriteDoesNotHoldTheEnd();
    void nothingIsWrittenToWhoGetsTheNumber();
    void inputComesPieceByPiece();
    void aWaitingReadCanBeCancelled();
};

void TestCliOutputWriter::initTestCase()
{
    ::signal(SIGPIPE, SIG_IGN);
}

void TestCliOutputWriter::bytesArriveInOrder()
{
    Pipe pipe;
    QVERIFY(pipe.isValid());
    OutputWriter writer;
    QByteArray expected;
    for (int i = 0; i < 1000; ++i) {
        const QByteArray line = QByteArray::number(i) + '\n';
        expected += line;
        QCOMPARE(writer.write(pipe.writer(), line).result(), 0);
    }
    QCOMPARE(writer.flush(pipe.writer()).result(), 0);
    pipe.closeWriter();
    QCOMPARE(pipe.readAll(), expected);
}

void TestCliOutputWriter::aSlowReaderHoldsTheWriter()
{
    Pipe pipe;
    QVERIFY(pipe.isValid());
    OutputWriter writer;
    // The pipe itself holds 64 KiB and the writer about one MiB; the rest must wait for the reader.
    const QByteArray piece(mebibyte / 4, 'x');
    QList<Operation<int>> writes;
    for (int i = 0; i < 16; ++i)
        writes.append(writer.write(pipe.writer(), piece));
    QVERIFY(writes.first().waitFor(5s));
    QVERIFY(!writes.last().waitFor(200ms));
    const auto ended = std::ranges::count_if(writes, &Operation<int>::isEnded);
    QVERIFY2(ended < 8, qPrintable(QString::number(ended)));
    QByteArray received(16 * piece.size(), '\0');
    qsizetype done = 0;
    while (done < received.size()) {
        const ssize_t size = ::read(pipe.reader(), received.data() + done, std::size_t(received.size() - done));
        QVERIFY(size > 0);
        done += size;
    }
    QVERIFY(writes.last().waitFor(5s));
    QCOMPARE(received, QByteArray(16 * piece.size(), 'x'));
}

void TestCliOutputWriter::aClosedReaderIsReported()
{
    Pipe pipe;
    QVERIFY(pipe.isValid());
    pipe.closeReader();
    OutputWriter writer;
    const Operation<int> first = writer.write(pipe.writer(), "x"_ba);
    QCOMPARE(writer.flush(pipe.writer()).result(), EPIPE);
    QVERIFY(first.waitFor(5s));
    QCOMPARE(writer.write(pipe.writer(), "y"_ba).result(), EPIPE);
}

void TestCliOutputWriter::oneClosedDescriptorDoesNotStopAnother()
{
    Pipe closed;
    Pipe open;
    QVERIFY(closed.isValid() && open.isValid());
    closed.closeReader();
    OutputWriter writer;
    const Operation<int> lost = writer.write(closed.writer(), "x"_ba);
    const Operation<int> kept = writer.write(open.writer(), "y"_ba);
    QCOMPARE(writer.flush(open.writer()).result(), 0);
    QVERIFY(lost.waitFor(5s) && kept.waitFor(5s));
    open.closeWriter();
    QCOMPARE(open.readAll(), "y"_ba);
}

void TestCliOutputWriter::abandoningEndsEveryWait()
{
    Pipe pipe;
    QVERIFY(pipe.isValid());
    OutputWriter writer;
    const Operation<int> blocked = writer.write(pipe.writer(), QByteArray(4 * mebibyte, 'x'));
    const Operation<int> flush = writer.flush(pipe.writer());
    QVERIFY(!flush.waitFor(50ms));
    writer.abandon();
    QCOMPARE(blocked.result(), ECANCELED);
    QCOMPARE(flush.result(), ECANCELED);
    QCOMPARE(writer.write(pipe.writer(), "y"_ba).result(), ECANCELED);
    pipe.closeReader(); // lets the blocked write end
}

void TestCliOutputWriter::aBlockedWriteDoesNotHoldTheEnd()
{
    Pipe pipe;
    QVERIFY(pipe.isValid());
    QElapsedTimer timer;
    timer.start();
    {
        OutputWriter writer;
        const Operation<int> blocked = writer.write(pipe.writer(), QByteArray(4 * mebibyte, 'x'));
        QVERIFY(!blocked.waitFor(50ms));
    }
    QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    pipe.closeReader();
}

// The write that blocks ends when its reader goes, with only a part written.
void TestCliOutputWriter::nothingIsWrittenToWhoGetsTheNumber()
{
    Pipe pipe;
    Pipe other;
    QVERIFY(pipe.isValid() && other.isValid());
    {
        OutputWriter writer;
        const Operation<int> blocked = writer.write(pipe.writer(), QByteArray(4 * mebibyte, 'x'));
        QVERIFY(!blocked.waitFor(50ms));
    }
    QVERIFY(::dup2(other.writer(), pipe.writer()) == pipe.writer());
    pipe.closeReader();
    pollfd readable{other.reader(), POLLIN, 0};
    QCOMPARE(::poll(&readable, 1, 500), 0);
}

void TestCliOutputWriter::inputComesPieceByPiece()
{
    Pipe pipe;
    QVERIFY(pipe.isValid());
    InputReader reader(pipe.reader());
    const Operation<QByteArray> first = reader.read();
    QVERIFY(!first.isEnded());
    QCOMPARE(::write(pipe.writer(), "abc", 3), 3);
    QTRY_VERIFY(first.isEnded());
    QCOMPARE(first.result(), "abc"_ba);
    pipe.closeWriter();
    const Operation<QByteArray> end = reader.read();
    QTRY_VERIFY(end.isEnded());
    QCOMPARE(end.result(), QByteArray());
}

void TestCliOutputWriter::aWaitingReadCanBeCancelled()
{
    Pipe pipe;
    QVERIFY(pipe.isValid());
    InputReader reader(pipe.reader());
    const Operation<QByteArray> read = reader.read();
    read.cancel();
    QTRY_COMPARE(read.outcome(), OperationOutcome::Cancelled);
    const Operation<QByteArray> stopped = reader.read();
    reader.stop();
    QCOMPARE(stopped.outcome(), OperationOutcome::Cancelled);
}

SANDBOXIO_TEST(TestCliOutputWriter)
#include "tst_clioutputwriter.moc"
