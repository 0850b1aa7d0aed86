// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "guestfilestreams.h"

namespace Sandboxio::Docker {

/*! A watch that the guest keeps. The guest holds what was not asked for yet, so that nothing piles up here. */
class GuestFileWatch final : public FileWatchPort, public std::enable_shared_from_this<GuestFileWatch>
{
public:
    explicit GuestFileWatch(GuestFile file);
    ~GuestFileWatch() override;

    /*! The first one ends with nothing, when the watch is in force. */
    Operation<QList<FileChange>> next() override;

private:
    GuestFile m_file;
    std::optional<OperationPromise<QList<FileChange>>> m_waiting;
};

/*! Watches \a path; ends when the watch is in force. */
Operation<std::shared_ptr<FileWatchPort>> watchByGuest(const std::shared_ptr<DockerSandbox> &sandbox,
                                                       const QString &path, bool recursive);

} // namespace Sandboxio::Docker
