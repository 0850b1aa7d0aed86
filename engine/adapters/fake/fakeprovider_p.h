// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fakescript.h"
#include "store_p.h"

#include <sandboxio/core/operation.h>

namespace Sandboxio::Fake {

/*! What all ports of one target share. Used in one I/O thread; the store and the script are shared with other
 * threads. */
struct Provider
{
    QObject *context = nullptr; //!< lives in the I/O thread
    std::shared_ptr<Clock> clock;
    std::shared_ptr<Script> script;
    std::shared_ptr<Store> store;
    Owner owner;
    std::chrono::milliseconds grace{0};
    Target target;
    std::chrono::milliseconds createDelay{0};
};

/*! The error of everything that is asked of a sandbox that has ended or is not there. */
ErrorInfo goneError(const std::optional<Record> &record);
/*! Absent while the sandbox \a id can be used. */
std::optional<ErrorInfo> notUsable(const Provider &provider, const QString &id);
/*! The capabilities of every sandbox of the fake. */
Capabilities fakeCapabilities();

} // namespace Sandboxio::Fake
