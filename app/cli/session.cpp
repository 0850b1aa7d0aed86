// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "session.h"

#include "exitcode.h"
#include "translation.h"

#include <cstdlib>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

Session::Session()
{
    QObject::connect(&m_interruption, &Interruption::interrupted, &m_interruption, [this] {
        m_console.notice(Text::tr("Cancelling; once more to leave at once."));
        m_console.writer().abandon();
    });
    QObject::connect(&m_interruption, &Interruption::interruptedAgain, &m_interruption,
                     [this](int signal) { leaveAtOnce(signal); });
}

Session::~Session() = default;

Engine &Session::engine()
{
    if (!m_engine) {
        EngineOptions options;
        options.detached = m_keepsSandboxes;
        m_engine = std::make_unique<Engine>(options);
        QObject::connect(
            m_engine.get(), &Engine::warningRaised, m_engine.get(), [this](const EngineWarning &warning) {
                m_console.notice(
                    m_console.errorStyle().paint(Text::tr("Warning: %1").arg(warning.message), Tone::Caution));
            });
    }
    return *m_engine;
}

QCoro::Task<> Session::closeEngine()
{
    if (m_engine)
        co_await m_engine->shutdown();
    m_engine.reset();
}

int Session::stop(const ParseStop &stop)
{
    if (stop.error)
        return fail(*stop.error);
    m_console.print(stop.help);
    return ExitCode::success;
}

int Session::fail(const ErrorInfo &error)
{
    m_console.showError(error);
    return exitCodeOf(error);
}

void Session::leaveAtOnce(int signal)
{
    if (!m_remainder.isEmpty())
        m_console.notice(m_remainder);
    std::_Exit(exitCodeOfSignal(signal));
}

} // namespace Sandboxio::Cli
