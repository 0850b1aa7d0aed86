// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/ports/backendport.h>
#include <sandboxio/runtime/export.h>

#include <QJsonObject>

namespace Sandboxio {

/*! What is installed, from plugin metadata alone. */
struct BackendDescription
{
    QString name;  //!< scheme
    QString title; //!< for people
    QString version;
    bool isDefault = false; //!< used when no target is given
    bool isDemo = false;    //!< nothing real runs there: never used unless asked for
    QStringList credentialVariables;
    QStringList parameters; //!< DSN parameters besides the common ones
    QString origin;         //!< plugin file, or empty for a registered factory
    QString problem;        //!< why the plugin cannot be used; empty when it can
    bool operator==(const BackendDescription &) const = default;
};

/*! The diagnosis of one target. */
struct SANDBOXIO_RUNTIME_EXPORT TargetReport
{
    BackendDescription backend;
    Target target;
    Capabilities capabilities;
    QList<Diagnosis> lines;
    bool isUsable() const;
};

/*! The answer of Engine::doctor(). Holds names of variables, never values. */
struct SANDBOXIO_RUNTIME_EXPORT DoctorReport
{
    QList<TargetReport> targets;
    QList<Diagnosis> engine; //!< about the engine itself: plugin folders, state folder
    /*! Whether at least one target can be used. */
    bool isUsable() const;
    QJsonObject toJson() const;
};

} // namespace Sandboxio

Q_DECLARE_METATYPE(Sandboxio::DoctorReport)
