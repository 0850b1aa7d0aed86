// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QCoreApplication>

namespace Sandboxio::Fake {

/*! Gives this adapter's texts their translation context. */
struct Text
{
    Q_DECLARE_TR_FUNCTIONS(Sandboxio::Fake)
};

} // namespace Sandboxio::Fake
