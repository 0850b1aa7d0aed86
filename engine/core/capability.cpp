// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "capability.h"

#include <array>
#include <utility>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {
constexpr std::array<std::pair<Capability, QLatin1StringView>, 18> names{{
    {Capability::RunCommand, "RunCommand"_L1},
    {Capability::RunCode, "RunCode"_L1},
    {Capability::StatefulCode, "StatefulCode"_L1},
    {Capability::Streaming, "Streaming"_L1},
    {Capability::FileSystem, "FileSystem"_L1},
    {Capability::UploadDownload, "UploadDownload"_L1},
    {Capability::Pty, "Pty"_L1},
    {Capability::PauseResume, "PauseResume"_L1},
    {Capability::SnapshotFork, "SnapshotFork"_L1},
    {Capability::Gpu, "Gpu"_L1},
    {Capability::Lsp, "Lsp"_L1},
    {Capability::Git, "Git"_L1},
    {Capability::NetworkPolicy, "NetworkPolicy"_L1},
    {Capability::Tunnels, "Tunnels"_L1},
    {Capability::Stats, "Stats"_L1},
    {Capability::ExtendLifetime, "ExtendLifetime"_L1},
    {Capability::Watch, "Watch"_L1},
    {Capability::Detach, "Detach"_L1},
}};
} // namespace

QString capabilityName(Capability capability)
{
    for (const auto &[flag, name] : names) {
        if (flag == capability)
            return name;
    }
    return {};
}

QStringList capabilityNames(Capabilities capabilities)
{
    QStringList result;
    for (const auto &[flag, name] : names) {
        if (capabilities.testFlag(flag))
            result.append(name);
    }
    return result;
}

} // namespace Sandboxio
