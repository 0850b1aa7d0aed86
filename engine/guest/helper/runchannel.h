// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/guest/protocol/messages.h>

#include <functional>

namespace Sandboxio::Guest {

/// What happens to a run, for the one whom it belongs to.
class RunListener
{
public:
    virtual ~RunListener() = default;
    /// While it is, no output is read.
    virtual bool isCongested() const = 0;
    virtual void spawned(std::uint32_t pid) = 0;
    /// Nothing more comes. The run must not be destroyed before the round of events is over.
    virtual void spawnFailed(const SpawnFailed &failure) = 0;
    virtual void output(const Output &output) = 0;
    virtual void streamEnded(StreamId stream) = 0;
    virtual void stdinCredit(std::uint32_t bytes) = 0;
    virtual void exited(const ExitStatus &status) = 0;
};

/// What a client does to the run of one of its channels.
class RunChannel
{
public:
    virtual ~RunChannel() = default;
    /// False when the client sent more than its window.
    virtual bool writeStdin(std::string_view data) = 0;
    virtual void closeStdin() = 0;
    virtual void grantCredit(StreamId stream, std::uint32_t bytes) = 0;
    virtual void resize(const WindowSize &size) = 0;
    virtual void signal(int number, bool group) = 0;
    /// Answers with TreeKilled.
    virtual void killTree() = 0;
    /// The client's connection has ended.
    virtual void abandon() = 0;
    /// Whether the connection is congested may have changed.
    virtual void updateReading() = 0;
    /// It never began and can be removed.
    virtual bool hasFailed() const = 0;
};

} // namespace Sandboxio::Guest
