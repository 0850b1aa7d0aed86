// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "credentialsource.h"

namespace Sandboxio {

CredentialSource::~CredentialSource() = default;

} // namespace Sandboxio
