// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "run.h"

namespace Sandboxio::Guest {

class Connection;

/// A run that belongs to one client and ends with it.
class ClientRun final : public RunChannel, private RunListener
{
public:
    ClientRun(Server &server, Connection &connection, std::uint32_t id);

    /// Everything that goes wrong is reported as SpawnFailed.
    void start(const Spawn &request) { m_run.start(request); }

    bool writeStdin(std::string_view data) override { return m_run.writeStdin(data); }
    void closeStdin() override { m_run.closeStdin(); }
    void grantCredit(StreamId stream, std::uint32_t bytes) override { m_run.grantCredit(stream, bytes); }
    void resize(const WindowSize &size) override { m_run.resize(size); }
    void signal(int number, bool group) override { m_run.signal(number, group); }
    void killTree() override;
    void abandon() override { m_run.abandon(); }
    void updateReading() override { m_run.updateReading(); }
    bool hasFailed() const override { return m_run.hasFailed(); }

private:
    bool isCongested() const override;
    void spawned(std::uint32_t pid) override;
    void spawnFailed(const SpawnFailed &failure) override;
    void output(const Output &output) override;
    void streamEnded(StreamId stream) override;
    void stdinCredit(std::uint32_t bytes) override;
    void exited(const ExitStatus &status) override;

    Server &m_server;
    Connection &m_connection;
    const std::uint32_t m_id;
    Run m_run;
};

} // namespace Sandboxio::Guest
