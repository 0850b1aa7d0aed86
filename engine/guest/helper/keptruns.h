// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "keptrun.h"

namespace Sandboxio::Guest {

/// The kept runs of the sandbox, by their names. What they keep of their output shares one bound.
class KeptRuns
{
public:
    explicit KeptRuns(Server &server);

    void start(const StartKept &request, KeptRun::Started reply);
    /// One that runs or ran; null: there is none.
    std::shared_ptr<KeptRun> find(std::string_view name) const;
    std::size_t size() const { return m_runs.size(); }
    KeptList list() const;
    /// Kills what is left of it, forgets it, and calls back. False: there is none.
    bool remove(std::string_view name, std::function<void()> done);
    /// Between two rounds of events: forgets those that did not start.
    void settle();

private:
    void shareSpools();

    Server &m_server;
    std::vector<std::shared_ptr<KeptRun>> m_runs; ///< oldest first
};

} // namespace Sandboxio::Guest
