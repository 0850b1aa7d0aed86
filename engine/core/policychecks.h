// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/command.h>
#include <sandboxio/core/createoptions.h>
#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/runoptions.h>

#include <optional>

namespace Sandboxio {

/*! What is wrong with \a options whatever the backend: lifetime and limits not positive, caps not positive, an
    allow list without entries or with Deny or Open, names of variables that cannot be, secrets under 4 bytes, metadata keys that cannot be labels. Absent:
    nothing. */
SANDBOXIO_CORE_EXPORT std::optional<ErrorInfo> checkCreateOptions(const CreateOptions &options);
/*! What is wrong with a run of \a command with \a options. */
SANDBOXIO_CORE_EXPORT std::optional<ErrorInfo> checkRun(const Command &command, const RunOptions &options);
/*! What is wrong with a run of code with \a options. */
SANDBOXIO_CORE_EXPORT std::optional<ErrorInfo> checkRunCode(const RunCodeOptions &options);
/*! One entry of an allow list: host name, `*.domain`, IPv4 or IPv6 address or CIDR, each with an optional
 * ":port". */
SANDBOXIO_CORE_EXPORT bool isAllowListEntry(const QString &entry);

} // namespace Sandboxio
