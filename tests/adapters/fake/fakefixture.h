// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/fake/fakeclock.h>
#include <sandboxio/fake/fakescript.h>
#include <sandboxio/ports/processport.h>

#include <QCoreApplication>
#include <QTest>

#include <stdexcept>

namespace Sandboxio::Fake {

/*! One backend on a virtual clock in the test's own thread. */
struct Fixture
{
    QObject io;
    std::shared_ptr<VirtualClock> clock = std::make_shared<VirtualClock>();
    std::shared_ptr<Script> script = std::make_shared<Script>();
    EngineContext context;
    std::unique_ptr<BackendPort> backend;

    explicit Fixture(const QString &dsn = QStringLiteral("fake://base"))
    {
        context.ioObject = &io;
        context.clock = clock;
        context.owner.session = QStringLiteral("test");
        backend = factory(script)(context, Target::fromDsn(dsn));
    }

    /*! Lets everything that is queued happen. */
    static void settle()
    {
        for (int i = 0; i < 20; ++i)
            QCoreApplication::processEvents();
    }
    template <typename T>
    static T valueOf(const Operation<T> &operation)
    {
        for (int i = 0; i < 1000 && !operation.isEnded(); ++i)
            QCoreApplication::processEvents();
        return operation.isEnded() ? operation.result()
                                   : throw std::runtime_error("the operation does not end");
    }
    template <typename T>
    static ErrorInfo errorOf(const Operation<T> &operation)
    {
        for (int i = 0; i < 1000 && !operation.isEnded(); ++i)
            QCoreApplication::processEvents();
        return operation.error();
    }
    std::shared_ptr<SandboxPort> create(const CreateOptions &options = {})
    {
        const CreatePlan plan = valueOf(backend->plan(options));
        return valueOf(backend->create(plan));
    }
};

/*! Everything that happened to one process. Acknowledges at once unless told to hold back. */
struct Recorder final : ProcessEvents
{
    std::optional<qint64> pid;
    int starts = 0;
    QByteArray out;
    QByteArray err;
    qint64 lost = 0;
    QList<OutputStream> ended;
    std::optional<ExitStatus> status;
    std::optional<ErrorInfo> failure;
    QList<RichOutput> rich;
    QStringList order;
    bool acknowledges = true;
    std::unique_ptr<ProcessPort> process;

    void started(std::optional<qint64> number) override
    {
        pid = number;
        ++starts;
        order << QStringLiteral("started");
    }
    void output(OutputStream stream, const QByteArray &data) override
    {
        (stream == OutputStream::StandardOutput ? out : err) += data;
        if (acknowledges)
            process->acknowledge(stream, data.size());
    }
    void outputLost(OutputStream, qint64 bytes) override { lost += bytes; }
    void streamEnded(OutputStream stream) override
    {
        ended << stream;
        order << QStringLiteral("streamEnded");
    }
    void exited(const ExitStatus &how) override
    {
        status = how;
        order << QStringLiteral("exited");
    }
    void failed(const ErrorInfo &error) override
    {
        failure = error;
        order << QStringLiteral("failed");
    }
    void richOutput(const RichOutput &output) override { rich << output; }

    void start(SandboxPort &sandbox, const ProcessRequest &request) { process = sandbox.start(request, this); }
    bool isOver() const { return failure || ended.size() == 2; }
    bool finish()
    {
        for (int i = 0; i < 20000 && !isOver(); ++i)
            QCoreApplication::processEvents();
        return isOver();
    }
};

inline ProcessRequest commandRequest(const Command &command, const RunOptions &options = {})
{
    ProcessRequest request;
    request.command = command;
    request.options = options;
    return request;
}

inline ProcessRequest codeRequest(const QByteArray &code, const RunCodeOptions &options = {})
{
    ProcessRequest request;
    request.code = code;
    request.codeOptions = options;
    return request;
}

} // namespace Sandboxio::Fake
