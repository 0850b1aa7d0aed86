// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>
#include <sandboxio/runtime/operationrecord.h>

#include <chrono>
#include <memory>
#include <optional>

namespace Sandboxio {

/*! Takes the records of an engine somewhere. Derive from it, or use one of recordsinks.h. */
class SANDBOXIO_RUNTIME_EXPORT RecordSink
{
public:
    RecordSink();
    virtual ~RecordSink();
    Q_DISABLE_COPY_MOVE(RecordSink)

    /*! How warnings and errors call it, for example the file name. Called from any thread. */
    virtual QString name() const = 0;
    /*! Writes \a record, which is redacted. Called in the engine's writer thread, one record at a time, in the
       order in which the operations ended; a sink that several engines share is called in several threads. Ends
       when the record is where it belongs; an error, a SandboxError that is thrown, and a cancelled operation
       mean that it is lost. A sink that blocks here holds up the other sinks and the ledger: what takes long
       belongs into a thread of the sink, with an operation that ends later. */
    virtual Operation<void> write(const OperationRecord &record) = 0;
};

/*! Which records an engine makes, and what follows when one cannot be written. */
struct RecordOptions
{
    enum class FailureMode {
        Warn, //!< the warning AuditSink; operations never wait for their record
        Fail, //!< an operation waits for its record, and ends with AuditSinkError (SBX_E1601) instead of its value
              //!< when the record was not written; one that failed or was cancelled stays what it is
    };
    QList<std::shared_ptr<RecordSink>> sinks; //!< none: no record is made. The last owner destroys a sink
    FailureMode failureMode = FailureMode::Warn;
    /*! How long a sink may take for one record. Unset: SBX_AUDIT_TIMEOUT in seconds, else 5 s. */
    std::optional<std::chrono::milliseconds> timeout;
    qsizetype queueLimit = 4096; //!< records that may wait for the sinks; one more is a failure
    bool includeCode = false;    //!< whole code besides its SHA-256
};

} // namespace Sandboxio
