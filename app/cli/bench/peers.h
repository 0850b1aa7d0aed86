// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/operation.h>

#include <QObject>
#include <QProcess>

#include <deque>

namespace Sandboxio::Cli {

/*! Runs the command line tool \a program of a peer, whose output nobody reads; ends when it has ended, as an error unless
    it exits with 0. A cancel kills it. */
Operation<void> runPeer(const QString &program, const QStringList &arguments);

/*! docker-py, in one Python process that stays: it runs `true` in a container as often as asked. */
class DockerPy : public QObject
{
    Q_OBJECT
public:
    explicit DockerPy(QObject *parent = nullptr);
    ~DockerPy() override;

    /*! Starts it for \a container at \a host (empty: where its environment says). Ends with why it cannot be used;
        empty: it can. A cancel kills the process. */
    Operation<QString> start(const QString &host, const QString &container);
    /*! Runs `true` in the container; fails at once when the process has ended. A cancel kills the process. */
    Operation<void> runTrue();

private:
    void readLines();
    void end();

    QProcess *m_process;
    OperationPromise<QString> m_started;
    std::deque<OperationPromise<void>> m_waiting;
};

} // namespace Sandboxio::Cli
