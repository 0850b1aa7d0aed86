// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

// The client of the guest protocol against a guest that says anything, whole and in pieces: the same events for both,
// every reply exactly once, no more output than was credited.

#include <sandboxio/guest/client/client.h>

#include <QCoreApplication>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

using namespace Sandboxio::Guest;

namespace {

// Frames of every type are reached faster when the input says type, channel and payload, and the frame is made here.
std::string framed(std::string_view input)
{
    static constexpr std::array types{
        FrameType::HelloReply,     FrameType::Fatal,        FrameType::Done,        FrameType::Error,
        FrameType::Status,         FrameType::Spawned,      FrameType::SpawnFailed, FrameType::Output,
        FrameType::StreamEof,      FrameType::Exited,       FrameType::StdinCredit, FrameType::TreeKilled,
        FrameType::FileStatReply,  FrameType::FileListPage, FrameType::FileOpened,  FrameType::FileData,
        FrameType::NetProbeResult, FrameType::Hello,        FrameType::FileChanges, FrameType::KeptStarted,
        FrameType::KeptList,       FrameType::Attached,     FrameType::OutputLost};
    std::string bytes;
    while (input.size() >= 3) {
        const auto type = types[static_cast<unsigned char>(input[0]) % types.size()];
        const auto channel = static_cast<std::uint32_t>(static_cast<unsigned char>(input[1]) % 20);
        const std::size_t size = std::min<std::size_t>(static_cast<unsigned char>(input[2]), input.size() - 3);
        appendFrameHeader(bytes, type, channel, size);
        bytes += input.substr(3, size);
        input.remove_prefix(3 + size);
    }
    return bytes;
}

class Conversation
{
public:
    Conversation()
        : m_client({.write = [](const QByteArray &) {},
                    .bytesToWrite =
                        [] {
                            return qint64(0);
                        }},
                   {.ready = [this](const HelloReply &) { m_events += 'r'; },
                    .failed =
                        [this](const QString &reason) {
                            if (reason.isEmpty() || m_failed)
                                std::abort();
                            m_failed = true;
                        }})
    {
        m_client.start();
        startRuns();
        attachToRun();
        askFiles();
        askKeptRuns();
    }

    void feed(std::string_view bytes)
    {
        m_client.feed(QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size())));
        QCoreApplication::sendPostedEvents();
    }

    QByteArray end()
    {
        m_client.connectionLost();
        QCoreApplication::sendPostedEvents();
        m_client.connectionLost();
        if (m_pending != 0 || m_runsOpen != 0)
            std::abort();
        return m_events;
    }

private:
    template <typename T>
    Reply<T> once(char name)
    {
        ++m_pending;
        return [this, name, isAnswered = false](const auto &answer) mutable {
            if (std::exchange(isAnswered, true))
                std::abort();
            --m_pending;
            m_events += name;
            m_events += answer ? '+' : answer.error().connectionLost ? '!' : '-';
        };
    }

    void startRuns()
    {
        for (int i = 0; i < 3; ++i) {
            ++m_runsOpen;
            const auto id = std::make_shared<RunId>(0);
            const auto total = std::make_shared<std::array<quint64, 4>>();
            Spawn spawn;
            if (i == 1)
                spawn.stdinMode = StdinMode::Control;
            *id = m_client.spawn(
                spawn, {.spawned = [this](qint64) { m_events += 's'; },
                        .failed =
                            [this](int, SpawnStage) {
                                --m_runsOpen;
                                m_events += 'f';
                            },
                        .output =
                            [this, i, id, total](StreamId stream, quint64 offset, const QByteArray &data) {
                                quint64 &received = (*total)[static_cast<std::size_t>(stream)];
                                if (offset != received)
                                    std::abort();
                                received += static_cast<quint64>(data.size());
                                m_events += 'o' + data;
                                if (i == 0)
                                    m_client.credit(*id, stream, data.size());
                            },
                        .eof = [this](StreamId) { m_events += 'e'; },
                        .exited = [this](const ExitStatus &) { m_events += 'x'; },
                        .stdinCredit = [this](qint64) { m_events += 'c'; },
                        .lost =
                            [this] {
                                --m_runsOpen;
                                m_events += 'l';
                            }});
            m_client.writeStdin(*id, QByteArray(100, 'i'));
            m_client.killTree(*id, once<void>('k'));
        }
    }

    void attachToRun()
    {
        ++m_runsOpen;
        const auto total = std::make_shared<std::array<quint64, 4>>(std::array<quint64, 4>{0, 10, 20, 0});
        const RunId id = m_client.attach(
            {"run", 10, 20},
            {.attached = [this](const Attached &attached) { m_events += attached.input ? 'A' : 'a'; },
             .failed =
                 [this](int, SpawnStage) {
                     --m_runsOpen;
                     m_events += 'f';
                 },
             .output =
                 [this, total](StreamId stream, quint64 offset, const QByteArray &data) {
                     quint64 &received = (*total)[static_cast<std::size_t>(stream)];
                     if (offset != received)
                         std::abort();
                     received += static_cast<quint64>(data.size());
                     m_events += 'o' + data;
                 },
             .outputLost =
                 [this, total](StreamId stream, quint64 bytes) {
                     (*total)[static_cast<std::size_t>(stream)] += bytes;
                     m_events += 'g';
                 },
             .eof = [this](StreamId) { m_events += 'e'; },
             .exited = [this](const ExitStatus &) { m_events += 'x'; },
             .lost =
                 [this] {
                     --m_runsOpen;
                     m_events += 'l';
                 }});
        m_client.killTree(id, once<void>('k'));
    }

    void askKeptRuns()
    {
        m_client.startKept({}, once<KeptStarted>('K'));
        m_client.listKept(once<KeptList>('Y'));
        m_client.removeKept("run", once<void>('Z'));
    }

    void askFiles()
    {
        m_client.stat("a", true, once<FileInfo>('S'));
        m_client.list(
            "b", [this](const std::vector<FileInfo> &page) { m_events += QByteArray::number(page.size()); },
            once<void>('L'));
        m_client.openRead("c", once<FileOpened>('O'));
        m_client.read(1, 0, 10, once<QByteArray>('R'));
        m_client.openWrite({}, once<FileOpened>('W'));
        m_client.write(1, 0, "x", once<void>('w'));
        m_client.commit(1, {}, once<void>('C'));
        m_client.close(1, once<void>('q'));
        m_client.move("d", "e", true, once<void>('M'));
        m_client.watch("f", true, once<FileOpened>('P'));
        m_client.watchNext(1, [this, reply = once<std::vector<FileChange>>('p')](const auto &changes) {
            if (changes)
                m_events += QByteArray::number(changes->size());
            reply(changes);
        });
        m_client.netProbe({}, once<NetProbeResult>('N'));
        m_client.status(once<Status>('T'));
        m_client.extend(1000, once<Status>('X'));
    }

    int m_pending = 0;
    int m_runsOpen = 0;
    bool m_failed = false;
    QByteArray m_events;
    Client m_client; // last: it may still call
};

QByteArray converse(std::string_view bytes, std::size_t longest)
{
    Conversation conversation;
    while (!bytes.empty()) {
        const std::size_t size = std::min(longest, bytes.size());
        conversation.feed(bytes.substr(0, size));
        bytes.remove_prefix(size);
    }
    return conversation.end();
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static QCoreApplication application(*argc, *argv);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const std::string_view input(reinterpret_cast<const char *>(data + 1), size - 1);
    // The greeting is given, so that what follows is read.
    const std::string greeting = std::string(preamble) + encode(0, HelloReply{});
    std::string bytes = data[0] & 1 ? greeting + framed(input) : greeting + std::string(input);
    if (data[0] & 2)
        bytes.erase(0, greeting.size());
    if (converse(bytes, bytes.size() + 1) != converse(bytes, 1 + (data[0] >> 2)))
        std::abort();
    return 0;
}
