// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "labels.h"

#include <sandboxio/core/managedsandbox.h>

#include <QDateTime>
#include <QJsonObject>

#include <optional>

namespace Sandboxio::Docker {

/*! The daemon's word for the state of a container ("running") as ours. */
SandboxState sandboxState(const QString &status);

/*! What `GET /containers/{id}/json` says, as far as we need it. */
struct ContainerFacts
{
    QString id = {};
    QString name = {}; //!< without the leading slash
    QString image = {};
    QString user = {};
    QString workingDirectory = {};
    SandboxState state = SandboxState::Unknown;
    QDateTime createdAt = {}; //!< UTC
    QDateTime startedAt = {}; //!< UTC; invalid when it never ran
    LabelFacts labels = {};
    QMap<QString, QString> env = {};
    QString runtime = {};
    QString networkMode = {};
    QStringList networks = {}; //!< names of what it is connected to
    QStringList securityOptions = {};
    QStringList droppedCapabilities = {};
    QStringList addedCapabilities = {};
    bool privileged = false;
    std::optional<qint64> memory = {};     //!< bytes; absent: no limit
    std::optional<qint64> memorySwap = {}; //!< bytes, memory and swap together; absent: no limit
    std::optional<qint64> nanoCpus = {};
    std::optional<qint64> pids = {};
    QString guestVolume = {}; //!< name of the volume at /.sandboxio; empty: none of ours
};

/*! Reads an answer of inspect; absent when it names no id. */
std::optional<ContainerFacts> containerFacts(const QJsonObject &inspected);
/*! \a facts as a row of a listing, seen at \a now. */
ManagedSandbox managedSandbox(const ContainerFacts &facts, const Target &target, const QDateTime &now);
/*! One entry of `GET /containers/json`; absent when it names no id or is not managed. */
std::optional<ManagedSandbox> managedSandboxOfEntry(const QJsonObject &entry, const Target &target,
                                                    const QDateTime &now);

} // namespace Sandboxio::Docker
