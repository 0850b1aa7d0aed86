// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"

#include <sandboxio/models/sandboxtexts.h>

#include <QLocale>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

Run::Run(const SandboxPtr &sandbox, const RunContent &content, const OutputLogOptions &options, QObject *parent)
    : QObject(parent)
    , m_sandbox(sandbox)
    , m_content(content)
    , m_log(options)
{
    connect(&m_log, &OutputLog::changed, this, &Run::pull);
    connect(&m_log, &OutputLog::finished, this, [this] { setState(State::Ended); });
}

Run::~Run() = default;

void Run::start()
{
    m_elapsed.start();
    setState(State::Starting);
    if (!m_content.context) {
        begin({});
        return;
    }
    m_content.context->then(this, [this](const QString &context) { begin(context); })
        .onError(this, [this](const ErrorInfo &error) { end({}, {}, error); })
        .onCancelled(this, [this] { end({}, {}, {}); });
}

void Run::begin(const QString &context)
{
    if (m_endKnown)
        return; // it was interrupted before
    try {
        m_process =
            m_content.isCommandLine()
                ? m_sandbox->stream(Command::shell(m_content.text))
                : m_sandbox->streamCode(m_content.text, {.language = m_content.language, .context = context});
        connect(m_process.get(), &Process::started, this, [this] {
            if (m_state == State::Starting)
                setState(State::Running);
        });
        connect(m_process.get(), &Process::ended, this, &Run::end);
        std::ignore = m_process->start(Process::ConsumerMode::Pull); // ended() tells when it fails
        pull();
    } catch (const SandboxError &error) {
        end({}, {}, error.info());
    }
}

// Takes the next piece of output as soon as the log has room: what the disk cannot keep up with waits at its
// source, not in memory.
void Run::pull()
{
    if (m_pulling || m_outputEnded || !m_process || m_log.pendingBytes() >= OutputLog::enoughPending)
        return;
    m_pulling = true;
    m_process->nextChunk()
        .then(this,
              [this](const std::optional<OutputChunk> &chunk) {
                  m_pulling = false;
                  if (chunk) {
                      m_log.append(*chunk);
                      m_endKnown ? endOutput() : pull(); // the end comes after the last piece
                  } else {
                      endOutput();
                  }
              })
        .onError(this, [this](const ErrorInfo &) { endOutput(); })
        .onCancelled(this, [this] { endOutput(); });
}

// The run is over when its end is known and all that it printed is kept.
void Run::endOutput()
{
    m_pulling = false;
    m_outputEnded = true;
    if (m_endKnown)
        m_log.finish();
}

void Run::interrupt()
{
    if (m_state == State::Starting && !m_process) {
        end({RunOutcome::Kind::Killed, 0}, {}, {});
        return;
    }
    if (!m_process || (m_state != State::Starting && m_state != State::Running))
        return;
    setState(State::Interrupting);
    m_process->kill().onError(this, [this](const ErrorInfo &error) {
        if (m_endKnown)
            return; // the end says more
        m_error = error;
        if (m_state == State::Interrupting)
            setState(State::Running);
    });
}

void Run::end(const RunOutcome &outcome, const std::optional<ExecResult> &result,
              const std::optional<ErrorInfo> &error)
{
    if (std::exchange(m_endKnown, true))
        return;
    m_outcome = outcome;
    m_error = error;
    if (result)
        m_results = result->results.value_or(QList<RichOutput>());
    m_duration = result ? result->duration : std::chrono::nanoseconds(m_elapsed.nsecsElapsed());
    if (m_process)
        m_process.release()->deleteLater(); // we may be inside its signal
    if (m_outputEnded || !m_pulling)
        m_log.finish();
}

std::chrono::nanoseconds Run::duration() const
{
    if (m_state == State::Idle || m_endKnown)
        return m_duration;
    return std::chrono::nanoseconds(m_elapsed.nsecsElapsed());
}

QString Run::statusText() const
{
    const QLocale locale;
    const auto size = [&](OutputStream stream) {
        return locale.formattedDataSize(m_log.byteCount(stream));
    };
    const QString bytes =
        tr("output %1, errors %2").arg(size(OutputStream::StandardOutput), size(OutputStream::StandardError));
    const QString time = runDurationText(duration());
    switch (m_state) {
    case State::Idle:
        return tr("Not run yet");
    case State::Starting:
        return tr("Starting");
    case State::Running:
        return tr("Running for %1 · %2").arg(time, bytes);
    case State::Interrupting:
        return tr("Interrupting");
    case State::Ended:
        break;
    }
    return tr("%1 · %2 · %3").arg(outcomeLabel(m_outcome), time, bytes);
}

void Run::setState(State state)
{
    m_state = state;
    Q_EMIT stateChanged();
}

} // namespace Sandboxio::Desktop
