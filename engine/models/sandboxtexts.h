// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/createoptions.h>
#include <sandboxio/core/execresult.h>
#include <sandboxio/core/managedsandbox.h>
#include <sandboxio/models/export.h>

namespace Sandboxio {

/*! A span of time for people, in its two largest units: "45 s", "3 min 20 s", "2 h 5 min", "4 d 1 h". Negative
    spans read as "0 s". Translated. */
SANDBOXIO_MODELS_EXPORT QString durationText(std::chrono::seconds duration);
/*! The duration of a run: "840 ms", "1.24 s", then as durationText(). Translated, in the user's number format.
 */
SANDBOXIO_MODELS_EXPORT QString runDurationText(std::chrono::nanoseconds duration);
/*! How a run ended, for people: "exited 3", "killed by signal 9 (SIGKILL)", "timed out". Translated. */
SANDBOXIO_MODELS_EXPORT QString outcomeLabel(const RunOutcome &outcome);
/*! A state for people. Translated. */
SANDBOXIO_MODELS_EXPORT QString stateLabel(SandboxState state);
/*! A declared egress policy for people: "Deny", "Allow list"… Translated. */
SANDBOXIO_MODELS_EXPORT QString egressLabel(NetworkPolicy::Egress egress);
/*! A verdict for people. Translated. */
SANDBOXIO_MODELS_EXPORT QString verdictLabel(Ownership::Verdict verdict);
/*! The same with how sure it is. */
SANDBOXIO_MODELS_EXPORT QString ownershipLabel(const Ownership &ownership);
/*! Labels as "name=value" in alphabetical order, separated by commas. */
SANDBOXIO_MODELS_EXPORT QString labelsText(const QMap<QString, QString> &labels);
/*! Who created a sandbox, seen by the engine that calls itself \a observer. Translated. */
SANDBOXIO_MODELS_EXPORT QString ownerText(const Owner &owner, const Owner &observer);
/*! What to call a sandbox: its name, a UUID at its end cut to 8 characters; without a name its id
    cut to 12. */
SANDBOXIO_MODELS_EXPORT QString sandboxTitle(const ManagedSandbox &sandbox);

} // namespace Sandboxio
