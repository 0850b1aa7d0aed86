// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "enginelink_p.h"

#include <sandboxio/core/redactor.h>
#include <sandboxio/core/task.h>
#include <sandboxio/ports/sandboxport.h>
#include <sandboxio/runtime/operationrecord.h>
#include <sandboxio/runtime/sandbox.h>

namespace Sandboxio::Detail {

struct RecordDraft;

/*! What all copies of a Sandbox value share: the key of its port in the I/O thread and what was known at
 * creation. */
class SandboxHandle
{
public:
    SandboxHandle(std::shared_ptr<EngineLink> link, quint64 key, SandboxDetails details, QStringList languages,
                  std::chrono::milliseconds grace, std::shared_ptr<Redactor> redactor);
    ~SandboxHandle();
    Q_DISABLE_COPY_MOVE(SandboxHandle)

    static SandboxPtr makeSandbox(std::shared_ptr<SandboxHandle> handle);

    template <typename T>
    using Body = std::function<QCoro::Task<T>(EngineCore &, std::shared_ptr<SandboxPort>, OperationPromise<T>)>;
    /*! Runs the coroutine \a body in the I/O thread as one operation of the engine. */
    template <typename T>
    Operation<T> submit(Body<T> body) const;
    /*! The same, refused unless \a capability is declared. */
    template <typename T>
    Operation<T> submit(Capability capability, Body<T> body) const
    {
        if (!details.capabilities.testFlag(capability))
            return failedOperation<T>(capabilityNotSupported(capability));
        return submit<T>(std::move(body));
    }

    template <typename T>
    using RecordedBody = std::function<QCoro::Task<T>(std::shared_ptr<SandboxPort>, OperationPromise<T>,
                                                      std::shared_ptr<RecordDraft>)>;
    /*! The same for an operation that leaves a record, which begins as \a record; the body counts its bytes. */
    template <typename T>
    Operation<T> submitRecorded(Capability capability, const OperationRecord &record,
                                RecordedBody<T> body) const;
    /*! Leaves the record of an operation that \a error refused in the calling thread; what to report. */
    ErrorInfo refused(const OperationRecord &record, const ErrorInfo &error) const;
    /*! The same for a run. */
    ErrorInfo refused(const ProcessRequest &request, const ErrorInfo &error) const;

    const std::shared_ptr<EngineLink> link;
    const quint64 key;
    const SandboxDetails details;
    const QStringList languages;
    const std::chrono::milliseconds grace;
    const std::shared_ptr<Redactor> redactor;
};

} // namespace Sandboxio::Detail
