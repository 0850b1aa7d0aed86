// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "run.h"
#include "spool.h"

#include <sandboxio/guest/protocol/keptmessages.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace Sandboxio::Guest {

class Attachment;
class Connection;

/// A run that belongs to the sandbox: it never waits for a reader, and the newest bytes of its output are kept.
class KeptRun final : private RunListener
{
public:
    using Started = std::function<void(const KeptStarted &)>;

    KeptRun(Server &server, const StartKept &request);
    /// \a reply comes once, maybe at once.
    void start(const StartKept &request, Started reply);

    Run &run() { return m_run; }
    const std::string &name() const { return m_info.name; }
    bool isStarted() const { return m_info.pid != 0; }
    bool hasFailed() const { return m_run.hasFailed(); }
    std::uint32_t pid() const { return m_info.pid; }
    bool isTerminal() const { return m_info.terminal; }
    KeptRunInfo info() const;
    void setSpoolLimit(std::size_t bytes);
    /// Stdout or Stderr.
    const Spool &spool(StreamId stream) const { return m_spools[index(stream)]; }
    bool hasEnded(StreamId stream) const { return m_ended[index(stream)]; }
    /// Absent while the main process runs.
    const std::optional<ExitStatus> &status() const { return m_status; }
    /// How much of \a stream was written when the main process had ended.
    std::uint64_t offsetAtExit(StreamId stream) const { return m_offsetsAtExit[index(stream)]; }

    void add(Attachment *attachment);
    void remove(Attachment *attachment);
    /// Whose input is taken: on a terminal the first one's.
    bool takesInputOf(const Attachment *attachment) const { return m_input == attachment; }

private:
    static std::size_t index(StreamId stream) { return stream == StreamId::Stderr ? 1 : 0; }
    bool isCongested() const override { return false; }
    void spawned(std::uint32_t pid) override;
    void spawnFailed(const SpawnFailed &failure) override;
    void output(const Output &output) override;
    void streamEnded(StreamId stream) override;
    void stdinCredit(std::uint32_t bytes) override;
    void exited(const ExitStatus &status) override;
    void pumpAll();

    KeptRunInfo m_info; ///< what does not change
    Started m_reply;
    std::array<Spool, 2> m_spools;
    std::array<bool, 2> m_ended{};
    std::array<std::uint64_t, 2> m_offsetsAtExit{};
    std::optional<ExitStatus> m_status;
    std::vector<Attachment *> m_attachments;
    Attachment *m_input = nullptr;
    Run m_run;
};

/// One client that reads a kept run, and controls it.
class Attachment final : public RunChannel
{
public:
    Attachment(Server &server, Connection &connection, std::uint32_t id, std::shared_ptr<KeptRun> run,
               const Attach &request);
    ~Attachment() override;

    /// Sends what there is, as far as the client's credit goes.
    void pump();
    void sendStdinCredit(std::uint32_t bytes);

    bool writeStdin(std::string_view data) override;
    void closeStdin() override;
    void grantCredit(StreamId stream, std::uint32_t bytes) override;
    void resize(const WindowSize &size) override { m_run->run().resize(size); }
    void signal(int number, bool group) override { m_run->run().signal(number, group); }
    void killTree() override;
    void abandon() override {}
    void updateReading() override { pump(); }
    bool hasFailed() const override { return false; }

private:
    struct Position
    {
        std::uint64_t offset = 0;
        std::uint64_t credit = outputWindow;
        bool ended = false; ///< the client was told
    };
    void pumpStream(StreamId stream);
    bool isBeforeExit(StreamId stream) const;
    Position &position(StreamId stream) { return m_positions[stream == StreamId::Stderr ? 1 : 0]; }
    const Position &position(StreamId stream) const { return m_positions[stream == StreamId::Stderr ? 1 : 0]; }

    Server &m_server;
    Connection &m_connection;
    const std::uint32_t m_id;
    const std::shared_ptr<KeptRun> m_run;
    std::array<Position, 2> m_positions;
    bool m_exitTold = false;
};

} // namespace Sandboxio::Guest
