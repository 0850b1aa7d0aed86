// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QMetaType>
#include <QString>

#include <chrono>
#include <optional>

namespace Sandboxio {

/*! The class of an error. Each has one row in the table (errortable.h) and one exception class (error.h). */
enum class ErrorKind {
    SandboxError,
    ConfigurationError,
    BackendNotFound,
    BackendNotInstalled,
    CapabilityNotSupported,
    CreationError,
    ConnectError,
    CreateTimeout,
    SandboxGone,
    ExecutionError,
    SandboxTimeout,
    ExecutionTimeout,
    NetworkPolicyViolation,
    ResourceLimitExceeded,
    AuthError,
    RateLimitError,
    AuditSinkError,
    FileSystemError,
    PathNotFound,
};

/*! What the provider itself said: its status number where it has one and its text, free of secrets. */
struct SANDBOXIO_CORE_EXPORT ErrorCause
{
    std::optional<int> status;
    QString text;
    /*! One line for the screen: "The provider answered 409: …". */
    QString toText() const;
    bool operator==(const ErrorCause &) const = default;
};

/*! The value form of an error, for signals, QML, JSON, records and the screen. Copyable between threads.
    Contains no secret, no environment value and no whole code. */
struct SANDBOXIO_CORE_EXPORT ErrorInfo
{
    ErrorKind kind = ErrorKind::SandboxError;
    QString message;                                     //!< one sentence, what failed
    QString hint;                                        //!< the exact fix, a command where one exists
    std::optional<ErrorCause> cause;                     //!< the provider's own words
    QString limit;                                       //!< ResourceLimitExceeded: which limit
    std::optional<qint64> limitValue;                    //!< ResourceLimitExceeded: its value, bytes or count
    std::optional<std::chrono::milliseconds> retryAfter; //!< RateLimitError: when to ask again
    QString step;                                        //!< CreateTimeout: the step that took too long

    bool operator==(const ErrorInfo &) const = default;

    /*! The stable code, for example "SBX_E1302"; empty for the two base classes without one. */
    QString code() const;
    /*! The address of the documentation page. */
    QString url() const;
    /*! The same three lines everywhere: "[code] message", "Fix: hint", "Docs: url". */
    QString toText() const;
    /*! toText(), and what the provider said in a line of its own. */
    QString toWholeText() const;
    /*! Throws the exception class that belongs to kind. */
    [[noreturn]] void raise() const;
};

/*! An ErrorInfo with the default hint of its kind unless \a hint is given. */
SANDBOXIO_CORE_EXPORT ErrorInfo makeError(ErrorKind kind, const QString &message, const QString &hint = {});
/*! The same with what the provider said. */
SANDBOXIO_CORE_EXPORT ErrorInfo makeError(ErrorKind kind, const QString &message, const QString &hint,
                                          const ErrorCause &cause);

} // namespace Sandboxio

Q_DECLARE_METATYPE(Sandboxio::ErrorInfo)
