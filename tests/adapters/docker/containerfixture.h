// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dockerapi.h"
#include "dockersandbox.h"

#include <QObject>
#include <QTest>

#include <memory>

namespace Sandboxio::Docker {

/*! Runs the event loop until \a done; false when that takes longer than \a limit. Never sleeps, unlike
    QTest::qWaitFor(), so that tests may measure. */
bool spinUntil(const std::function<bool()> &done, std::chrono::milliseconds limit);

/*! Waits for \a operation with a running event loop and returns its value or throws. */
template <typename T>
T await(const Operation<T> &operation, std::chrono::milliseconds limit = std::chrono::seconds(30))
{
    if (!spinUntil([&] { return operation.isEnded(); }, limit))
        qFatal("An operation did not end within %lld ms.", static_cast<long long>(limit.count()));
    return operation.result();
}

/*! The error of an operation that must fail. */
template <typename T>
ErrorInfo awaitError(const Operation<T> &operation)
{
    try {
        await(operation);
    } catch (const SandboxError &error) {
        return error.info();
    }
    return makeError(ErrorKind::SandboxError, QStringLiteral("it did not fail"));
}

/*! What the container of a test is made of. */
struct ContainerOptions
{
    QMap<QString, QString> env = {};
    QMap<QString, Secret> secrets = {};
    qint64 memoryMb = 256;
    std::chrono::milliseconds lifetime = std::chrono::minutes(5);
    QString user = {};
};

/*! Makes real containers with the guest as PID 1, and removes them. Everything carries the label of the test
 * run. */
class ContainerFixture
{
public:
    /*! Absent: no daemon is named by DOCKER_HOST, or it has no test image; \a why says so. */
    static std::unique_ptr<ContainerFixture> make(QString *why);
    ~ContainerFixture();

    std::shared_ptr<DockerSandbox> create(const ContainerOptions &options = {});
    /*! Another client of the sandbox's container. */
    std::shared_ptr<DockerSandbox> connectTo(const QString &id);
    QJsonObject inspect(const QString &id);
    std::shared_ptr<Api> api() const { return m_api; }

private:
    explicit ContainerFixture(std::shared_ptr<Api> api);
    QString createContainer(const ContainerOptions &options);
    SandboxSetup setupOf(const QString &id, const ContainerOptions &options) const;

    QObject m_ioObject;
    EngineContext m_context;
    std::shared_ptr<Api> m_api;
    QStringList m_ids;
};

/*! Collects what happens to a process and gives every byte back at once, unless told not to. */
class RecordingEvents final : public ProcessEvents
{
public:
    void started(std::optional<qint64> pid) override;
    void output(OutputStream stream, const QByteArray &data) override;
    void outputLost(OutputStream stream, qint64 bytes) override;
    void streamEnded(OutputStream stream) override;
    void exited(const ExitStatus &status) override;
    void failed(const ErrorInfo &error) override;
    void richOutput(const RichOutput &output) override;

    bool ended() const { return error || (status && endedStreams == 2); }
    QByteArray both() const { return standardOutput + standardError; }

    ProcessPort *process = nullptr; //!< acknowledged to; null: never
    bool keep = true;               //!< the bytes
    int startedCalls = 0;
    std::optional<qint64> pid;
    QByteArray standardOutput;
    QByteArray standardError;
    qint64 received = 0;
    qint64 lost = 0;
    int endedStreams = 0;
    int exitedCalls = 0;
    int failedCalls = 0;
    std::optional<ExitStatus> status;
    std::optional<ErrorInfo> error;
    QStringList breaches; //!< calls that the contract forbids
};

/*! A process with its events. */
struct Running
{
    std::unique_ptr<RecordingEvents> events = std::make_unique<RecordingEvents>();
    std::unique_ptr<ProcessPort> process;

    Running(DockerSandbox &sandbox, const ProcessRequest &request);
    /*! Waits for the end. */
    RecordingEvents &wait(std::chrono::milliseconds limit = std::chrono::seconds(30));
};

ProcessRequest commandRequest(const Command &command, const RunOptions &options = {});
ProcessRequest shellRequest(const QString &text, const RunOptions &options = {});
ProcessRequest codeRequest(const QByteArray &code, const QString &language = QStringLiteral("python"));

} // namespace Sandboxio::Docker
