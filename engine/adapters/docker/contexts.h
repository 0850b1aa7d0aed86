// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/task.h>
#include <sandboxio/guest/client/interpreter.h>

#include <QMap>
#include <QObject>

#include <memory>

namespace Sandboxio::Docker {

class DockerSandbox;

/*! Those of \a languages that can have contexts. */
QStringList contextLanguages(const QStringList &languages);

/*! The persistent interpreters of a sandbox. They belong to this connection: other clients do not see them, and they
    end with it. A context whose interpreter has ended stays in the list until it is restarted or removed. */
class Contexts
{
public:
    using InterpreterPtr = std::shared_ptr<Guest::Interpreter>;

    explicit Contexts(DockerSandbox &sandbox);
    ~Contexts();

    Operation<QString> create(const QString &language);
    QStringList ids() const { return m_contexts.keys(); }
    Operation<void> interrupt(const QString &id);
    Operation<void> restart(const QString &id);
    Operation<void> remove(const QString &id);

    /*! Empty when there is no such context. */
    QString languageOf(const QString &id) const { return m_contexts.value(id).language; }
    /*! Null when there is no such context. */
    InterpreterPtr find(const QString &id) const { return m_contexts.value(id).interpreter; }
    ErrorInfo unknown(const QString &id) const;
    /*! Why nothing can be run in the context \a id, whose \a interpreter has ended. */
    ErrorInfo ended(const QString &id, const Guest::Interpreter &interpreter) const;

private:
    using SandboxPtr = std::shared_ptr<DockerSandbox>;
    struct Context
    {
        QString language;
        InterpreterPtr interpreter;
    };

    static QCoro::Task<InterpreterPtr> startSteps(SandboxPtr sandbox, QString language);
    static QCoro::Task<QString> createSteps(SandboxPtr sandbox, QString language);
    static QCoro::Task<> restartSteps(SandboxPtr sandbox, QString id);
    static QCoro::Task<> removeSteps(SandboxPtr sandbox, QString id);
    ErrorInfo notStarted(const QString &language, const Guest::Interpreter &interpreter) const;

    DockerSandbox &m_sandbox;
    QMap<QString, Context> m_contexts;
};

} // namespace Sandboxio::Docker
