// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "daemon.h"

#include <cstdint>

namespace Sandboxio::Keeper {

struct Options
{
    std::string socketPath; ///< of the daemon
    std::string container;  ///< its id
    std::uint64_t lifetimeMs = 0;
    /// Empty: the keeper of a pause, which goes when the container goes on. Else the keeper of a container whose first
    /// process could be stopped from inside: it stays until the container is over, or until another has taken this
    /// file over because the lifetime was extended.
    std::string post;
};

/// What the daemon says about the container.
enum class Sight { Running, Paused, Over, Unknown };
/// From the answer to `GET /containers/ID/json`.
Sight sightOf(const Answer &answer);
/// Whether the line of an event stream says that the container goes on. What a person wrote into a label or an image
/// is never taken for it.
bool saysResumed(const std::string &line);

/// Ends one container when its lifetime is over: as long as it is paused, or as long as it is.
class Keeper
{
public:
    explicit Keeper(Options options);
    ~Keeper();
    Keeper(const Keeper &) = delete;
    Keeper &operator=(const Keeper &) = delete;

    /// Starts the clock and begins to watch. Empty on success, else why it cannot.
    std::string prepare();
    /// Returns when the container is over, or no longer this keeper's business.
    void run();
    /// Removes the file at the post while it is ours: a keeper from before then ends the container at its own time.
    void leavePost() const;

private:
    bool takePost();
    bool isRelieved() const;
    bool subscribe();
    bool readEvents();
    bool isDone();
    bool waitForNews(int timeoutMs, bool &isTime);
    void endContainer();
    std::string containerPath(const char *action) const;

    Options m_options;
    Daemon m_daemon;
    std::string m_name;  ///< what the file at the post says while it is ours
    int m_postFile = -1; ///< locked: whoever looks knows by that that we are there
    int m_timer = -1;
    int m_events = -1;
    std::string m_line;
    bool m_seenPaused = false;
    std::int64_t m_patienceEnd = 0;
};

} // namespace Sandboxio::Keeper
