// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shell/desktopoptions.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTemporaryDir>

#include <chrono>
#include <functional>
#include <memory>

class QTimer;

namespace Sandboxio {
class Engine;
}

namespace Sandboxio::Desktop {

class MainWindow;

/*! One step of a script: do something once, then wait in the event loop until a condition holds. */
struct Step
{
    QString name;                 //!< what is being shown, for the report
    std::function<void()> action; //!< may be empty
    std::function<bool()> isDone; //!< empty: at once
};

/*! Runs steps in the real window, one after the other, without ever blocking the event loop. Fails when a step does
    not come to its end within the limit. Settings, state and output are kept in a temporary folder. */
class Script : public QObject
{
    Q_OBJECT
public:
    explicit Script(std::chrono::milliseconds limit, QObject *parent = nullptr);
    ~Script() override;

    /*! Prepares and runs the steps. */
    void start();

Q_SIGNALS:
    /*! The step \a name begins. */
    void stepStarted(const QString &name);
    /*! 0 when every step came to its end, else 1. */
    void ended(int code);

protected:
    void addStep(const QString &name, std::function<void()> action, std::function<bool()> isDone = {});
    /*! Waits until the first target of the window is live. */
    void addBackendStep();
    /*! Ends the script as failed. */
    void fail(const QString &reason);
    /*! Opens the window with \a options, except for the places where it writes. */
    void openWindow(const DesktopOptions &options);
    Engine *engine() const { return m_engine.get(); }
    /*! Null before openWindow(). */
    MainWindow *window() const { return m_window.get(); }

    /*! Opens the window and whatever else the steps need, before the first event. The engine is there. */
    virtual void prepare() = 0;
    /*! Called once before ended(), to end what the script made; by default hides the window and kills the sandboxes
        of the engine. \a done must be called. */
    virtual void tearDown(std::function<void()> done);
    /*! Destroys window and engine. */
    void destroyWindow();

private:
    void poll();
    void finish(int code);
    QString situation() const;

    QTemporaryDir m_folder;
    std::unique_ptr<Engine> m_engine;
    std::unique_ptr<MainWindow> m_window;
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
