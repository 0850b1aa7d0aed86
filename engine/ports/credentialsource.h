// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>
#include <sandboxio/core/secret.h>

namespace Sandboxio {

/*! Where adapters get credentials from. The engine asks the environment first, then the source in
 * EngineOptions. */
class SANDBOXIO_CORE_EXPORT CredentialSource
{
public:
    virtual ~CredentialSource();
    /*! The credential called \a name (the provider's own variable name), absent when this source has none.
       Called in the I/O thread; must answer within its own time limit. */
    virtual Operation<std::optional<Secret>> credential(const QString &name) = 0;
};

} // namespace Sandboxio
