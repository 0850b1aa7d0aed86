// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/backgroundrun.h>
#include <sandboxio/core/redactor.h>
#include <sandboxio/ports/warning.h>
#include <sandboxio/runtime/doctorreport.h>
#include <sandboxio/runtime/listing.h>
#include <sandboxio/runtime/operationrecord.h>
#include <sandboxio/runtime/policyreport.h>

namespace Sandboxio::Detail {

// What the engine composes, with every secret taken out. Applied where a value leaves the engine and nowhere
// else: EngineCore::track() for the ends of operations, RunDriver for the ends of runs, EngineContext::warn,
// WatchMailbox, Recorder. What a program read, printed or keeps in files passes unchanged.
ErrorInfo redacted(const Redactor &redactor, ErrorInfo error);
EngineWarning redacted(const Redactor &redactor, EngineWarning warning);
OperationProgress redacted(const Redactor &redactor, OperationProgress progress);
/*! Its error and what is derived from it were redacted when they were handed over. */
OperationRecord redacted(const Redactor &redactor, OperationRecord record);
DoctorReport redacted(const Redactor &redactor, DoctorReport report);
ManagedListing redacted(const Redactor &redactor, ManagedListing listing);
CreatePlan redacted(const Redactor &redactor, CreatePlan plan);
QList<BackgroundRun> redacted(const Redactor &redactor, QList<BackgroundRun> runs);
PolicyReport redacted(const Redactor &redactor, PolicyReport report);

template <typename T>
T redacted(const Redactor &, T value)
{
    return value;
}

} // namespace Sandboxio::Detail
