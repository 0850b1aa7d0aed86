// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/createoptions.h>
#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/target.h>

#include <QStringList>

namespace Sandboxio {

/*! What create() would do: the answer of BackendPort::plan(). Free of side effects. */
struct CreatePlan
{
    Target target;
    CreateOptions options;        //!< with the backend's defaults filled in
    QString name;                 //!< the object's name at the provider, unique, known before the call
    QString templateId;           //!< resolved
    bool templateMissing = false; //!< it must be fetched first
    QString runtime;              //!< the provider's runtime or plan
    IsolationTier tier = IsolationTier::Unknown;
    QString tierSource;        //!< what says so, with its date for tiers above Container
    QString lifetimeMechanism; //!< who ends the sandbox when this program is gone
    QList<ErrorInfo> refusals; //!< why create() will refuse; empty when it is accepted
    QStringList remarks;       //!< what a person should see, for example waived caps

    bool isAccepted() const { return refusals.isEmpty(); }
};

} // namespace Sandboxio
