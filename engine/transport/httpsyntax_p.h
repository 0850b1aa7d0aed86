// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include "transporterror.h"

#include <QByteArrayView>

#include <expected>

namespace Sandboxio {

/// RFC 9110 `token`: at least one of the characters that methods and header names are made of.
bool isHttpToken(QByteArrayView text);
/// RFC 9110 `field-value`: no control character but HT.
bool isHttpFieldValue(QByteArrayView text);

inline std::unexpected<DecodeError> malformed(const QString &text)
{
    return std::unexpected(DecodeError{DecodeError::Kind::Malformed, text});
}

} // namespace Sandboxio
