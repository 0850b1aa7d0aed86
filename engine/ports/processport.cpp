// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "processport.h"

namespace Sandboxio {

ProcessEvents::~ProcessEvents() = default;
ProcessPort::~ProcessPort() = default;

} // namespace Sandboxio
