// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/backgroundrun.h>
#include <sandboxio/core/command.h>
#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/execresult.h>
#include <sandboxio/core/operation.h>
#include <sandboxio/core/runoptions.h>

namespace Sandboxio {

/*! How the main process of a run ended, as the provider says. */
struct ExitStatus
{
    std::optional<int> code;
    std::optional<int> signal;
    std::optional<ErrorInfo> limit; //!< a cap that the provider names as the reason, e.g. out of memory
    /*! The provider knows that no process of the run is left. The streams are then awaited to their end, and
        30 s of silence are a lost connection; otherwise 250 ms of silence after the exit end the run. */
    bool treeEmpty = false;
    bool operator==(const ExitStatus &) const = default;
};

/*! What to start. Either a command or code, never both. */
struct ProcessRequest
{
    std::optional<Command> command;
    RunOptions options; //!< env is complete for this run apart from the sandbox's own; timeout is a backstop
    std::optional<QByteArray> code; //!< UTF-8 source; travels by file or frame, never by argv
    RunCodeOptions codeOptions;
    bool interactiveInput =
        false;             //!< write() will be used; otherwise the input is options.standardInput or nothing
    bool streamed = false; //!< a person or program consumes the output as it comes; large amounts are likely
    qint64 window = 4 * 1024 * 1024; //!< bytes that may be on their way unacknowledged
};

/*! Which background run to read, and from where. Checked: not negative. */
struct AttachRequest
{
    QString id;
    AttachOptions from;
    qint64 window = 4 * 1024 * 1024; //!< as ProcessRequest::window
};

/*! Receives what happens to a process. All calls come in the I/O thread, never inline in a call of the
    ProcessPort. After exited() only output(), streamEnded() and failed() may follow; after failed() nothing. */
class SANDBOXIO_CORE_EXPORT ProcessEvents
{
public:
    virtual ~ProcessEvents();
    /*! The program runs; \a pid is its number inside where known. */
    virtual void started(std::optional<qint64> pid) = 0;
    virtual void output(OutputStream stream, const QByteArray &data) = 0;
    /*! The next \a bytes of \a stream will never come; what follows has its place after them. */
    virtual void outputLost(OutputStream stream, qint64 bytes) = 0;
    /*! Nothing more will come on \a stream. */
    virtual void streamEnded(OutputStream stream) = 0;
    /*! The main process has ended; output may still be on its way. */
    virtual void exited(const ExitStatus &status) = 0;
    /*! It could not start, or the connection or the sandbox was lost: what happened to the process is in \a
       error (SandboxGone when the sandbox ceased to exist). After exited(): output that had not come yet is lost. */
    virtual void failed(const ErrorInfo &error) = 0;
    /*! Result values richer than text, where the backend has them. */
    virtual void richOutput(const RichOutput &output) = 0;
};

/*! One process of a run. Lives in the I/O thread. Destroying it forgets the process without ending it: the
    runtime calls killTree() first when it must end. */
class SANDBOXIO_CORE_EXPORT ProcessPort
{
public:
    virtual ~ProcessPort();
    /*! The consumer is done with \a bytes of \a stream. While more than the window is unacknowledged, the
       adapter stops reading, so that a slow consumer costs flat memory. */
    virtual void acknowledge(OutputStream stream, qint64 bytes) = 0;
    /*! Ends when \a data is on its way; FileSystemError when the program no longer reads. */
    virtual Operation<void> write(const QByteArray &data) = 0;
    virtual Operation<void> closeWrite() = 0;
    /*! CapabilityNotSupported where the provider fixes the size at the start. */
    virtual Operation<void> resize(TerminalSize size) = 0;
    /*! Sends \a signal to the main process. CapabilityNotSupported for signals that the provider cannot send.
     */
    virtual Operation<void> signal(int signal) = 0;
    /*! Ends the process tree of this run and nothing else, daemonised children included. Ends when the death is
        confirmed. Idempotent; works after the main process ended. */
    virtual Operation<void> killTree() = 0;
};

} // namespace Sandboxio
