// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filesystemport.h"

#include "sandboxport.h"

#include <sandboxio/core/errortable.h>
#include <sandboxio/core/path.h>

#include <QCoreApplication>

namespace Sandboxio {

FileReaderPort::~FileReaderPort() = default;
FileWriterPort::~FileWriterPort() = default;
FileWatchPort::~FileWatchPort() = default;
FileSystemPort::~FileSystemPort() = default;

Operation<std::shared_ptr<FileWatchPort>> FileSystemPort::watch(const QString &, bool)
{
    return failedOperation<std::shared_ptr<FileWatchPort>>(capabilityNotSupported(Capability::Watch));
}

Operation<void> FileSystemPort::makeLink(const QString &, const QString &path)
{
    return failedOperation<void>(makeError(
        ErrorKind::FileSystemError,
        QCoreApplication::translate("Sandboxio::FileSystem",
                                    "No link can be made at '%1': the files here have none.")
            .arg(displayPath(path)),
        QCoreApplication::translate("Sandboxio::FileSystem", "Copy what the link leads to instead.")));
}

} // namespace Sandboxio
