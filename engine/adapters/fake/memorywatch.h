// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/fileinfo.h>

#include <QByteArray>
#include <QList>

#include <functional>

namespace Sandboxio::Fake {

/*! Collects what happens to the files of one sandbox at a path. Guarded by whoever guards those files. */
class MemoryWatch
{
public:
    /*! \a shown: the path as asked for; \a resolved: the same, absolute. \a wake is called when there is something to
        take(), with the guard held. */
    MemoryWatch(QByteArray shown, QByteArray resolved, bool recursive, std::function<void()> wake);

    void note(FileChange::Kind kind, const QByteArray &path);
    void noteMove(const QByteArray &from, const QByteArray &to);
    QList<FileChange> take();
    /*! The watched path is not there any more. */
    bool isOver() const { return m_over; }

private:
    bool sees(const QByteArray &path) const;
    QString shown(const QByteArray &path) const;
    void add(const FileChange &change);

    QByteArray m_shown;
    QByteArray m_resolved;
    bool m_recursive;
    std::function<void()> m_wake;
    QList<FileChange> m_changes;
    bool m_over = false;
};

} // namespace Sandboxio::Fake
