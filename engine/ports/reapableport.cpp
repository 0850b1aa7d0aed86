// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "reapableport.h"

namespace Sandboxio {

ReapablePort::~ReapablePort() = default;

} // namespace Sandboxio
