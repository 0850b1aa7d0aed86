// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

// Feeds the DSN parser with arbitrary text. What it accepts must survive being written and read again; what it
// refuses must say what to do.

#include <sandboxio/core/dsn.h>
#include <sandboxio/core/redactor.h>

#include <cstdint>
#include <cstdlib>

using namespace Sandboxio;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const QString text = QString::fromUtf8(reinterpret_cast<const char *>(data), static_cast<qsizetype>(size));
    std::ignore = parseSecondsAsMilliseconds(text);
    const auto result = parseDsn(text);
    if (const auto *error = std::get_if<ErrorInfo>(&result)) {
        if (error->kind != ErrorKind::ConfigurationError || error->message.isEmpty() || error->hint.isEmpty())
            std::abort();
        return 0;
    }
    const Target &target = std::get<Target>(result);
    if (target.backend.isEmpty())
        std::abort();
    for (const QString &name : target.parameters.keys()) {
        if (looksLikeCredential(name) || target.parameters.value(name).isEmpty())
            std::abort();
    }
    const auto again = parseDsn(target.toDsn());
    if (!std::holds_alternative<Target>(again) || !(std::get<Target>(again) == target))
        std::abort();
    return 0;
}
