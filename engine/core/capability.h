// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QFlags>
#include <QString>
#include <QStringList>

namespace Sandboxio {

/*! What one sandbox can do. A declared flag works and has a contract test; invoking what is not declared raises
    CapabilityNotSupported (SBX_E1101), never a silent no-op. Read it per sandbox: two sandboxes of one backend
    may differ, for instance when the guest cannot be used in one of them. */
enum class Capability : quint32 {
    RunCommand = 1u << 0,
    RunCode = 1u << 1,
    StatefulCode = 1u << 2,
    Streaming = 1u << 3,
    FileSystem = 1u << 4,
    UploadDownload = 1u << 5,
    Pty = 1u << 6,
    PauseResume = 1u << 7,
    SnapshotFork = 1u << 8,
    Gpu = 1u << 9,
    Lsp = 1u << 10,
    Git = 1u << 11,
    NetworkPolicy = 1u << 12,
    Tunnels = 1u << 13,
    Stats = 1u << 14,
    ExtendLifetime = 1u << 15,
    Watch = 1u << 16,
    Detach = 1u << 17,
};
Q_DECLARE_FLAGS(Capabilities, Capability)
Q_DECLARE_OPERATORS_FOR_FLAGS(Capabilities)

/*! The stable name of \a capability as used in JSON, for example "StatefulCode". */
SANDBOXIO_CORE_EXPORT QString capabilityName(Capability capability);
/*! The names of all flags set in \a capabilities, in declaration order. */
SANDBOXIO_CORE_EXPORT QStringList capabilityNames(Capabilities capabilities);

} // namespace Sandboxio
