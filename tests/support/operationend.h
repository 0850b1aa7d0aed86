// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>

#include <QTest>

/*! Whether \a operation ends within 20 s, while events are handled. */
template <typename T>
bool ends(const Sandboxio::Operation<T> &operation)
{
    return QTest::qWaitFor([&] { return operation.isEnded(); }, 20'000);
}
