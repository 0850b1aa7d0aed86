// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dockerapi.h"

#include <sandboxio/core/task.h>
#include <sandboxio/ports/enginecontext.h>

#include <QStringList>

#include <memory>
#include <optional>

namespace Sandboxio::Docker {

/*! A program that Docker shall start in a running container. */
struct ExecSpec
{
    QStringList command = {};     //!< published by the daemon's events: nothing secret
    QStringList environment = {}; //!< "NAME=value" each, over the container's own
    QString user = {};            //!< empty: the container's
    bool withInput = false;
};

/*! A program that was started by an exec of Docker. */
struct StartedExec
{
    QString id;
    std::shared_ptr<UpgradedStream> stream; //!< still paused
};

/*! What the daemon knows of an exec. */
struct ExecState
{
    bool running = false;
    std::optional<int> exitCode = {};
};

/*! The answer of a small program. */
struct ExecAnswer
{
    int exitCode = 0;
    QByteArray output = {};
    QByteArray errors = {};
};

/*! Creates the exec and ends with its id; nothing runs yet. */
QCoro::Task<QString> createExec(std::shared_ptr<Api> api, QString container, ExecSpec spec, Purpose purpose);
/*! Starts the exec \a id and takes over its streams. */
QCoro::Task<StartedExec> startExec(std::shared_ptr<Api> api, QString id, Purpose purpose);
QCoro::Task<ExecState> execState(std::shared_ptr<Api> api, QString id, Purpose purpose);
/*! The same of an exec whose streams have ended, which the daemon may take a while to notice: asks until it has ended, for
    at most \a limit. */
QCoro::Task<ExecState> execEnd(std::shared_ptr<Api> api, EngineContext *engine, QString id,
                               std::chrono::milliseconds limit, Purpose purpose);
/*! Runs a small program of ours with \a input to its end, for at most 30 s. ConnectError when it could not be
    started or its connection broke. */
QCoro::Task<ExecAnswer> askExec(std::shared_ptr<Api> api, EngineContext *engine, QString container,
                                ExecSpec spec, QByteArray input, Purpose purpose);

} // namespace Sandboxio::Docker
