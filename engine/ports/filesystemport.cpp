// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filesystemport.h"

#include "sandboxport.h"

namespace Sandboxio {

FileReaderPort::~FileReaderPort() = default;
FileWriterPort::~FileWriterPort() = default;
FileWatchPort::~FileWatchPort() = default;
FileSystemPort::~FileSystemPort() = default;

Operation<std::shared_ptr<FileWatchPort>> FileSystemPort::watch(const QString &, bool)
{
    return failedOperation<std::shared_ptr<FileWatchPort>>(capabilityNotSupported(Capability::Watch));
}

} // namespace Sandboxio
