// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/isolation.h>
#include <sandboxio/core/managedsandbox.h>
#include <sandboxio/core/networkpolicy.h>
#include <sandboxio/core/resources.h>
#include <sandboxio/ports/createplan.h>

#include <QJsonObject>

#include <chrono>
#include <optional>

namespace Sandboxio::Docker {

// The first four are shared with the Python sandboxio; the others are ours.
inline constexpr const char *managedLabel = "io.sandboxio.managed";
inline constexpr const char *sessionLabel = "io.sandboxio.session";
inline constexpr const char *timeoutLabel = "io.sandboxio.timeout"; //!< lifetime in seconds
inline constexpr const char *metadataPrefix = "io.sandboxio.meta.";
inline constexpr const char *planLabel = "io.sandboxio.plan";   //!< JSON
inline constexpr const char *ownerLabel = "io.sandboxio.owner"; //!< JSON
inline constexpr const char *versionLabel = "io.sandboxio.version";
inline constexpr const char *guestLabel = "io.sandboxio.guest"; //!< on the guest's volume

/*! What the labels of a container say. What is missing or odd stays at its default. */
struct LabelFacts
{
    bool managed = false;
    Owner owner = {}; //!< foreign when there is no owner label
    std::optional<std::chrono::milliseconds> lifetime = {};
    QMap<QString, QString> metadata = {};
    std::optional<NetworkPolicy::Egress> egress = {};
    Resources resources = {}; //!< caps as planned, with what was waived
    IsolationTier tier = IsolationTier::Unknown;
    QString tierSource = {};
    QString templateId = {};
    QString runtime = {};
    bool operator==(const LabelFacts &) const = default;
};

/*! The labels of a sandbox made by \a plan for \a owner. They hold no environment value and no secret. */
QJsonObject labelsOf(const CreatePlan &plan, const Owner &owner);
/*! The inverse, from the daemon's object of labels. */
LabelFacts readLabels(const QJsonObject &labels);
/*! The metadata alone, as labels: for volumes that belong to a sandbox. */
QJsonObject metadataLabels(const QMap<QString, QString> &metadata);

} // namespace Sandboxio::Docker
