// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "arguments.h"
#include "console.h"
#include "interruption.h"

#include <sandboxio/core/operation.h>
#include <sandboxio/runtime/engine.h>

#include <QCoroTask>

#include <memory>

namespace Sandboxio::Cli {

/*! What one invocation shares between its parts: the console, the engine, the signals. Lives in the main thread
    until the program ends. */
class Session
{
public:
    Session();
    ~Session();
    Q_DISABLE_COPY_MOVE(Session)

    Console &console() { return m_console; }
    Interruption &interruption() { return m_interruption; }
    /*! The engine, made by the first call. */
    Engine &engine();
    /*! Lets the engine finish its teardowns. */
    QCoro::Task<> closeEngine();

    /*! Sandboxes that this invocation creates are meant to outlive it. Call it before engine(). */
    void setKeepsSandboxes() { m_keepsSandboxes = true; }
    /*! What a person must know when the program leaves without cleaning up; empty: nothing. */
    void setRemainder(const QString &text) { m_remainder = text; }

    /*! Shows the help or the error of \a stop; the exit code. */
    int stop(const ParseStop &stop);
    /*! Shows \a error; the exit code. */
    int fail(const ErrorInfo &error);

    /*! The end of \a operation, which the first signal cancels. */
    template <typename T>
    QCoro::Task<T> interruptible(Operation<T> operation)
    {
        QObject guard;
        QObject::connect(&m_interruption, &Interruption::interrupted, &guard,
                         [operation] { operation.cancel(); });
        if (m_interruption.signal())
            operation.cancel();
        co_return co_await operation;
    }

private:
    void leaveAtOnce(int signal);

    Console m_console;
    Interruption m_interruption;
    QString m_remainder;
    bool m_keepsSandboxes = false;
    std::unique_ptr<Engine> m_engine;
};

} // namespace Sandboxio::Cli
