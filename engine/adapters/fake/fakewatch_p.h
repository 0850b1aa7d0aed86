// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fakeprovider_p.h"
#include "memorywatch.h"

#include <sandboxio/ports/filesystemport.h>

#include <QObject>

namespace Sandboxio::Fake {

/*! A watch on files of the sandbox \a id. */
class FileWatch final : public QObject, public FileWatchPort
{
    Q_OBJECT
public:
    FileWatch(std::shared_ptr<Provider> provider, const QString &id, const QString &path, bool recursive);
    ~FileWatch() override;

    /*! For MemoryFiles. */
    std::shared_ptr<MemoryWatch> watch() const { return m_watch; }
    Operation<QList<FileChange>> next() override;

private:
    void serve();

    std::shared_ptr<Provider> m_provider;
    QString m_id;
    QString m_path;
    std::shared_ptr<MemoryWatch> m_watch;
    std::optional<OperationPromise<QList<FileChange>>> m_waiting;
};

} // namespace Sandboxio::Fake
