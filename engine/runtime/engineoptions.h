// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/clock.h>
#include <sandboxio/ports/credentialsource.h>
#include <sandboxio/runtime/recordsink.h>

#include <QString>
#include <QStringList>

#include <chrono>
#include <memory>
#include <optional>

namespace Sandboxio {

/*! Options of one Engine. */
struct EngineOptions
{
    /*! Where the ledger is kept. Unset: `sandboxio` in the user's state folder, shared by all programs of the
       user. Empty string: nothing is kept. */
    std::optional<QString> stateDirectory;
    /*! Folders with adapter plugins, searched after SANDBOXIO_PLUGIN_PATH and before the install prefix. */
    QStringList pluginPath;
    /*! Asked after the environment variables. Null: the environment alone. */
    std::shared_ptr<CredentialSource> credentials;
    /*! Null: the real clock. */
    std::shared_ptr<Clock> clock;
    /*! How long a teardown may take before it is reported as an orphan. Unset: SBX_TEARDOWN_GRACE in seconds,
     * else 5 s. */
    std::optional<std::chrono::milliseconds> teardownGrace;
    /*! The sandboxes made here are meant to outlive this program: their owner label names no process, so that
       its end makes them no orphans. Their lifetime still ends them. */
    bool detached = false;
    /*! Where the records of operations go; by default nowhere. */
    RecordOptions records;
};

} // namespace Sandboxio
