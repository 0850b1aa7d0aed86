// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fakeprovider_p.h"
#include "program_p.h"

#include <sandboxio/ports/processport.h>

#include <QObject>

#include <list>

namespace Sandboxio::Fake {

/*! One run: does the steps of its programs as the clock, the window and the input allow. */
class Process final : public QObject, public ProcessPort
{
    Q_OBJECT
public:
    Process(std::shared_ptr<Provider> provider, const QString &sandboxId, ProcessEvents *events);
    ~Process() override;

    /*! Starts \a program as \a line. The events come later. */
    void begin(const std::shared_ptr<Program> &program, const QString &line, const ProcessRequest &request);
    /*! Reports that it could not start. */
    void failToStart(const ErrorInfo &error);

    void acknowledge(OutputStream stream, qint64 bytes) override;
    Operation<void> write(const QByteArray &data) override;
    Operation<void> closeWrite() override;
    Operation<void> resize(TerminalSize size) override;
    Operation<void> signal(int signal) override;
    Operation<void> killTree() override;

private:
    // One flow of steps: the main program, or one in the background.
    struct Flow
    {
        std::shared_ptr<Program> program{};
        bool isMain = false;
        std::optional<Step> step{};
        qint64 position = 0; // bytes of the step that are done
        std::unique_ptr<ArmedTimer> timer{};
        bool slept = false;
    };
    enum class Progress { Blocked, Advanced, Ended };

    void wake();
    void pump();
    void onRemoved(const QString &id);
    void onChanged(const QString &id);
    Progress advance(Flow &flow);
    Progress advanceStep(Flow &flow, WriteStep &step);
    Progress advanceStep(Flow &flow, RepeatStep &step);
    Progress advanceStep(Flow &flow, SleepStep &step);
    Progress advanceStep(Flow &flow, CopyInputStep &step);
    Progress advanceStep(Flow &flow, RichStep &step);
    Progress advanceStep(Flow &flow, SpawnStep &step);
    Progress advanceStep(Flow &flow, ExitStep &step);
    /*! How many of \a wanted bytes may go to \a sink now. */
    qint64 room(const Sink &sink, qint64 wanted) const;
    /*! False when the run is over because of it. */
    bool deliver(const Flow &flow, Sink sink, const QByteArray &data);
    bool deliverOutput(OutputStream stream, const QByteArray &data);
    void breakAtByte(const Faults &faults);
    void endMain(const ExitStatus &status);
    void endStreams();
    void endBySignal(int signal);
    void fail(const ErrorInfo &error);
    void forgetInStore();

    std::shared_ptr<Provider> m_provider;
    QString m_sandboxId;
    ProcessEvents *m_events;
    std::list<Flow> m_flows;
    QByteArray m_input;
    bool m_inputEnded = true;
    qint64 m_window = 0;
    qint64 m_unacknowledged[3] = {}; // by OutputStream
    qint64 m_outputBytes = 0;
    qint64 m_turnBytes = 0; // delivered anywhere since the I/O thread was last given back
    std::optional<qint64> m_pid;
    std::unique_ptr<ArmedTimer> m_backstop;
    bool m_mainEnded = false;
    bool m_over = false; // nothing more will be reported
    bool m_pumpQueued = false;
};

} // namespace Sandboxio::Fake
