// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dockerbackend.h"

#include <QEventLoop>
#include <QObject>
#include <QTest>

#include <memory>

namespace Sandboxio::Docker {

inline constexpr const char *testImage = "sandboxio-test:1";

/*! Waits for \a operation with a running event loop and returns its value or throws. */
template <typename T>
T waitFor(const Operation<T> &operation, std::chrono::milliseconds limit = std::chrono::seconds(60))
{
    if (!QTest::qWaitFor([&] { return operation.isEnded(); }, limit))
        qFatal("An operation did not end within %lld ms.", static_cast<long long>(limit.count()));
    return operation.result();
}

/*! The error of an operation that must fail; its message is "it did not fail" otherwise. */
template <typename T>
ErrorInfo errorOf(const Operation<T> &operation)
{
    try {
        waitFor(operation);
    } catch (const SandboxError &error) {
        return error.info();
    }
    return makeError(ErrorKind::SandboxError, QStringLiteral("it did not fail"));
}

/*! A backend on the daemon that DOCKER_HOST names, in the test's own thread. Removes what carries its test's
 * label. */
class BackendFixture
{
public:
    /*! Null when no daemon answers or it lacks the test image; \a why says so. */
    static std::unique_ptr<BackendFixture> make(QString *why);
    ~BackendFixture();
    /*! Pauses the container \a id as somebody else would. */
    void pauseByOthers(const QString &id);

    BackendPort &backend() { return *m_backend; }
    Api &api() { return *m_api; }
    EngineContext &context() { return m_context; }
    /*! The test image, labels of the test run and of this fixture, a lifetime of 60 s. */
    CreateOptions options() const;
    const QMap<QString, QString> &metadata() const { return m_metadata; }
    std::shared_ptr<SandboxPort> create(const CreateOptions &options);
    QJsonObject inspect(const QString &id);
    /*! Containers and volumes with this fixture's label. */
    QStringList leftovers();
    /*! A backend with another target. */
    std::unique_ptr<DockerBackend> other(const Target &target);

    QList<EngineWarning> warnings;

private:
    BackendFixture();
    QUrlQuery ownQuery() const;
    QStringList containers();

    QObject m_ioObject;
    EngineContext m_context;
    QMap<QString, QString> m_metadata;
    std::shared_ptr<Api> m_api;
    std::unique_ptr<DockerBackend> m_backend;
};

/*! Runs \a command in \a sandbox and returns what it wrote to both streams. */
QByteArray outputOf(SandboxPort &sandbox, const QStringList &command);

} // namespace Sandboxio::Docker
