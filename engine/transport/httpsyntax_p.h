// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <QByteArrayView>

namespace Sandboxio {

/// RFC 9110 `token`: at least one of the characters that methods and header names are made of.
bool isHttpToken(QByteArrayView text);
/// RFC 9110 `field-value`: no control character but HT.
bool isHttpFieldValue(QByteArrayView text);

} // namespace Sandboxio
