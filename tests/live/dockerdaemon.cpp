// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"

#include "support/freezing.h"

#include <QProcess>
#include <QTest>
#include <QUuid>

namespace Sandboxio::Live {

using namespace Qt::StringLiterals;

namespace {
constexpr int commandLimitMs = 30'000;

std::optional<QByteArray> tryDocker(const QStringList &arguments, QString *problem)
{
    QProcess process;
    process.start(u"docker"_s, arguments);
    if (!process.waitForFinished(commandLimitMs) || process.exitStatus() != QProcess::NormalExit ||
        process.exitCode() != 0) {
        *problem = process.errorString() + u' ' + QString::fromUtf8(process.readAllStandardError());
        return std::nullopt;
    }
    return process.readAllStandardOutput();
}
} // namespace

QString testRun()
{
    static const QString run =
        qEnvironmentVariable("SANDBOXIO_TEST_RUN", QUuid::createUuid().toString(QUuid::WithoutBraces));
    return run;
}

QString testImage()
{
    return qEnvironmentVariable("SANDBOXIO_TEST_IMAGE", u"sandboxio-test:1"_s);
}

QString daemonSocket()
{
    const QString host = qEnvironmentVariable("DOCKER_HOST", u"unix:///var/run/docker.sock"_s);
    return host.startsWith("unix://"_L1) ? host.sliced(7) : QString();
}

QString missingDaemon()
{
    return missingImage(testImage());
}

QString missingImage(const QString &image)
{
    QString problem;
    if (!tryDocker({u"image"_s, u"inspect"_s, image}, &problem))
        return u"no Docker daemon with the image %1: %2"_s.arg(image, problem.simplified());
    return {};
}

QByteArray docker(const QStringList &arguments)
{
    QString problem;
    const std::optional<QByteArray> output = tryDocker(arguments, &problem);
    if (!output)
        QTest::qFail(qPrintable(u"docker %1: %2"_s.arg(arguments.join(u' '), problem)), __FILE__, __LINE__);
    return output.value_or(QByteArray());
}

void pause(const QString &id)
{
    const QString problem = pauseForCertain([&] {
        QString why;
        return tryDocker({u"pause"_s, id}, &why) ? QString() : why;
    });
    if (!problem.isEmpty())
        QTest::qFail(qPrintable(u"docker pause %1: %2"_s.arg(id, problem)), __FILE__, __LINE__);
}

ErrorInfo errorOf(const Operation<ExecResult> &run)
{
    try {
        const ExecResult result = run.result();
        return makeError(ErrorKind::SandboxError, u"it did not fail: "_s + result.text());
    } catch (const SandboxError &error) {
        return error.info();
    }
}

QStringList containersWith(const QString &name, const QString &value)
{
    const QByteArray ids = docker({u"ps"_s, u"--all"_s, u"--quiet"_s, u"--no-trunc"_s, u"--filter"_s,
                                   u"label=io.sandboxio.meta.%1=%2"_s.arg(name, value)});
    return QString::fromLatin1(ids).split(u'\n', Qt::SkipEmptyParts);
}

Target target()
{
    return {.backend = u"docker"_s, .templateId = testImage(), .parameters = {}};
}

CreateOptions createOptions(const QString &subject)
{
    return {.metadata = {{u"test_run"_s, testRun()}, {u"subject"_s, subject}}};
}

} // namespace Sandboxio::Live
