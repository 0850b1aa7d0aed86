// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/isolation.h>
#include <sandboxio/core/resources.h>

#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace Sandboxio::Docker {

/*! What `GET /info` says, as far as we need it. Absent fields count as "cannot". */
struct DaemonFacts
{
    QString serverVersion = {};
    QString operatingSystem = {};
    QString architecture = {}; //!< as the daemon says: "x86_64", "aarch64"
    QString storageDriver = {};
    QString cgroupVersion = {}; //!< "1" or "2"
    QString defaultRuntime = {};
    QStringList runtimes = {};        //!< names, in alphabetical order
    Resources::Caps enforceable = {}; //!< caps that the daemon and its kernel enforce
    bool swapLimit = false;           //!< memory can be limited without leaving swap open
    bool rootless = false;
    int cpus = 0;
    QStringList warnings = {}; //!< the daemon's own
    bool operator==(const DaemonFacts &) const = default;

    /*! The architecture as images and the guest's folders name it: "amd64", "arm64"; else as the daemon says.
     */
    QString imageArchitecture() const;
};

DaemonFacts daemonFacts(const QJsonObject &info);

/*! How well containers of one runtime are isolated, and who says so. */
struct RuntimeTier
{
    IsolationTier tier = IsolationTier::Unknown;
    QString source = {}; //!< with its date above Container
};
/*! Judges the runtime called \a name: by its name, since the daemon tells nothing better on every version. */
RuntimeTier runtimeTier(const QString &name);

} // namespace Sandboxio::Docker
