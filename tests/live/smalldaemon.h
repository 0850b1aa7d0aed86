// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/target.h>

#include <QProcess>
#include <QTemporaryDir>

namespace Sandboxio::Live {

/*! A Docker daemon of its own whose whole disk is a small file system in memory, seen by it alone. Its only image is
    empty. Containers have no network. Needs root; ends with its object. */
class SmallDaemon
{
public:
    explicit SmallDaemon(int mebibytes = 64);
    ~SmallDaemon();

    /*! Why it does not run; empty when it does. */
    QString problem() const { return m_problem; }
    Target target() const;
    /*! What the docker command line prints for \a arguments; fails the test when it fails. */
    QByteArray docker(QStringList arguments) const;
    /*! Takes \a image over from the daemon of the tests. */
    void loadImage(const QString &image);
    /*! Ends the daemon by \a signal and returns when its successor answers; the event loop runs meanwhile. */
    bool restart(int signal);
    /*! Command lines of what runs for this daemon besides itself: what holds containers, and keepers. */
    QStringList helpers() const;
    /*! What is mounted where the daemon is. */
    QStringList mounts() const;
    /*! Writes until nothing fits any more; freeDisk() takes it back. */
    void fillDisk();
    void freeDisk();

private:
    QString hostAddress() const;
    QString fillerPath() const;
    bool answers() const;
    void importImage();

    qint64 daemonPid() const;

    QTemporaryDir m_folder;
    QProcess m_process;
    QString m_problem;
};

} // namespace Sandboxio::Live
