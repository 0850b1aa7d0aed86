// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

// Gives arbitrary JSON to everything that turns a daemon's answers into values of ours.

#include "docker/apierror.h"
#include "docker/archiveentries.h"
#include "docker/containerfacts.h"
#include "docker/daemonfacts.h"
#include "docker/eventline.h"
#include "docker/imagefacts.h"
#include "docker/pullprogress.h"
#include "docker/sandboxloss.h"

#include <QJsonDocument>
#include <QTimeZone>

#include <cmath>
#include <cstdint>
#include <cstdlib>

using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace Qt::StringLiterals;

namespace {

void require(bool condition)
{
    if (!condition)
        std::abort();
}

void requireHelpful(const ErrorInfo &error)
{
    require(!error.message.isEmpty() && !error.hint.isEmpty());
}

void requireSane(const Resources &resources)
{
    require(!resources.cpu || (*resources.cpu > 0 && std::isfinite(*resources.cpu)));
    require(!resources.memoryMb || *resources.memoryMb > 0);
    require(!resources.diskMb || *resources.diskMb > 0);
    require(!resources.processes || *resources.processes > 0);
}

void requireSane(const ManagedSandbox &sandbox)
{
    require(!sandbox.id.isEmpty());
    require(!sandbox.expiresAt.isValid() || sandbox.expiresAt.offsetFromUtc() == 0);
}

void readContainer(const QJsonObject &object)
{
    const QDateTime now = QDateTime::fromSecsSinceEpoch(1'764'500'000, QTimeZone::UTC);
    const Target target{.backend = u"docker"_s, .templateId = {}, .parameters = {}};
    const LabelFacts labels = readLabels(object);
    requireSane(labels.resources);
    require(!labels.lifetime || labels.lifetime->count() >= 0);
    if (const auto entry = managedSandboxOfEntry(object, target, now))
        requireSane(*entry);
    const ContainerState state = containerState(object);
    require(state.running || !state.paused);
    const auto facts = containerFacts(object);
    if (!facts)
        return;
    requireSane(facts->labels.resources);
    const ManagedSandbox row = managedSandbox(*facts, target, now);
    requireSane(row);
    requireHelpful(sandboxGone(state, row, facts->labels.resources, now));
}

void readPull(const QByteArray &lines)
{
    PullProgress progress;
    const Purpose purpose{ErrorKind::CreationError, u"fetch the image"_s};
    for (const QByteArray &line : lines.split('\n')) {
        const auto step = progress.feed(line, purpose);
        if (!step) {
            requireHelpful(step.error());
            continue;
        }
        require(step->done >= 0 && (!step->total || *step->total > 0));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const QByteArray text(reinterpret_cast<const char *>(data + 1), static_cast<qsizetype>(size - 1));
    const Purpose purpose{ErrorKind::CreationError, u"create the container"_s};
    const ErrorInfo answer = errorOfAnswer(400 + data[0], text, purpose);
    requireHelpful(answer);
    require(answer.cause && answer.cause->text.size() < 3000);
    readPull(text);
    std::ignore = errorNumberOf(answer);
    if (const auto stat = pathStat(text.toBase64()))
        require(stat->mode <= 07777);
    if (const auto event = backendEvent(text))
        require(!event->id.isEmpty());
    const QJsonObject object = QJsonDocument::fromJson(text).object();
    if (object.isEmpty())
        return 0;
    readContainer(object);
    const DaemonFacts daemon = daemonFacts(object);
    require(!runtimeTier(daemon.defaultRuntime).source.isEmpty());
    const ImageFacts image = imageFacts(object);
    std::ignore = parseImageReference(image.id);
    if (const auto ids = resolveUser(image.user, image.workingDirectory.toUtf8(), image.searchPath.toUtf8()))
        require(ids->user >= 0 && ids->group >= 0);
    else
        requireHelpful(ids.error());
    return 0;
}
