// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/sandboxstats.h>

#include <QJsonObject>

namespace Sandboxio::Docker {

/*! The answer of `GET /containers/ID/stats?stream=false&one-shot=true`; absent when it is of no time, which is what the
    daemon says of a container that does not run. What is missing, of another type, negative or too large stays
    absent. */
std::optional<SandboxStats> statsSample(const QJsonObject &answer);

} // namespace Sandboxio::Docker
