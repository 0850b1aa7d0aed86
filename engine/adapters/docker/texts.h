// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QCoreApplication>

namespace Sandboxio::Docker {

/*! Gives this adapter's texts their translation context. */
struct Text
{
    Q_DECLARE_TR_FUNCTIONS(Sandboxio::Docker)
};

} // namespace Sandboxio::Docker
