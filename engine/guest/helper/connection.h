// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "eventloop.h"
#include "fileservice.h"
#include "handover.h"
#include "outqueue.h"
#include "runchannel.h"

#include <sandboxio/guest/protocol/keptmessages.h>

#include <map>
#include <memory>

namespace Sandboxio::Guest {

class Server;

/// One client: frames in, frames out, its runs and files. Takes nothing in while the client leaves
/// more than 4 MiB of answers unread.
class Connection
{
public:
    struct Streams
    {
        UniqueFd input;
        UniqueFd output;
        HandedStreams relay;
    };

    Connection(Server &server, std::uint64_t number, Streams streams, bool creator);
    ~Connection();

    /// False with errno when its descriptors cannot be watched.
    bool start();
    std::uint64_t number() const { return m_number; }
    bool isDead() const { return m_dead; }
    bool isCongested() const;
    std::size_t queuedBytes() const { return m_queue.size(); }
    std::size_t runCount() const { return m_runs.size(); }

    template <typename Message>
    void send(std::uint32_t channel, const Message &message)
    {
        sendFrame(encode(channel, message));
    }
    void sendFrame(std::string_view frame);
    /// A FileData frame with \a size bytes of \a file.
    void sendFileData(std::uint32_t request, const std::shared_ptr<SentFile> &file, off_t offset,
                      std::size_t size);
    void sendResult(std::uint32_t request, int errorNumber);
    void removeFailedRunLater() { m_hasFailedRuns = true; }
    /// Between two rounds of events: removes failed runs, writes, takes up what had to wait.
    void settle();

private:
    void readInput();
    void processFrames();
    void handle(const Frame &frame);
    bool handleRun(const Frame &frame);
    bool handleControl(const Frame &frame);
    void greet(const Hello &hello);
    void spawn(std::uint32_t id, const Spawn &request);
    bool handleKept(const Frame &frame);
    void startKept(std::uint32_t request, const StartKept &start);
    void removeKept(std::uint32_t request, const std::string &name);
    void attach(std::uint32_t id, const Attach &request);
    void startProbe(std::uint32_t request, const NetProbe &probe);
    void fail(std::string_view reason);
    void updateWatches(bool blocked);
    RunChannel *findRun(std::uint32_t id);

    Server &m_server;
    const std::uint64_t m_number;
    Streams m_streams;
    const bool m_creator;
    Watch m_inputWatch;
    Watch m_outputWatch;
    Watch m_relayWatch;
    FrameDecoder m_decoder;
    OutQueue m_queue;
    FileService m_files;
    std::map<std::uint32_t, std::unique_ptr<RunChannel>> m_runs;
    bool m_greeted = false;
    bool m_hasFailedRuns = false;
    bool m_framesWaiting = false; ///< input was left in the decoder because of congestion
    bool m_readingPaused = false; ///< runs stopped reading because of congestion
    bool m_closing = false;       ///< dead as soon as the queue is written or blocked
    bool m_dead = false;
};

} // namespace Sandboxio::Guest
