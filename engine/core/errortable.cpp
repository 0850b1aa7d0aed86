// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "errortable.h"

#include <QtGlobal>

#include <algorithm>
#include <array>

namespace Sandboxio {

namespace {
#define SANDBOXIO_ERROR(kind, code, hint, documentation)                                                       \
    ErrorTableRow                                                                                              \
    {                                                                                                          \
        ErrorKind::kind, #kind, code, QT_TRANSLATE_NOOP("Sandboxio::Error", hint),                             \
            QT_TRANSLATE_NOOP("Sandboxio::Error", documentation)                                               \
    }

constexpr std::array rows{
    SANDBOXIO_ERROR(SandboxError, "", "See the message.", "Base of all errors; never raised itself."),
    SANDBOXIO_ERROR(
        ConfigurationError, "SBX_E1000", "Correct the named argument.",
        "An argument, a DSN or an option is wrong, or a requirement cannot be met. Nothing was created."),
    SANDBOXIO_ERROR(BackendNotFound, "SBX_E1001", "Run `sandboxio doctor` to see what is installed.",
                    "The scheme of the DSN names a backend that nobody registered and no plugin provides."),
    SANDBOXIO_ERROR(
        BackendNotInstalled, "SBX_E1002", "Install the plugin of the backend, then run `sandboxio doctor`.",
        "The backend is known but its plugin is missing, does not load, or was built for other ports."),
    SANDBOXIO_ERROR(
        CapabilityNotSupported, "SBX_E1101", "Choose a backend that declares the capability.",
        "The sandbox does not declare the capability that the call needs. Nothing was done instead."),
    SANDBOXIO_ERROR(CreationError, "SBX_E1201", "Run `sandboxio doctor` and read what the provider said.",
                    "The provider could not create the sandbox. What was made on the way has been removed."),
    SANDBOXIO_ERROR(ConnectError, "SBX_E1202", "Run `sandboxio list` to see the sandboxes there are.",
                    "The id is unknown, dead or not managed, or the provider refused to end the sandbox."),
    SANDBOXIO_ERROR(
        CreateTimeout, "SBX_E1203", "Raise the create limit, or see why the named step is slow.",
        "One step of creating took longer than the create limit. Both a CreationError and a SandboxTimeout."),
    SANDBOXIO_ERROR(SandboxGone, "SBX_E1204", "Create a new sandbox.",
                    "The sandbox existed and does not any more. This is not a timeout."),
    SANDBOXIO_ERROR(ExecutionError, "SBX_E1301", "Read the standard error of the result.",
                    "A program ended with a code other than 0 and the caller asked for that to be an error."),
    SANDBOXIO_ERROR(SandboxTimeout, "", "Raise the limit.",
                    "Base of the errors about time; never raised itself."),
    SANDBOXIO_ERROR(
        ExecutionTimeout, "SBX_E1302", "Raise `timeout` of this run, or make the program faster.",
        "The run took longer than its limit. Its whole process tree was killed, its neighbours go on."),
    SANDBOXIO_ERROR(NetworkPolicyViolation, "SBX_E1401",
                    "Do not use this sandbox for untrusted code; recreate it.",
                    "Checking the policy from inside found that traffic passes which the policy forbids."),
    SANDBOXIO_ERROR(ResourceLimitExceeded, "SBX_E1402", "Raise the named limit, or use less of it.",
                    "A cap of the sandbox was reached. The error names the limit and its value."),
    SANDBOXIO_ERROR(
        AuthError, "SBX_E1501", "Set the named environment variable or store the key.",
        "A credential is missing or was refused. The hint names the exact variable, never a value."),
    SANDBOXIO_ERROR(RateLimitError, "SBX_E1502", "Wait for the stated time, then try again.",
                    "The provider asked us to slow down. A create is never repeated on the caller's behalf."),
    SANDBOXIO_ERROR(AuditSinkError, "SBX_E1601", "Repair the sink, or do not choose to fail on its errors.",
                    "A record could not be written and the caller had chosen that this fails the operation."),
    SANDBOXIO_ERROR(FileSystemError, "SBX_E1700", "Check the path, its type and its permissions.",
                    "A file operation inside the sandbox failed."),
    SANDBOXIO_ERROR(PathNotFound, "SBX_E1701", "Check the path; relative paths start where `run` starts.",
                    "The path does not exist inside the sandbox."),
};
#undef SANDBOXIO_ERROR
} // namespace

std::span<const ErrorTableRow> errorTable()
{
    return rows;
}

const ErrorTableRow &errorTableRow(ErrorKind kind)
{
    return *std::ranges::find(rows, kind, &ErrorTableRow::kind);
}

const ErrorTableRow *errorTableRow(const QString &code)
{
    if (code.isEmpty())
        return nullptr;
    const auto row = std::ranges::find_if(rows, [&](const ErrorTableRow &candidate) {
        return code.compare(QLatin1StringView(candidate.code), Qt::CaseInsensitive) == 0;
    });
    return row == rows.end() ? nullptr : &*row;
}

} // namespace Sandboxio
