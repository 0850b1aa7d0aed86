// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QSocketNotifier>

#include <optional>

namespace Sandboxio::Cli {

/*! SIGINT, SIGTERM and SIGHUP as events: the first asks for the end, the second for the end at once. One
    instance at a time; the handlers of before come back with its destructor. SIGPIPE is ignored meanwhile,
    writes report EPIPE. */
class Interruption : public QObject
{
    Q_OBJECT
public:
    explicit Interruption(QObject *parent = nullptr);
    ~Interruption() override;

    /*! The first signal that came. */
    std::optional<int> signal() const { return m_signal; }

Q_SIGNALS:
    void interrupted(int signal);
    void interruptedAgain(int signal);

private:
    void readSignal();

    std::optional<int> m_signal;
    std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace Sandboxio::Cli
