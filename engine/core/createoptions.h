// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/isolation.h>
#include <sandboxio/core/networkpolicy.h>
#include <sandboxio/core/resources.h>
#include <sandboxio/core/secret.h>

#include <QMap>
#include <QString>

#include <chrono>
#include <optional>

namespace Sandboxio {

/*! Options of creating a sandbox. */
struct CreateOptions
{
    /*! The lifetime: positive, enforced by the provider or inside the sandbox even if this program dies. */
    std::chrono::milliseconds timeout = std::chrono::seconds(300);
    QString templateId; //!< image or template; must agree with the DSN's when both are given
    Resources resources;
    NetworkPolicy network;
    QMap<QString, QString> env;      //!< environment of every run
    QMap<QString, Secret> secrets;   //!< environment of every run, kept out of everything that can be looked at
    QMap<QString, QString> metadata; //!< becomes labels, for example tenant_id
    std::optional<IsolationTier> requireIsolation; //!< checked before anything is created
    /*! Accepts a provider that cannot end the sandbox for certain, because code inside may stop what does. Otherwise
       such a creation is refused. */
    bool acceptClientSideLifetime = false;
    std::chrono::milliseconds createLimit =
        std::chrono::seconds(60); //!< per step; pulls have an idle limit instead
    bool operator==(const CreateOptions &) const = default;
};

} // namespace Sandboxio
