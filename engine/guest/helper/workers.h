// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "eventloop.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <sys/types.h>

namespace Sandboxio::Guest {

class Server;

/// Work that may block (removing a tree, waiting for a network answer) in a forked process each.
class Workers
{
public:
    explicit Workers(Server &server)
        : m_server(server)
    {}

    /// Forks; \a work returns the whole frame for the client. Returns 0 or an errno.
    int start(std::uint64_t connection, std::uint32_t request, const std::function<std::string()> &work);
    /// The connection went away.
    void cancel(std::uint64_t connection);

private:
    struct Worker
    {
        std::uint64_t connection = 0;
        std::uint32_t request = 0;
        pid_t pid = -1;
        UniqueFd result;
        Watch watch;
        std::string frame;
    };

    void read(Worker &worker);

    Server &m_server;
    std::map<pid_t, std::unique_ptr<Worker>> m_workers;
};

} // namespace Sandboxio::Guest
