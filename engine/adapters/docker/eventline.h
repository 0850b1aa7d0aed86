// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/ports/eventport.h>

#include <QByteArray>
#include <QUrlQuery>

#include <optional>

namespace Sandboxio::Docker {

/*! Asks `GET /events` for what changes a listing of managed containers. */
QUrlQuery eventQuery();
/*! What one line of `GET /events` means; absent for what does not change a listing (execs, attaches, …) and for
    lines that are no event. */
std::optional<BackendEvent> backendEvent(const QByteArray &line);

} // namespace Sandboxio::Docker
