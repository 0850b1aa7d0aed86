// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "keptruns.h"

#include <algorithm>
#include <cerrno>

namespace Sandboxio::Guest {

KeptRuns::KeptRuns(Server &server)
    : m_server(server)
{}

void KeptRuns::start(const StartKept &request, KeptRun::Started reply)
{
    const bool taken =
        std::ranges::any_of(m_runs, [&](const auto &run) { return run->name() == request.name; });
    const int error = request.name.empty() || request.name.size() > maximumKeptName ? EINVAL
                      : taken                                                       ? EEXIST
                      : m_runs.size() >= maximumKeptRuns                            ? ENOSPC
                                                                                    : 0;
    if (error)
        return reply(KeptStarted{0, error, SpawnStage::Setup});
    const auto run = std::make_shared<KeptRun>(m_server, request);
    m_runs.push_back(run);
    shareSpools();
    run->start(request, std::move(reply));
}

std::shared_ptr<KeptRun> KeptRuns::find(std::string_view name) const
{
    const auto found =
        std::ranges::find_if(m_runs, [&](const auto &run) { return run->isStarted() && run->name() == name; });
    return found == m_runs.end() ? nullptr : *found;
}

KeptList KeptRuns::list() const
{
    KeptList list;
    for (const auto &run : m_runs) {
        if (run->isStarted())
            list.runs.push_back(run->info());
    }
    return list;
}

bool KeptRuns::remove(std::string_view name, std::function<void()> done)
{
    const std::shared_ptr<KeptRun> run = find(name);
    if (!run)
        return false;
    run->run().killTree([this, run, done = std::move(done)] {
        std::erase(m_runs, run);
        run->setSpoolLimit(0); // whoever still reads it does not keep it
        shareSpools();
        done();
    });
    return true;
}

void KeptRuns::settle()
{
    if (std::erase_if(m_runs, [](const auto &run) { return run->hasFailed(); }) > 0)
        shareSpools();
}

void KeptRuns::shareSpools()
{
    if (m_runs.empty())
        return;
    const std::size_t limit = std::min(largestSpool, allSpools / (2 * m_runs.size()));
    for (const auto &run : m_runs)
        run->setSpoolLimit(limit);
}

} // namespace Sandboxio::Guest
