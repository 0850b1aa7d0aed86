// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/export.h>

#include <QString>

#include <functional>
#include <memory>

namespace Sandboxio {

/*! A change at the provider. */
struct BackendEvent
{
    enum class Kind {
        Changed, //!< the sandbox \a id was created or changed its state: look at it again
        Removed, //!< the sandbox \a id is gone
        Resync,  //!< events may have been missed (also sent first, once subscribed): list everything again
        Lost,    //!< the connection broke for the reason in \a error; a Resync follows when it is back
    };
    Kind kind = Kind::Changed;
    QString id;
    ErrorInfo error;
};

/*! Destroying it ends the subscription. */
class SANDBOXIO_CORE_EXPORT EventSubscription
{
public:
    virtual ~EventSubscription();
};

/*! Change events of one backend. Subscribing never wakes or extends anything, and nothing is subscribed unless
    somebody watches. */
class SANDBOXIO_CORE_EXPORT EventPort
{
public:
    virtual ~EventPort();
    /*! Reports events to \a handler, in the I/O thread, never inline, until the result is destroyed. The
       adapter reconnects by itself, with growing pauses. */
    virtual std::unique_ptr<EventSubscription> subscribe(std::function<void(const BackendEvent &)> handler) = 0;
};

} // namespace Sandboxio
