// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/execresult.h>
#include <sandboxio/core/isolation.h>
#include <sandboxio/core/operationstate.h>
#include <sandboxio/core/target.h>
#include <sandboxio/runtime/export.h>

#include <QDateTime>
#include <QJsonObject>
#include <QMetaType>
#include <QStringList>

class QDebug;

namespace Sandboxio {

/*! What an operation did that leaves a record. */
enum class RecordEvent {
    Run,
    RunCode,
    Stream,
    StreamCode,
    ReadFile,
    WriteFile,
    Upload,
    Download,
    ListDirectory,
    StatFile,
    MakeDirectory,
    RemoveFile,
    MoveFile,
    ChangeMode,
    RunBackground,
    Attach,
    Watch,
};

/*! What one run, code run, stream or file operation did: made exactly once, when it has ended. Free of the
    secrets of its sandbox, of the values of credential-shaped variables and of what Engine::markSecret() names.
    Holds nothing that a program read or printed. */
struct SANDBOXIO_RUNTIME_EXPORT OperationRecord
{
    QDateTime time; //!< when it began, UTC
    RecordEvent event = RecordEvent::Run;
    QString sandboxId;
    Target target;
    IsolationTier tier = IsolationTier::Unknown;
    QMap<QString, QString> metadata; //!< the labels of the sandbox
    QStringList argv;                //!< of a command, complete; empty for code and files
    QString language;                //!< of code
    QString codeSha256;              //!< of code, hexadecimal, over its UTF-8 bytes
    std::optional<QString> code;     //!< only with RecordOptions::includeCode
    QStringList paths;               //!< of a file operation: the path, or the source and the destination
    OperationOutcome outcome = OperationOutcome::Value; //!< never Pending
    QString backgroundRun;          //!< the id of the background run that was started or attached to
    std::optional<RunOutcome> end;  //!< how the program ended; absent for files and refusals
    std::optional<ErrorInfo> error; //!< set when outcome is Error
    std::chrono::nanoseconds duration{0};
    qint64 bytesIn = 0;  //!< given to the sandbox: standard input, file content
    qint64 bytesOut = 0; //!< taken from it: both output streams, file content
    QStringList denials; //!< what a policy, a cap or a missing capability refused

    bool operator==(const OperationRecord &) const = default;

    /*! One object with stable keys in camelCase; durations in milliseconds, times in ISO 8601; what is absent is
        left out. */
    QJsonObject toJson() const;
};

/*! The stable name used in JSON: "run", "runCode", "readFile"… */
SANDBOXIO_RUNTIME_EXPORT QString recordEventName(RecordEvent event);
/*! The stable name used in JSON: "value", "error", "cancelled". */
SANDBOXIO_RUNTIME_EXPORT QString outcomeName(OperationOutcome outcome);

SANDBOXIO_RUNTIME_EXPORT QDebug operator<<(QDebug debug, const OperationRecord &record);

} // namespace Sandboxio

Q_DECLARE_METATYPE(Sandboxio::OperationRecord)
