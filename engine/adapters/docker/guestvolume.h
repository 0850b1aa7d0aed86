// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dockerapi.h"
#include "guestbinary.h"

#include <sandboxio/ports/enginecontext.h>

#include <QJsonObject>
#include <QSet>

#include <memory>

namespace Sandboxio::Docker {

/*! Where the guest's volume is mounted in every container of ours. */
inline constexpr const char *guestDirectory = "/.sandboxio";
inline constexpr const char *guestVolumePrefix = "sandboxio-guest-";

/*! Brings the guest into a volume of the daemon, once for each version of it. Lives in the I/O thread.

    Any number of engines and programs may do so at the same time: whoever holds the helper container of the
    fixed name fills, the others wait for it to go. Volume and helper carry labels; a helper is never started and
    always removed. */
class GuestVolume : public std::enable_shared_from_this<GuestVolume>
{
public:
    GuestVolume(std::shared_ptr<Api> api, EngineContext *engine);

    /*! Makes the (perhaps empty) volume of \a guest exist. Ends with its name. */
    Operation<QString> ensureExists(const GuestBinary &guest);
    /*! Makes sure that the volume, which the container \a container mounts, holds \a guest. The body \a helper
       creates the helper container. */
    Operation<void> ensureFilled(const GuestBinary &guest, const QString &container, const QJsonObject &helper);

private:
    using Self = std::shared_ptr<GuestVolume>;
    static QCoro::Task<QString> existSteps(Self self, GuestBinary guest);
    static QCoro::Task<> fillSteps(Self self, GuestBinary guest, QString container, QJsonObject helper);
    static QCoro::Task<bool> holds(Self self, GuestBinary guest, QString container);
    static QCoro::Task<QString> takeHelper(Self self, GuestBinary guest, QJsonObject helper);
    static QCoro::Task<> putGuest(Self self, GuestBinary guest, QString container);
    static QCoro::Task<> removeHelper(Self self, QString container);

    std::shared_ptr<Api> m_api;
    EngineContext *m_engine;
    QSet<QString> m_filled; //!< names of volumes whose content was looked at
};

} // namespace Sandboxio::Docker
