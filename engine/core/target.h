// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QMap>
#include <QMetaType>
#include <QString>

namespace Sandboxio {

/*! One place of a backend: backend and endpoint or account. Two hosts of one backend are two targets. The
    template of a DSN is carried along for create() but is not part of the identity.

    \code
    auto creation = engine.create(Target::fromDsn(u"fake://base?timeout=600"_s));
    \endcode */
struct SANDBOXIO_CORE_EXPORT Target
{
    QString backend;                   //!< scheme, lower case
    QString templateId;                //!< may be empty: the backend's default
    QMap<QString, QString> parameters; //!< scalars, as in the DSN

    bool operator==(const Target &) const = default;

    /*! Parses \a dsn. \throws ConfigurationError (SBX_E1000) when it is not a DSN or carries something that
       looks like a credential. Whether the backend exists is not checked here. */
    static Target fromDsn(const QString &dsn);
    /*! The DSN again, parameters in alphabetical order. */
    QString toDsn() const;
    /*! What identifies the place: backend and the parameters that say where, without template and options. */
    QString identity() const;
};

/*! Names of the parameters that belong to one create() and not to the place. */
SANDBOXIO_CORE_EXPORT bool isCreateParameter(const QString &name);

} // namespace Sandboxio

Q_DECLARE_METATYPE(Sandboxio::Target)
