// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "eventloop.h"
#include "handover.h"
#include "runchannel.h"
#include "supervisor.h"

#include <sandboxio/guest/protocol/messages.h>

#include <array>
#include <memory>
#include <optional>

namespace Sandboxio::Guest {

class Server;

/// One process tree: its supervisor, its pipes and what the listener was told of them.
class Run
{
public:
    Run(Server &server, RunListener &listener);
    ~Run();

    /// Everything that goes wrong is reported as SpawnFailed.
    void start(const Spawn &request);
    /// Instead of start(): it fails with \a errorNumber.
    void refuse(int errorNumber) { fail(errorNumber, SpawnStage::Setup); }
    /// False when the client sent more than its window.
    bool writeStdin(std::string_view data);
    void closeStdin();
    /// Drops what the process has not taken yet.
    void dropStdin();
    void grantCredit(StreamId stream, std::uint32_t bytes);
    void resize(const WindowSize &size);
    void signal(int number, bool group);
    /// \a done: none of its processes is left.
    void killTree(std::function<void()> done);
    /// The connection went away: kills the tree, tells nobody.
    void abandon();
    /// Reads or stops reading the process's output, by credit and by what the listener can take.
    void updateReading();
    bool hasFailed() const { return m_failed; }

private:
    struct OutputStream
    {
        UniqueFd fd;
        Watch watch;
        std::uint64_t offset = 0;
        std::uint64_t credit = outputWindow;
    };
    struct ChildEnds
    {
        std::array<UniqueFd, 4> fds;
    };
    /// What had been written when control bytes were found: those go to the client after it.
    struct Barrier
    {
        std::size_t controlBytes = 0;
        std::array<std::uint64_t, 2> offsets{};
    };

    void waitForStreams(const Spawn &request);
    void launch(const Spawn &request);
    bool openTerminal(const Spawn &request, ChildEnds &ends);
    bool openPipes(const Spawn &request, ChildEnds &ends);
    bool openControl(ChildEnds &ends);
    void startOutput(StreamId stream, UniqueFd fd);
    void fail(int errorNumber, SpawnStage stage);
    void readOutput(StreamId stream);
    void drainOutput(StreamId stream);
    void readControl();
    bool isBelowBarrier(StreamId stream) const;
    bool reachBarrier();
    Barrier findBarrier() const;
    /// At most \a limit bytes; false when there were none.
    bool forwardOutput(StreamId stream, std::size_t limit);
    void flushStdin();
    void endStdin();
    void readReports();
    void supervisorEnded();
    void processStarted();
    void processEnded(ExitStatus status);
    OutputStream &output(StreamId stream) { return m_outputs[std::size_t(stream) - 1]; }
    const OutputStream &output(StreamId stream) const { return m_outputs[std::size_t(stream) - 1]; }

    Server &m_server;
    RunListener &m_listener;

    std::array<OutputStream, 3> m_outputs;
    std::optional<Barrier> m_barrier;
    UniqueFd m_stdin;
    Watch m_stdinWatch;
    std::string m_stdinBuffer;
    bool m_stdinCloseRequested = false;
    bool m_terminal = false;
    bool m_control = false;

    std::string m_waitingToken;
    HandedStreams m_streams; ///< of the `stream` process that waits for the exit code

    UniqueFd m_report;
    Watch m_reportWatch;
    pid_t m_supervisor = -1;
    bool m_supervisorAlive = false;
    pid_t m_process = -1;
    bool m_started = false;
    bool m_exited = false;
    bool m_failed = false;
    std::uint64_t m_oomKillsBefore = 0;
};

ExitStatus exitStatusFrom(int waitStatus);

} // namespace Sandboxio::Guest
