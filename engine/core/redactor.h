// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <sandboxio/core/secret.h>

#include <QByteArrayView>
#include <QList>
#include <QMap>
#include <QMutex>
#include <QString>

namespace Sandboxio {

/*! Shorter secrets are refused: replacing one or two letters everywhere would make every text unreadable. */
inline constexpr qsizetype minimumSecretSize = 4;

/*! Takes known secret values out of every text that we compose: records, errors, warnings, logs. Bytes
    that a program prints are never passed through it. Thread-safe. */
class SANDBOXIO_CORE_EXPORT Redactor
{
public:
    /*! From now on \a value, also as Base64, URLs and JSON write it, is replaced. Values under 4 bytes are
       ignored. Costs memory until the redactor dies; many values cost little time. */
    void add(const Secret &value);
    /*! Adds the values of all variables whose name looks like a credential, words like "true" excepted. */
    void addEnvironment(const QMap<QString, QString> &environment);
    /*! \a text with every known value replaced by "•••". */
    QString redact(QString text) const;
    /*! \overload */
    QByteArray redact(QByteArray text) const;

private:
    void insertLocked(const QByteArray &needle);
    qsizetype matchLocked(QByteArrayView text) const;

    mutable QMutex m_mutex;
    QList<QByteArray> m_needles; // sorted by their bytes
};

/*! Whether \a name looks like the name of a credential: contains key, token, secret, passw, credential or
    auth. */
SANDBOXIO_CORE_EXPORT bool looksLikeCredential(const QString &name);

} // namespace Sandboxio
