// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/guest/protocol/filemessages.h>
#include <sandboxio/guest/protocol/messages.h>

#include <QTest>

using namespace Sandboxio::Guest;
using namespace Qt::StringLiterals;
using Result = FrameDecoder::Result;

namespace {

struct Copy
{
    FrameType type;
    std::uint32_t channel;
    std::string payload;
    bool operator==(const Copy &) const = default;
};

std::vector<Copy> decodeInPieces(std::string_view bytes, const std::vector<std::size_t> &cuts,
                                 bool *failed = nullptr)
{
    FrameDecoder decoder;
    std::vector<Copy> frames;
    std::size_t from = 0;
    auto take = [&](std::size_t to) {
        decoder.append(bytes.substr(from, to - from));
        from = to;
        Frame frame;
        Result result = Result::NeedMore;
        while ((result = decoder.next(frame)) == Result::Frame)
            frames.push_back({frame.type, frame.channel, std::string(frame.payload)});
        if (failed)
            *failed = result == Result::Failed;
    };
    for (const std::size_t cut : cuts)
        take(cut);
    take(bytes.size());
    return frames;
}

std::string sampleStream()
{
    Spawn spawn;
    spawn.argv = {"printf", "%s", "a\nb", ""};
    spawn.environment = {"A=1", "B="};
    spawn.workingDirectory = "/w";
    spawn.stdinMode = StdinMode::Pipe;
    spawn.pty = true;
    spawn.windowSize = {50, 132};
    spawn.term = "xterm";
    return std::string(preamble) + encode(0, Hello{}) + encode(7, spawn) + encode(7, Stdin{"in\0put"}) +
           encode(7, StdinClose{}) + encode(9, FileRead{3, 1ull << 40, 512});
}

template <typename Message>
void checkRoundTrip(const Message &message)
{
    const std::string frame = encode(42, message);
    const std::string_view payload = std::string_view(frame).substr(frameHeaderSize);
    const auto decoded = decode<Message>(payload);
    QVERIFY(decoded.has_value());
    QVERIFY(*decoded == message);
    QVERIFY2(!decode<Message>(std::string(payload) + 'x') || Message::type == FrameType::Output ||
                 Message::type == FrameType::Stdin || Message::type == FrameType::FileWrite,
             "a byte too many is accepted");
    for (std::size_t size = 0; size < payload.size(); ++size) {
        const auto partial = decode<Message>(payload.substr(0, size));
        QVERIFY2(!partial || !(*partial == message), "a payload that is cut off reads as whole");
    }
}

FileInfo sampleInfo()
{
    return {"na\xffme\n", FileType::SymbolicLink, 5, 0777, 1000, 100, "user", "users", -7, "target"};
}

} // namespace

class TestGuestCodec : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void wireFormatIsAsDocumented()
    {
        const std::string frame = encode(0x01020304, Credit{StreamId::Stderr, 0x0a0b0c0d});
        QCOMPARE(QByteArray::fromStdString(frame).toHex(), "0a0000001604030201020d0c0b0a"_ba);
    }

    void everySplitGivesTheSameFrames()
    {
        const std::string bytes = sampleStream();
        const std::vector<Copy> whole = decodeInPieces(bytes, {});
        QCOMPARE(whole.size(), 5u);
        for (std::size_t first = 0; first <= bytes.size(); ++first) {
            for (std::size_t second = first; second <= bytes.size(); ++second)
                QVERIFY(decodeInPieces(bytes, {first, second}) == whole);
        }
    }

    void byteByByteGivesTheSameFrames()
    {
        const std::string bytes = sampleStream();
        std::vector<std::size_t> cuts;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            cuts.push_back(i);
        QVERIFY(decodeInPieces(bytes, cuts) == decodeInPieces(bytes, {}));
    }

    void garbageFails_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("a text instead of the preamble fails at its first byte") << "O"_ba;
        QTest::newRow("a preamble with a wrong last byte fails") << "SBXGUES!"_ba;
        QTest::newRow("a frame shorter than its header fails") << "SBXGUEST\x04\0\0\0"_ba + QByteArray(4, '\0');
        QTest::newRow("an empty frame fails") << QByteArray("SBXGUEST\0\0\0\0", 12);
        QTest::newRow("a length over the maximum fails before its bytes arrive")
            << QByteArray("SBXGUEST\xfd\xff\x0f\0", 12);
        QTest::newRow("the largest length of all fails") << "SBXGUEST\xff\xff\xff\xff"_ba;
    }
    void garbageFails()
    {
        QFETCH(QByteArray, bytes);
        FrameDecoder decoder;
        decoder.append({bytes.data(), size_t(bytes.size())});
        Frame frame;
        QVERIFY(decoder.next(frame) == Result::Failed);
        QVERIFY(!decoder.error().empty());
        QCOMPARE(decoder.bufferedBytes(), 0u);
        const std::string good = sampleStream();
        decoder.append(good);
        QVERIFY2(decoder.next(frame) == Result::Failed, "a failed decoder must stay failed");
        QCOMPARE(decoder.bufferedBytes(), 0u);
    }

    void largestFrameIsAccepted()
    {
        const std::string data(maximumFrameSize - frameHeaderSize, 'x');
        const std::string frame = encode(1, Stdin{data});
        QCOMPARE(frame.size(), maximumFrameSize);
        bool failed = true;
        const auto frames = decodeInPieces(std::string(preamble) + frame, {9, 100000}, &failed);
        QCOMPARE(frames.size(), 1u);
        QVERIFY(!failed);
        QVERIFY(frames.front().payload == data);
    }

    void claimedLengthHoldsNoMemory()
    {
        FrameDecoder decoder;
        decoder.append(preamble);
        decoder.append({"\xfc\xff\x0f\0\x11", 5});
        Frame frame;
        QVERIFY(decoder.next(frame) == Result::NeedMore);
        QCOMPARE(decoder.bufferedBytes(), 5u);
    }

    void keptRunMessagesRoundTrip()
    {
        StartKept start;
        start.name = "name";
        start.label = {"a", "", "c"};
        start.input = std::string("in\0put", 6);
        start.spawn.argv = {"a", "b"};
        start.spawn.pty = true;
        start.spawn.windowSize = {3, 4};
        checkRoundTrip(start);
        checkRoundTrip(KeptStarted{7, 2, SpawnStage::Exec});
        checkRoundTrip(ListKept{});
        KeptRunInfo info{"name", {"a"}, 7, 1ull << 40, true, 2, true, {ExitStatus::Kind::Exited, 3},
                         9,      8,     7, 6};
        checkRoundTrip(KeptList{{info, KeptRunInfo{}}});
        checkRoundTrip(RemoveKept{"name"});
        checkRoundTrip(Attach{"name", 1ull << 33, 5});
        checkRoundTrip(Attached{7, true, false});
        checkRoundTrip(OutputLost{StreamId::Stderr, 1ull << 33});
    }

    void runMessagesRoundTrip()
    {
        Spawn spawn;
        spawn.argv = {"a", "", std::string("b\0c", 3)};
        spawn.environment = {"X=\xff"};
        spawn.clearEnvironment = true;
        spawn.streamToken = "token";
        spawn.stdinMode = StdinMode::Token;
        checkRoundTrip(spawn);
        checkRoundTrip(Spawned{77});
        checkRoundTrip(SpawnFailed{2, SpawnStage::Exec});
        checkRoundTrip(Output{StreamId::Stderr, 1ull << 33, "bytes"});
        checkRoundTrip(StreamEof{StreamId::Stdout});
        checkRoundTrip(StreamEof{StreamId::Control});
        spawn.stdinMode = StdinMode::Control;
        checkRoundTrip(spawn);
        checkRoundTrip(Credit{StreamId::Stdout, 9});
        checkRoundTrip(Stdin{"x"});
        checkRoundTrip(StdinCredit{12});
        checkRoundTrip(ExitStatus{ExitStatus::Kind::Signalled, 9, true, 1, true});
        checkRoundTrip(Signal{15, true});
        checkRoundTrip(WindowSize{1, 2});
    }

    void controlMessagesRoundTrip()
    {
        checkRoundTrip(Hello{3});
        checkRoundTrip(HelloReply{1, "amd64", 1, 2, 3, 4, true, false, true, "/work"});
        checkRoundTrip(Fatal{"why"});
        checkRoundTrip(Error{-1});
        checkRoundTrip(Extend{5});
        checkRoundTrip(Status{1, 2, 3, 4});
        checkRoundTrip(NetProbe{"host", 80, NetProtocol::Udp, 7, "ping"});
        checkRoundTrip(NetProbeResult{NetOutcome::Refused, 111, "127.0.0.1", 3});
        QVERIFY(decode<Done>({}).has_value());
        QVERIFY(!decode<Done>("x").has_value());
    }

    void fileMessagesRoundTrip()
    {
        checkRoundTrip(sampleInfo());
        checkRoundTrip(FileStat{"p", true});
        checkRoundTrip(FileList{"p"});
        checkRoundTrip(FileListNext{1});
        checkRoundTrip(FileListPage{1, true, {sampleInfo(), FileInfo{}}});
        checkRoundTrip(FileOpened{1, sampleInfo()});
        checkRoundTrip(FileRead{1, 2, 3});
        checkRoundTrip(FileOpenWrite{"p", 0600, true});
        checkRoundTrip(FileWrite{1, 2, "data"});
        checkRoundTrip(FileCommit{1, 2});
        checkRoundTrip(FileMakeDirectory{"p", true});
        checkRoundTrip(FileRemove{"p", true});
        checkRoundTrip(FileMove{"a", "b", true});
        checkRoundTrip(FileMakeLink{"../a", "b"});
        checkRoundTrip(FileChangeMode{"p", 0644});
        checkRoundTrip(FileWatch{"p", true});
        checkRoundTrip(FileWatchNext{1});
        checkRoundTrip(
            FileChanges{{{FileChangeKind::Renamed, "a\xff\n", "b"}, {FileChangeKind::Overflow, "p", {}}}});
    }

    void impossibleValuesAreRefused_data()
    {
        QTest::addColumn<bool>("accepted");
        QTest::newRow("a boolean of 2 is refused") << decode<FileStat>({"\0\0\0\0\x02", 5}).has_value();
        QTest::newRow("a stream 4 is refused") << decode<StreamEof>("\x04").has_value();
        QTest::newRow("a change of kind 6 is refused")
            << decode<FileChanges>({"\1\0\0\0\6\0\0\0\0\0\0\0\0", 13}).has_value();
        QTest::newRow("a list of 4 billion entries is refused")
            << decode<Spawn>({"\xff\xff\xff\xff", 4}).has_value();
        QTest::newRow("a string longer than the payload is refused")
            << decode<FileList>({"\x05\0\0\0abcd", 8}).has_value();
    }
    void impossibleValuesAreRefused()
    {
        QFETCH(bool, accepted);
        QVERIFY(!accepted);
    }
};

SANDBOXIO_TEST(TestGuestCodec)
#include "tst_guestcodec.moc"
