// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/managedsandbox.h>
#include <sandboxio/core/operation.h>

namespace Sandboxio {

/*! Finds and removes what carries our labels, whoever created it. Optional for third parties, done by every
    adapter of this project. */
class SANDBOXIO_CORE_EXPORT ReapablePort
{
public:
    virtual ~ReapablePort();
    /*! All managed sandboxes whose metadata contains every pair of \a metadata exactly: all states, ended ones
       while the provider knows them. Large listings are also reported in pages to \a page, in the I/O thread,
       before the operation ends. */
    virtual Operation<QList<ManagedSandbox>>
    listManaged(const QMap<QString, QString> &metadata,
                std::function<void(const QList<ManagedSandbox> &)> page) = 0;
    /*! One managed sandbox; absent when there is none with that id. */
    virtual Operation<std::optional<ManagedSandbox>> inspectManaged(const QString &id) = 0;
    /*! Removes the sandbox after reading its labels again. False when it is already gone; ConnectError when it
       is not managed, or when the provider refuses. */
    virtual Operation<bool> killManaged(const QString &id) = 0;
};

} // namespace Sandboxio
