// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace Sandboxio::Keeper {

struct Answer
{
    int status = 0; ///< 0: there was none
    std::string body;
};

/// The daemon at a local socket, spoken to by HTTP/1.0: an answer ends with its connection and comes in one piece.
class Daemon
{
public:
    explicit Daemon(std::string socketPath);

    /// Waits for the whole answer, 10 s without a byte at most.
    Answer ask(const char *method, const std::string &path) const;
    /// The connection of a GET, after the head of its answer said 200; -1: it did not. The caller closes it.
    int follow(const std::string &path) const;

private:
    int send(const char *method, const std::string &path) const;

    std::string m_socketPath;
};

/// The status of the head of an answer; 0: it is none.
int statusOf(const std::string &head);

} // namespace Sandboxio::Keeper
