// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QByteArray>
#include <QString>

class QDebug;

namespace Sandboxio {

/*! A value that must not be seen. It does not convert to a string, prints as "<secret>", compares in constant
    time and overwrites its bytes when the last copy dies. Only code that hands the value to a provider calls
    reveal(). */
class SANDBOXIO_CORE_EXPORT Secret
{
public:
    Secret() = default;
    explicit Secret(QByteArray value);
    Secret(const Secret &) = default;
    Secret(Secret &&) = default;
    Secret &operator=(const Secret &) = default;
    Secret &operator=(Secret &&) = default;
    ~Secret();

    bool isEmpty() const { return m_value.isEmpty(); }
    qsizetype size() const { return m_value.size(); }
    /*! The bytes themselves. Every call of this is a place to look at in a review. */
    const QByteArray &reveal() const { return m_value; }
    SANDBOXIO_CORE_EXPORT friend bool operator==(const Secret &left, const Secret &right);

private:
    QByteArray m_value;
};

SANDBOXIO_CORE_EXPORT QDebug operator<<(QDebug debug, const Secret &secret);

} // namespace Sandboxio
