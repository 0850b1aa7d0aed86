// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/execresult.h>

#include <QException>

namespace Sandboxio {

/*! Root of the errors. Thrown by Operation::result() and `co_await`; the value form is info(). Each class is
    exported with its key functions in the core library, so that it is the same type in every plugin.

    \code
    try {
        sandbox->run({u"make"_s}).result().throwIfFailed();
    } catch (const Sandboxio::ExecutionTimeout &error) {
        qWarning().noquote() << error.info().toText();
    }
    \endcode */
class SANDBOXIO_CORE_EXPORT SandboxError : public QException
{
public:
    explicit SandboxError(ErrorInfo info);
    SandboxError(const SandboxError &);
    SandboxError &operator=(const SandboxError &) = delete;
    ~SandboxError() override;

    const ErrorInfo &info() const { return m_info; }
    const char *what() const noexcept override;
    void raise() const override;
    SandboxError *clone() const override;

private:
    ErrorInfo m_info;
    QByteArray m_what;
};

/*! Thrown where a cancelled operation is asked for its value. On purpose not a SandboxError: cancellation stays
    cancellation. */
class SANDBOXIO_CORE_EXPORT OperationCancelled : public QException
{
public:
    OperationCancelled();
    ~OperationCancelled() override;
    const char *what() const noexcept override;
    void raise() const override;
    OperationCancelled *clone() const override;
};

// One declaration per class: constructor, destructor, raise and clone are defined in the core library.
#define SANDBOXIO_DECLARE_ERROR(Class, Base)                                                                   \
    class SANDBOXIO_CORE_EXPORT Class : public virtual Base                                                    \
    {                                                                                                          \
    public:                                                                                                    \
        explicit Class(const ErrorInfo &info);                                                                 \
        Class(const Class &);                                                                                  \
        ~Class() override;                                                                                     \
        void raise() const override;                                                                           \
        Class *clone() const override;                                                                         \
    };

SANDBOXIO_DECLARE_ERROR(ConfigurationError, SandboxError)
SANDBOXIO_DECLARE_ERROR(BackendNotFound, ConfigurationError)
SANDBOXIO_DECLARE_ERROR(BackendNotInstalled, ConfigurationError)
SANDBOXIO_DECLARE_ERROR(CapabilityNotSupported, SandboxError)
SANDBOXIO_DECLARE_ERROR(CreationError, SandboxError)
SANDBOXIO_DECLARE_ERROR(ConnectError, SandboxError)
SANDBOXIO_DECLARE_ERROR(SandboxGone, SandboxError)
SANDBOXIO_DECLARE_ERROR(SandboxTimeout, SandboxError)
SANDBOXIO_DECLARE_ERROR(ExecutionTimeout, SandboxTimeout)
SANDBOXIO_DECLARE_ERROR(NetworkPolicyViolation, SandboxError)
SANDBOXIO_DECLARE_ERROR(ResourceLimitExceeded, SandboxError)
SANDBOXIO_DECLARE_ERROR(AuthError, SandboxError)
SANDBOXIO_DECLARE_ERROR(RateLimitError, SandboxError)
SANDBOXIO_DECLARE_ERROR(AuditSinkError, SandboxError)
SANDBOXIO_DECLARE_ERROR(FileSystemError, SandboxError)
SANDBOXIO_DECLARE_ERROR(PathNotFound, FileSystemError)
#undef SANDBOXIO_DECLARE_ERROR

/*! A step of creating took longer than the create limit: both a CreationError and a SandboxTimeout. */
class SANDBOXIO_CORE_EXPORT CreateTimeout : public CreationError, public SandboxTimeout
{
public:
    explicit CreateTimeout(const ErrorInfo &info);
    CreateTimeout(const CreateTimeout &);
    ~CreateTimeout() override;
    void raise() const override;
    CreateTimeout *clone() const override;
};

/*! A program ended with a code other than 0; see ExecResult::throwIfFailed(). Carries the result. */
class SANDBOXIO_CORE_EXPORT ExecutionError : public virtual SandboxError
{
public:
    ExecutionError(const ErrorInfo &info, ExecResult result);
    ExecutionError(const ExecutionError &);
    ~ExecutionError() override;
    const ExecResult &result() const { return m_result; }
    void raise() const override;
    ExecutionError *clone() const override;

private:
    ExecResult m_result;
};

} // namespace Sandboxio
