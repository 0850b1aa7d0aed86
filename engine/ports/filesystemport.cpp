// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filesystemport.h"

namespace Sandboxio {

FileReaderPort::~FileReaderPort() = default;
FileWriterPort::~FileWriterPort() = default;
FileSystemPort::~FileSystemPort() = default;

} // namespace Sandboxio
