// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "interruption.h"

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace Sandboxio::Cli {

namespace {

constexpr std::array handledSignals{SIGINT, SIGTERM, SIGHUP};

// The handler may use nothing but these.
std::array<int, 2> signalPipe{-1, -1};
std::array<struct sigaction, handledSignals.size()> previousActions;
struct sigaction previousPipeAction;

void forwardSignal(int signal)
{
    const int savedError = errno;
    const auto byte = static_cast<unsigned char>(signal);
    // A full pipe means that signals enough are on their way.
    [[maybe_unused]] const ssize_t written = ::write(signalPipe[1], &byte, 1);
    errno = savedError;
}

} // namespace

Interruption::Interruption(QObject *parent)
    : QObject(parent)
{
    if (::pipe2(signalPipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        qFatal("no pipe for signals: errno %d", errno);
    m_notifier = std::make_unique<QSocketNotifier>(signalPipe[0], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &Interruption::readSignal);

    struct sigaction action = {};
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    action.sa_handler = forwardSignal;
    for (std::size_t i = 0; i < handledSignals.size(); ++i) {
        ::sigaction(handledSignals.at(i), nullptr, &previousActions.at(i));
        // What was ignored at the start (nohup, background jobs of a script) stays ignored.
        if (previousActions.at(i).sa_handler != SIG_IGN)
            ::sigaction(handledSignals.at(i), &action, nullptr);
    }
    action.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &action, &previousPipeAction);
}

Interruption::~Interruption()
{
    for (std::size_t i = 0; i < handledSignals.size(); ++i)
        ::sigaction(handledSignals.at(i), &previousActions.at(i), nullptr);
    ::sigaction(SIGPIPE, &previousPipeAction, nullptr);
    m_notifier.reset();
    for (int &end : signalPipe)
        ::close(std::exchange(end, -1));
}

void Interruption::readSignal()
{
    unsigned char byte = 0;
    while (::read(signalPipe[0], &byte, 1) == 1) {
        if (m_signal) {
            Q_EMIT interruptedAgain(byte);
        } else {
            m_signal = byte;
            Q_EMIT interrupted(byte);
        }
    }
}

} // namespace Sandboxio::Cli
