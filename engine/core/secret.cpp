// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "secret.h"

#include <QDebug>

#include <cstring>

namespace Sandboxio {

Secret::Secret(QByteArray value)
    : m_value(std::move(value))
{}

Secret::~Secret()
{
    if (m_value.isDetached() && !m_value.isEmpty()) {
        volatile char *bytes = m_value.data();
        for (qsizetype i = 0; i < m_value.size(); ++i)
            bytes[i] = 0;
    }
}

bool operator==(const Secret &left, const Secret &right)
{
    if (left.m_value.size() != right.m_value.size())
        return false;
    unsigned char difference = 0;
    for (qsizetype i = 0; i < left.m_value.size(); ++i)
        difference |= static_cast<unsigned char>(left.m_value[i] ^ right.m_value[i]);
    return difference == 0;
}

QDebug operator<<(QDebug debug, const Secret &)
{
    const QDebugStateSaver saver(debug);
    debug.nospace() << "<secret>";
    return debug;
}

} // namespace Sandboxio
