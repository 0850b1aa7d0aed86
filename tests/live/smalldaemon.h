// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/target.h>

#include <QProcess>
#include <QTemporaryDir>

namespace Sandboxio::Live {

/*! A Docker daemon of its own whose whole disk is a file system of 64 MiB in memory, seen by it alone. Its only
    image is empty. Containers have no network. Needs root; ends with its object. */
class SmallDaemon
{
public:
    SmallDaemon();
    ~SmallDaemon();

    /*! Why it does not run; empty when it does. */
    QString problem() const { return m_problem; }
    Target target() const;
    /*! What the docker command line prints for \a arguments; fails the test when it fails. */
    QByteArray docker(QStringList arguments) const;
    /*! Writes until nothing fits any more; freeDisk() takes it back. */
    void fillDisk();
    void freeDisk();

private:
    QString hostAddress() const;
    QString fillerPath() const;
    bool answers() const;
    void importImage();

    QTemporaryDir m_folder;
    QProcess m_process;
    QString m_problem;
};

} // namespace Sandboxio::Live
