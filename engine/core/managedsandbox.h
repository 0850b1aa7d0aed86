// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <sandboxio/core/isolation.h>
#include <sandboxio/core/networkpolicy.h>
#include <sandboxio/core/target.h>

#include <QDateTime>
#include <QMap>
#include <QMetaType>
#include <QString>
#include <QStringList>

#include <optional>

namespace Sandboxio {

/*! State of a sandbox as its provider sees it. */
enum class SandboxState { Creating, Running, Paused, Stopped, Failed, Unknown };

/*! Who created a sandbox, from its owner label. Empty members are not known. */
struct Owner
{
    QString hostId;
    QString bootId;
    QString pidNamespace;
    std::optional<qint64> pid;
    std::optional<qint64> startTime; //!< of the process, clock ticks since boot
    QString user;
    QString session;         //!< id of the engine
    bool foreign = false;    //!< made by another program that shares our labels
    bool fromLedger = false; //!< the provider does not say; the ledger of this host does
    bool operator==(const Owner &) const = default;
};

/*! One row of a listing. */
struct ManagedSandbox
{
    Target target;
    QString id;
    QString name;
    SandboxState state = SandboxState::Unknown;
    QDateTime createdAt;             //!< UTC
    QDateTime expiresAt;             //!< UTC; invalid when unknown
    bool expiryIsAsked = true;       //!< expiresAt is what was asked for, not what the provider confirms
    QMap<QString, QString> metadata; //!< the caller's labels, without our prefix
    IsolationTier tier = IsolationTier::Unknown;
    QString templateId;
    std::optional<NetworkPolicy::Egress> egress; //!< as declared at creation
    Owner owner;
    QDateTime lastSeen;    //!< when the provider said so
    bool inLedger = false; //!< the ledger of this host says that it was created from here
    bool operator==(const ManagedSandbox &) const = default;
};

/*! Why somebody may remove a sandbox, or must not. */
struct SANDBOXIO_CORE_EXPORT Ownership
{
    enum class Verdict { InUse, Ended, Orphan, Unknown };
    enum class Confidence {
        None,    //!< nothing is proved
        Likely,  //!< the evidence has another, less likely explanation, which it names
        Certain, //!< proved
    };
    Verdict verdict = Verdict::Unknown;
    QStringList evidence = {}; //!< sentences for people
    Confidence confidence = Confidence::None;
    bool operator==(const Ownership &) const = default;
};

/*! Whether nothing can run in a sandbox with \a state any more. */
SANDBOXIO_CORE_EXPORT bool hasEnded(SandboxState state);
/*! The stable name used in JSON: "running", "paused"… */
SANDBOXIO_CORE_EXPORT QString sandboxStateName(SandboxState state);
/*! The stable name used in JSON: "in use", "ended", "orphan", "unknown". */
SANDBOXIO_CORE_EXPORT QString verdictName(Ownership::Verdict verdict);
/*! The stable name used in JSON: "none", "likely", "certain". */
SANDBOXIO_CORE_EXPORT QString confidenceName(Ownership::Confidence confidence);

} // namespace Sandboxio

Q_DECLARE_METATYPE(Sandboxio::ManagedSandbox)
