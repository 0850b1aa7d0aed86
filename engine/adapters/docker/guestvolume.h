// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dockerapi.h"
#include "guestbinary.h"

#include <sandboxio/ports/enginecontext.h>

#include <QHash>
#include <QJsonObject>
#include <QStringList>

#include <memory>

namespace Sandboxio::Docker {

/*! Where the guest's volume is mounted in every container of ours. */
inline constexpr const char *guestDirectory = "/.sandboxio";
inline constexpr const char *guestVolumePrefix = "sandboxio-guest-";

/*! Brings the guest into a volume of the daemon, once for each version of it. Lives in the I/O thread.

    Any number of engines and programs may do so at the same time: whoever holds the helper container of the
    fixed name fills, the others wait for it to go. Volume and helper carry labels; a helper is never started and
    always removed. Whoever makes a new volume takes away those of other versions that no container has: an engine
    that still uses one makes it again, also when that happens between its steps. */
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
    /*! Removes every volume of ours but \a keep that unusedGuestVolumes() names. One that is in use after all stays:
        the daemon refuses. */
    static QCoro::Task<> removeUnusedSteps(Self self, QString keep);
    static QCoro::Task<QJsonObject> inspectVolume(Self self, QString name);
    static QCoro::Task<bool> holds(Self self, GuestBinary guest, QString container);
    static QCoro::Task<QString> takeHelper(Self self, GuestBinary guest, QJsonObject helper);
    static QCoro::Task<> putGuest(Self self, GuestBinary guest, QString container);
    static QCoro::Task<> removeHelper(Self self, QString container);

    std::shared_ptr<Api> m_api;
    EngineContext *m_engine;
    QHash<QString, QString> m_filled; //!< volumes whose content was looked at, and when those were created
};

/*! Which volumes of the daemon's \a listing may go: named and labelled as ours, in no container, not \a keep, and
    older than a minute, so that nobody is just about to use them. */
QStringList unusedGuestVolumes(const QJsonObject &listing, const QString &keep, const QDateTime &now);

} // namespace Sandboxio::Docker
