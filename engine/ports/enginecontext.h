// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/clock.h>
#include <sandboxio/core/managedsandbox.h>
#include <sandboxio/core/redactor.h>
#include <sandboxio/ports/credentialsource.h>
#include <sandboxio/ports/warning.h>

#include <QString>

#include <functional>
#include <memory>

namespace Sandboxio {

/*! What an engine lends to the adapters it creates. Outlives every port. */
struct EngineContext
{
    QObject *ioObject = nullptr; //!< lives in the I/O thread; parent and context for everything there
    std::shared_ptr<Clock> clock;
    std::shared_ptr<Redactor> redactor;
    std::shared_ptr<CredentialSource> credentials; //!< never null
    Owner owner;                                   //!< this process, for the owner label
    std::chrono::milliseconds teardownGrace = std::chrono::seconds(5);
    QString stateDirectory; //!< for what the adapter must remember; empty: nothing is kept
    std::function<void(const EngineWarning &)> warn;
};

} // namespace Sandboxio
