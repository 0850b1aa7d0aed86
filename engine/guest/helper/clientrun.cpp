// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "clientrun.h"

#include "connection.h"
#include "server.h"

namespace Sandboxio::Guest {

ClientRun::ClientRun(Server &server, Connection &connection, std::uint32_t id)
    : m_server(server)
    , m_connection(connection)
    , m_id(id)
    , m_run(server, *this)
{}

void ClientRun::killTree()
{
    m_run.killTree(m_server.treeKilledReply(m_connection.number(), m_id));
}

bool ClientRun::isCongested() const
{
    return m_connection.isCongested();
}

void ClientRun::spawned(std::uint32_t pid)
{
    m_connection.send(m_id, Spawned{pid});
}

void ClientRun::spawnFailed(const SpawnFailed &failure)
{
    m_connection.send(m_id, failure);
    m_connection.removeFailedRunLater();
}

void ClientRun::output(const Output &output)
{
    m_connection.send(m_id, output);
}

void ClientRun::streamEnded(StreamId stream)
{
    m_connection.send(m_id, StreamEof{stream});
}

void ClientRun::stdinCredit(std::uint32_t bytes)
{
    m_connection.send(m_id, StdinCredit{bytes});
}

void ClientRun::exited(const ExitStatus &status)
{
    m_connection.send(m_id, status);
}

} // namespace Sandboxio::Guest
