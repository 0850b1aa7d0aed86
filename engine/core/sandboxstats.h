// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QDateTime>

#include <chrono>
#include <optional>

namespace Sandboxio {

/*! One sample of what a sandbox uses. What is absent the provider does not say; it is never an invented 0. Sizes
    are bytes, and the counters run since the sandbox started. A plain value, any thread. */
struct SandboxStats
{
    QDateTime time = {};                                  //!< of the sample, UTC
    std::optional<std::chrono::nanoseconds> cpuTime = {}; //!< of all its processes on all processors
    std::optional<qint64> memoryUsed = {};                //!< without file cache that can be given back at once
    std::optional<qint64> memoryLimit = {};               //!< the cap, else what the host has
    std::optional<qint64> processes = {};                 //!< with their threads
    std::optional<qint64> processLimit = {};              //!< the cap; absent without one
    std::optional<qint64> networkReceived = {};
    std::optional<qint64> networkSent = {};
    std::optional<qint64> blockRead = {};
    std::optional<qint64> blockWritten = {};
    bool operator==(const SandboxStats &) const = default;
};

/*! How many processors were busy between two samples of one sandbox, 1.0 is one of them all the time. Absent when
    a sample lacks the facts, \a later is not later, or the sandbox was started anew in between. */
SANDBOXIO_CORE_EXPORT std::optional<double> processorsBusy(const SandboxStats &earlier,
                                                           const SandboxStats &later);

} // namespace Sandboxio
