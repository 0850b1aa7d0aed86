// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/command.h>
#include <sandboxio/core/operation.h>
#include <sandboxio/core/runoptions.h>
#include <sandboxio/runtime/export.h>

#include <QObject>

namespace Sandboxio {

namespace Detail {
class ProcessMailbox;
class SandboxHandle;
struct RunRequest;
} // namespace Detail

/*! The handle of a streamed run. Created by Sandbox::stream(), streamCode() or attach(), lives in and is destroyed in the
    thread that called it; that thread needs an event loop for ConsumerMode::Signals.

    It ends by exactly one ended(), after its last chunk. Destroying a started Process posts the kill of its
    process tree and returns; close() is the form to wait for. Destroying one that was never started prints a
    warning. A Process from Sandbox::attach() only lets go when it is destroyed, as detach() does: that run belongs
    to its sandbox, and kill() or close() end it.

    \code
    auto process = sandbox->stream(Command::shell(u"make -j4"_s), {.timeout = 5min});
    connect(process.get(), &Process::outputReceived, log, [log](const OutputChunk &chunk) { log->append(chunk); });
    std::ignore = process->start(Process::ConsumerMode::Signals);
    \endcode */
class SANDBOXIO_RUNTIME_EXPORT Process : public QObject
{
    Q_OBJECT
public:
    /*! Who takes the output; fixed at start(). */
    enum class ConsumerMode {
        Signals, //!< outputReceived(), in this object's thread; each chunk costs a crossing of threads
        Pull,    //!< nextChunk()
        Discard, //!< nobody; bytes are counted
    };
    Q_ENUM(ConsumerMode)

    ~Process() override;

    /*! Starts the run. Ends when the program runs. \throws ConfigurationError (SBX_E1000) when started before,
       or for Signals in a thread without an event loop. */
    Operation<void> start(ConsumerMode mode);
    /*! The next piece of output; absent once the run has ended and everything was taken. One call at a time.
        Fails with ConfigurationError in another mode. */
    Operation<std::optional<OutputChunk>> nextChunk();
    /*! Sends \a data to the program's input; ends when it is on its way. Needs RunOptions::standardInput to be
     * unset. */
    Operation<void> write(const QByteArray &data);
    /*! Ends the program's input. */
    Operation<void> closeWrite();
    Operation<void> resize(TerminalSize size);
    /*! Sends a signal to the main process. */
    Operation<void> signal(int signal);
    /*! Kills the process tree of this run; ended() follows, with RunOutcome::Kind::Killed or, when that came
        first, with the program's own end. */
    Operation<void> kill();
    /*! Lets go of a background run, which goes on: ended() follows with RunOutcome::Kind::Detached and wait() is
        cancelled. ConfigurationError (SBX_E1000) for a run that stream() made: start it with
        Sandbox::startBackground(). */
    Operation<void> detach();
    /*! The end: a result with streamed set and empty outputs; ExecutionTimeout (SBX_E1302), SandboxGone
       (SBX_E1204)… Call it any number of times. Blocking on it in this object's thread raises
       ConfigurationError while output is still to be consumed there, since that would never end. So does a run that
       was not started. */
    Operation<ExecResult> wait();
    /*! Kills what still runs and ends when nothing is left. */
    Operation<void> close();
    /*! Absent while it runs, and when it did not end by exiting. */
    std::optional<int> exitCode() const;
    bool isRunning() const;

Q_SIGNALS:
    void started();
    void outputReceived(const Sandboxio::OutputChunk &chunk);
    void ended(const Sandboxio::RunOutcome &outcome, const std::optional<Sandboxio::ExecResult> &result,
               const std::optional<Sandboxio::ErrorInfo> &error);

private:
    friend class Sandbox;
    Process(std::shared_ptr<Detail::SandboxHandle> handle, const Detail::RunRequest &request);
    void drain();

    std::shared_ptr<Detail::ProcessMailbox> m_mailbox;
    std::shared_ptr<Detail::SandboxHandle> m_handle;
    std::unique_ptr<Detail::RunRequest> m_request;
    const bool m_isBackground; // an attachment
};

} // namespace Sandboxio
