// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/models/outputlog.h>
#include <sandboxio/runtime/sandbox.h>

#include <QElapsedTimer>
#include <QObject>

namespace Sandboxio::Desktop {

/*! What a cell runs. */
struct RunContent
{
    QString text;
    QString language; //!< of Sandbox::languages(); empty: \a text is a shell command line
    std::optional<Operation<QString>> context; //!< of the code, on its way; absent: an interpreter of its own
    bool isCommandLine() const { return language.isEmpty(); }
};

/*! One run of a cell: its process, its output and its end. Destroying it ends the run. */
class Run : public QObject
{
    Q_OBJECT
public:
    enum class State { Idle, Starting, Running, Interrupting, Ended };

    Run(const SandboxPtr &sandbox, const RunContent &content, const OutputLogOptions &options,
        QObject *parent = nullptr);
    ~Run() override;

    void start();
    /*! Kills the process tree of this run and nothing else in the sandbox. */
    void interrupt();

    State state() const { return m_state; }
    bool isActive() const { return m_state != State::Idle && m_state != State::Ended; }
    OutputLog *log() { return &m_log; }
    /*! Meaningful once ended. */
    RunOutcome outcome() const { return m_outcome; }
    /*! Why it failed; absent when it ended by itself. */
    std::optional<ErrorInfo> error() const { return m_error; }
    /*! What code made besides its output, once ended. */
    QList<RichOutput> results() const { return m_results; }
    /*! So far, or in all once ended. */
    std::chrono::nanoseconds duration() const;
    /*! State, duration and bytes in one line for people. */
    QString statusText() const;

Q_SIGNALS:
    void stateChanged();

private:
    void begin(const QString &context);
    void setState(State state);
    void pull();
    void endOutput();
    void end(const RunOutcome &outcome, const std::optional<ExecResult> &result,
             const std::optional<ErrorInfo> &error);

    SandboxPtr m_sandbox;
    RunContent m_content;
    OutputLog m_log;
    std::unique_ptr<Process> m_process;
    QElapsedTimer m_elapsed;
    State m_state = State::Idle;
    RunOutcome m_outcome;
    std::optional<ErrorInfo> m_error;
    QList<RichOutput> m_results;
    std::chrono::nanoseconds m_duration{0};
    bool m_pulling = false;
    bool m_outputEnded = false;
    bool m_endKnown = false;
};

} // namespace Sandboxio::Desktop
