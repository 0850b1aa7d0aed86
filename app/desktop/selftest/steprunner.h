// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>

#include <chrono>
#include <functional>

class QTimer;

namespace Sandboxio::Desktop {

/*! One step of a script: do something once, then wait in the event loop until a condition holds. */
struct Step
{
    QString name;                 //!< what is being shown, for the report
    std::function<void()> action; //!< may be empty
    std::function<bool()> isDone; //!< empty: at once
};

/*! Runs steps one after the other without ever blocking the event loop. Fails when a step does not come to its
    end within the limit. */
class Script : public QObject
{
    Q_OBJECT
public:
    explicit Script(std::chrono::milliseconds limit, QObject *parent = nullptr);

    /*! Prepares and runs the steps. */
    void start();

Q_SIGNALS:
    /*! The step \a name begins. */
    void stepStarted(const QString &name);
    /*! 0 when every step came to its end, else 1. */
    void ended(int code);

protected:
    void addStep(const QString &name, std::function<void()> action, std::function<bool()> isDone = {});
    /*! Ends the script as failed. */
    void fail(const QString &reason);
    /*! Builds what the steps need, before the first event. */
    virtual void prepare() = 0;
    /*! Called once before ended(), to end what the script made. \a done must be called. */
    virtual void tearDown(std::function<void()> done) = 0;
    /*! What was there when a step did not come to its end. */
    virtual QString situation() const { return {}; }

private:
    void poll();
    void finish(int code);

    QList<Step> m_steps;
    qsizetype m_current = 0;
    bool m_acted = false;
    bool m_ended = false;
    QTimer *m_poll;
    QElapsedTimer m_elapsed;
    QElapsedTimer m_stepElapsed;
    std::chrono::milliseconds m_limit;
};

} // namespace Sandboxio::Desktop
