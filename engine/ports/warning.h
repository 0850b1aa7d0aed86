// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <sandboxio/core/target.h>

#include <QMetaType>
#include <QString>

namespace Sandboxio {

/*! Something a person should know that is no error of an operation. */
struct EngineWarning
{
    enum class Kind {
        OrphanedSandbox, //!< something may be left at the provider: a teardown outlasted the grace, or failed unseen
        UnknownIsolation, //!< the tier of the backend is not known; once per backend and engine
        Reconnected,      //!< a broken connection was made again
        Provider,         //!< the provider's own warning
        AuditSink,        //!< a record sink failed, was too slow, or its queue was full; again when it works
    };
    Kind kind = Kind::Provider;
    QString message;
    Target target;
    QString sandboxId;               //!< id, or the planned name while there is none
    QMap<QString, QString> metadata; //!< the labels of the sandbox
    bool operator==(const EngineWarning &) const = default;
};

/*! The stable name used in JSON and logs, for example "OrphanedSandbox". */
SANDBOXIO_CORE_EXPORT QString warningKindName(EngineWarning::Kind kind);

} // namespace Sandboxio

Q_DECLARE_METATYPE(Sandboxio::EngineWarning)
