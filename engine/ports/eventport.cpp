// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "eventport.h"

namespace Sandboxio {

EventSubscription::~EventSubscription() = default;
EventPort::~EventPort() = default;

} // namespace Sandboxio
