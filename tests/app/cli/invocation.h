// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>

#include <memory>

/*! The real `sandboxio` binary as a child process. A child that still runs at the end of the scope is killed.
 */
class Invocation
{
public:
    /*! Prepares `sandboxio arguments…`; start() starts it. */
    explicit Invocation(const QStringList &arguments);
    ~Invocation();
    Q_DISABLE_COPY_MOVE(Invocation)

    QProcess &process() { return m_process; }
    void setVariable(const QString &name, const QString &value);
    void start();
    /*! Sends \a signal to the child. */
    void signal(int signal);
    /*! Whether \a text appeared on standard error within \a limitMs; what came is kept. */
    bool waitForError(const QByteArray &text, int limitMs = 30000);
    bool waitForOutput(const QByteArray &text, int limitMs = 30000);
    /*! Whether it ended within \a limitMs. */
    bool finish(int limitMs = 60000);

    /*! The exit code; -1 when it did not end by exiting. */
    int exitCode() const;
    const QByteArray &output() const { return m_output; }
    const QByteArray &error() const { return m_error; }
    /*! Standard output as a JSON object; empty when it is none. */
    QJsonObject json() const;
    /*! Everything known about the child, for messages of failing tests; valid until the next call. */
    const char *report() const;

private:
    bool waitFor(const QByteArray &text, QByteArray &collected, int limitMs);
    void collect();

    QProcess m_process;
    QByteArray m_output;
    QByteArray m_error;
    mutable QByteArray m_report;
};

/*! Runs `sandboxio arguments…` with \a input as its standard input and waits for its end. */
std::unique_ptr<Invocation> invoke(const QStringList &arguments, const QByteArray &input = {});

/*! The label that marks what this run of the tests makes: `--label test_run=…`. */
QStringList testLabel();
