// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "reaper.h"

#include "creation.h"
#include "daemonfacts.h"
#include "keeperlaunch.h"
#include "texts.h"

#include <QJsonDocument>
#include <QRegularExpression>

#include <algorithm>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype pageSize = 200;

QUrlQuery listQuery(const QMap<QString, QString> &metadata)
{
    QJsonArray labels{QLatin1StringView(managedLabel) + "=true"_L1};
    for (const auto &[name, value] : metadata.asKeyValueRange())
        labels.append(QLatin1StringView(metadataPrefix) + name + u'=' + value);
    const QJsonObject filters{{"label"_L1, labels}};
    return {{u"all"_s, u"1"_s},
            {u"filters"_s, QString::fromUtf8(QJsonDocument(filters).toJson(QJsonDocument::Compact))}};
}

bool hasAll(const ManagedSandbox &sandbox, const QMap<QString, QString> &metadata)
{
    return std::ranges::all_of(metadata.keys(), [&](const QString &key) {
        return sandbox.metadata.contains(key) && sandbox.metadata.value(key) == metadata.value(key);
    });
}

QCoro::Task<std::optional<ManagedSandbox>> inspectSteps(std::shared_ptr<Api> api, EngineContext *engine,
                                                        Target target, QString id)
{
    const Purpose purpose{ErrorKind::ConnectError, Text::tr("look at the sandbox '%1'").arg(id)};
    const auto facts = co_await inspectContainer(api, id, purpose);
    if (!facts || !facts->labels.managed)
        co_return std::nullopt;
    co_return managedSandbox(*facts, target, engine->clock->wallTime());
}

/*! The Python sandboxio restarts its containers, and their time begins anew; a listing tells only when they were
    created. */
bool mayHaveStartedAnew(const ManagedSandbox &sandbox, const QDateTime &now)
{
    return sandbox.owner.foreign && sandbox.state == SandboxState::Running && sandbox.expiresAt.isValid() &&
           sandbox.expiresAt <= now;
}

QCoro::Task<ManagedSandbox> startedAgain(std::shared_ptr<Api> api, EngineContext *engine, ManagedSandbox listed)
{
    try {
        const auto inspected = co_await inspectSteps(api, engine, listed.target, listed.id);
        co_return inspected.value_or(listed);
    } catch (const SandboxError &) {
        // It was listed; that nobody can look at it closer now is no reason to hide it.
    }
    co_return ManagedSandbox(listed);
}

QCoro::Task<QList<ManagedSandbox>> listSteps(std::shared_ptr<Api> api, EngineContext *engine, Target target,
                                             QMap<QString, QString> metadata,
                                             std::function<void(const QList<ManagedSandbox> &)> page)
{
    const Call list{.purpose = {ErrorKind::ConnectError, Text::tr("list the containers")}};
    const QByteArray body = co_await api->get(u"/containers/json"_s, listQuery(metadata), list);
    const QJsonArray entries = arrayOf(body, list.purpose);
    const QDateTime now = engine->clock->wallTime();
    QList<ManagedSandbox> all;
    for (const QJsonValue entry : entries) {
        const auto sandbox = managedSandboxOfEntry(entry.toObject(), target, now);
        if (sandbox && hasAll(*sandbox, metadata))
            all.append(*sandbox);
    }
    for (ManagedSandbox &sandbox : all) {
        if (mayHaveStartedAnew(sandbox, now))
            sandbox = co_await startedAgain(api, engine, sandbox);
    }
    for (qsizetype begin = 0; page && begin < all.size(); begin += pageSize)
        page(all.mid(begin, pageSize));
    co_return all;
}

QCoro::Task<bool> killSteps(std::shared_ptr<Api> api, EngineContext *engine, QString id)
{
    const Purpose purpose{ErrorKind::ConnectError, Text::tr("remove the sandbox '%1'").arg(id)};
    const auto facts = co_await inspectContainer(api, id, purpose);
    if (!facts)
        co_return false;
    if (!facts->labels.managed)
        makeError(ErrorKind::ConnectError, Text::tr("The container '%1' is not a sandbox of ours.").arg(id),
                  Text::tr("Remove it with `docker rm -f`, if that is what you want."))
            .raise();
    if (facts->state == SandboxState::Paused && needsKeeper(runtimeTier(facts->runtime).tier))
        co_await letGoOn(api, facts->id);
    co_await removeContainer(api, engine, facts->id);
    co_return true;
}

} // namespace

bool isContainerId(const QString &id)
{
    static const QRegularExpression pattern(u"^[A-Za-z0-9][A-Za-z0-9_.-]*\\z"_s);
    return pattern.match(id).hasMatch();
}

QCoro::Task<std::optional<ContainerFacts>> inspectContainer(std::shared_ptr<Api> api, QString id,
                                                            Purpose purpose)
{
    if (!isContainerId(id))
        co_return std::nullopt;
    try {
        const QByteArray body = co_await api->get(u"/containers/%1/json"_s.arg(id), {}, {.purpose = purpose});
        const auto facts = containerFacts(objectOf(body, purpose));
        if (!facts)
            malformedAnswer(u"no id"_s, purpose).raise();
        co_return facts;
    } catch (const SandboxError &error) {
        if (!isStatus(error.info(), 404))
            throw;
    }
    co_return std::nullopt;
}

Reaper::Reaper(std::shared_ptr<Api> api, EngineContext *engine, Target target)
    : m_api(std::move(api))
    , m_engine(engine)
    , m_target(std::move(target))
{}

Operation<QList<ManagedSandbox>> Reaper::listManaged(const QMap<QString, QString> &metadata,
                                                     std::function<void(const QList<ManagedSandbox> &)> page)
{
    return operationOf(listSteps(m_api, m_engine, m_target, metadata, std::move(page)));
}

Operation<std::optional<ManagedSandbox>> Reaper::inspectManaged(const QString &id)
{
    return operationOf(inspectSteps(m_api, m_engine, m_target, id));
}

Operation<bool> Reaper::killManaged(const QString &id)
{
    return operationOf(killSteps(m_api, m_engine, id));
}

} // namespace Sandboxio::Docker
