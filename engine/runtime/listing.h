// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/managedsandbox.h>

#include <QList>

namespace Sandboxio {

/*! What to list. */
struct ListOptions
{
    QList<Target> targets;           //!< empty: the default target of every installed backend
    QMap<QString, QString> metadata; //!< only sandboxes that carry all of these
};

/*! The part of a listing that one target gave: rows, or why there are none. */
struct TargetListing
{
    Target target;
    QList<ManagedSandbox> rows;
    std::optional<ErrorInfo> error;
};

/*! A listing. One target that is down does not fail the others. */
struct ManagedListing
{
    QList<TargetListing> targets;
    QList<ManagedSandbox> rows() const
    {
        QList<ManagedSandbox> all;
        for (const TargetListing &listing : targets)
            all += listing.rows;
        return all;
    }
};

} // namespace Sandboxio
