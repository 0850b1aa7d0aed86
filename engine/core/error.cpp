// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "error.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;

SandboxError::SandboxError(ErrorInfo info)
    : m_info(std::move(info))
    , m_what(m_info.toText().toUtf8())
{}
SandboxError::SandboxError(const SandboxError &) = default;
SandboxError::~SandboxError() = default;

const char *SandboxError::what() const noexcept
{
    return m_what.constData();
}

void SandboxError::raise() const
{
    throw *this;
}

SandboxError *SandboxError::clone() const
{
    return new SandboxError(*this);
}

OperationCancelled::OperationCancelled() = default;
OperationCancelled::~OperationCancelled() = default;

const char *OperationCancelled::what() const noexcept
{
    return "The operation was cancelled.";
}

void OperationCancelled::raise() const
{
    throw *this;
}

OperationCancelled *OperationCancelled::clone() const
{
    return new OperationCancelled(*this);
}

// With a virtual base the most derived class initialises SandboxError itself, intermediate ones repeat it.
#define SANDBOXIO_DEFINE_ERROR_MEMBERS(Class)                                                                  \
    Class::~Class() = default;                                                                                 \
    void Class::raise() const                                                                                  \
    {                                                                                                          \
        throw *this;                                                                                           \
    }                                                                                                          \
    Class *Class::clone() const                                                                                \
    {                                                                                                          \
        return new Class(*this);                                                                               \
    }
#define SANDBOXIO_DEFINE_ERROR(Class)                                                                          \
    Class::Class(const ErrorInfo &info)                                                                        \
        : SandboxError(info)                                                                                   \
    {}                                                                                                         \
    Class::Class(const Class &other)                                                                           \
        : SandboxError(other)                                                                                  \
    {}                                                                                                         \
    SANDBOXIO_DEFINE_ERROR_MEMBERS(Class)
#define SANDBOXIO_DEFINE_DERIVED_ERROR(Class, Base)                                                            \
    Class::Class(const ErrorInfo &info)                                                                        \
        : SandboxError(info)                                                                                   \
        , Base(info)                                                                                           \
    {}                                                                                                         \
    Class::Class(const Class &other)                                                                           \
        : SandboxError(other)                                                                                  \
        , Base(other)                                                                                          \
    {}                                                                                                         \
    SANDBOXIO_DEFINE_ERROR_MEMBERS(Class)

SANDBOXIO_DEFINE_ERROR(ConfigurationError)
SANDBOXIO_DEFINE_DERIVED_ERROR(BackendNotFound, ConfigurationError)
SANDBOXIO_DEFINE_DERIVED_ERROR(BackendNotInstalled, ConfigurationError)
SANDBOXIO_DEFINE_ERROR(CapabilityNotSupported)
SANDBOXIO_DEFINE_ERROR(CreationError)
SANDBOXIO_DEFINE_ERROR(ConnectError)
SANDBOXIO_DEFINE_ERROR(SandboxGone)
SANDBOXIO_DEFINE_ERROR(SandboxTimeout)
SANDBOXIO_DEFINE_DERIVED_ERROR(ExecutionTimeout, SandboxTimeout)
SANDBOXIO_DEFINE_ERROR(NetworkPolicyViolation)
SANDBOXIO_DEFINE_ERROR(ResourceLimitExceeded)
SANDBOXIO_DEFINE_ERROR(AuthError)
SANDBOXIO_DEFINE_ERROR(RateLimitError)
SANDBOXIO_DEFINE_ERROR(AuditSinkError)
SANDBOXIO_DEFINE_ERROR(FileSystemError)
SANDBOXIO_DEFINE_DERIVED_ERROR(PathNotFound, FileSystemError)

CreateTimeout::CreateTimeout(const ErrorInfo &info)
    : SandboxError(info)
    , CreationError(info)
    , SandboxTimeout(info)
{}
CreateTimeout::CreateTimeout(const CreateTimeout &other)
    : SandboxError(other)
    , CreationError(other)
    , SandboxTimeout(other)
{}
SANDBOXIO_DEFINE_ERROR_MEMBERS(CreateTimeout)

ExecutionError::ExecutionError(const ErrorInfo &info, ExecResult result)
    : SandboxError(info)
    , m_result(std::move(result))
{}
ExecutionError::ExecutionError(const ExecutionError &other)
    : SandboxError(other)
    , m_result(other.m_result)
{}
SANDBOXIO_DEFINE_ERROR_MEMBERS(ExecutionError)

void ErrorInfo::raise() const
{
    switch (kind) {
#define SANDBOXIO_RAISE(Class)                                                                                 \
    case ErrorKind::Class:                                                                                     \
        throw Class(*this);
        SANDBOXIO_RAISE(SandboxError)
        SANDBOXIO_RAISE(ConfigurationError)
        SANDBOXIO_RAISE(BackendNotFound)
        SANDBOXIO_RAISE(BackendNotInstalled)
        SANDBOXIO_RAISE(CapabilityNotSupported)
        SANDBOXIO_RAISE(CreationError)
        SANDBOXIO_RAISE(ConnectError)
        SANDBOXIO_RAISE(CreateTimeout)
        SANDBOXIO_RAISE(SandboxGone)
        SANDBOXIO_RAISE(SandboxTimeout)
        SANDBOXIO_RAISE(ExecutionTimeout)
        SANDBOXIO_RAISE(NetworkPolicyViolation)
        SANDBOXIO_RAISE(ResourceLimitExceeded)
        SANDBOXIO_RAISE(AuthError)
        SANDBOXIO_RAISE(RateLimitError)
        SANDBOXIO_RAISE(AuditSinkError)
        SANDBOXIO_RAISE(FileSystemError)
        SANDBOXIO_RAISE(PathNotFound)
#undef SANDBOXIO_RAISE
    case ErrorKind::ExecutionError:
        throw ExecutionError(*this, {});
    }
    Q_UNREACHABLE();
}

} // namespace Sandboxio
