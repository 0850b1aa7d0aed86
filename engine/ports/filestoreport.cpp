// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filestoreport.h"

namespace Sandboxio {

StoredFilesPort::~StoredFilesPort() = default;
FileStorePort::~FileStorePort() = default;

} // namespace Sandboxio
