// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakescript.h"

#include "store_p.h"

#include <QCoreApplication>
#include <QMutex>

#include <ranges>

namespace Sandboxio::Fake {

namespace {

struct Rule
{
    Script::Match match;
    Answer answer;
};

} // namespace

class Script::Private
{
public:
    std::optional<Answer> find(const QList<Rule> &rules, const QString &text) const
    {
        const QMutexLocker locker(&mutex);
        for (const Rule &rule : rules | std::views::reverse) {
            if (rule.match(text))
                return rule.answer;
        }
        return std::nullopt;
    }

    mutable QMutex mutex;
    QList<Rule> commands;
    QList<Rule> code;
    std::function<NetworkProbeResult(const NetworkProbe &)> probe;
    Faults faults;
    QList<Call> calls;
    std::shared_ptr<Store> store = std::make_shared<Store>();
};

Script::Script()
    : d(std::make_unique<Private>())
{}

Script::~Script() = default;

void Script::onRun(Match match, const Answer &answer)
{
    const QMutexLocker locker(&d->mutex);
    d->commands.append({std::move(match), answer});
}

void Script::onRun(const QString &line, const Answer &answer)
{
    onRun([line](const QString &text) { return text == line; }, answer);
}

void Script::onRunCode(Match match, const Answer &answer)
{
    const QMutexLocker locker(&d->mutex);
    d->code.append({std::move(match), answer});
}

void Script::onRunCode(const QString &code, const Answer &answer)
{
    onRunCode([code](const QString &text) { return text == code; }, answer);
}

void Script::onProbe(std::function<NetworkProbeResult(const NetworkProbe &)> answer)
{
    const QMutexLocker locker(&d->mutex);
    d->probe = std::move(answer);
}

void Script::setFaults(const Faults &faults)
{
    const QMutexLocker locker(&d->mutex);
    d->faults = faults;
}

Faults Script::faults() const
{
    const QMutexLocker locker(&d->mutex);
    return d->faults;
}

QList<Call> Script::calls() const
{
    const QMutexLocker locker(&d->mutex);
    return d->calls;
}

void Script::clearCalls()
{
    const QMutexLocker locker(&d->mutex);
    d->calls.clear();
}

void Script::addManaged(const ManagedSandbox &sandbox)
{
    Record record;
    record.managed = sandbox;
    record.files = MemoryFiles(sandbox.createdAt);
    d->store->insertAs(record);
}

void Script::addForeign(const QString &id)
{
    Record record;
    record.managed.id = id;
    record.managed.name = id;
    record.managed.state = SandboxState::Running;
    record.isManaged = false;
    d->store->insertAs(record);
}

void Script::lose(const QString &id)
{
    d->store->remove(id);
}

QStringList Script::sandboxes() const
{
    QStringList ids;
    for (const Record &record : d->store->all())
        ids.append(record.managed.id);
    return ids;
}

QStringList Script::runningProcesses() const
{
    QStringList lines;
    for (const Record &record : d->store->all())
        lines.append(record.processes.values());
    return lines;
}

std::shared_ptr<Store> Script::store() const
{
    return d->store;
}

std::optional<Answer> Script::answerFor(const QString &line) const
{
    return d->find(d->commands, line);
}

std::optional<Answer> Script::answerForCode(const QString &code) const
{
    return d->find(d->code, code);
}

NetworkProbeResult Script::probeResult(const NetworkProbe &probe, NetworkPolicy::Egress egress) const
{
    std::function<NetworkProbeResult(const NetworkProbe &)> answer;
    {
        const QMutexLocker locker(&d->mutex);
        answer = d->probe;
    }
    if (answer)
        return answer(probe);
    const QString detail =
        QCoreApplication::translate("Sandboxio::Fake", "The in-memory backend has no network.");
    const bool denied = egress == NetworkPolicy::Egress::Deny;
    return {denied ? NetworkProbeResult::Kind::Unreachable : NetworkProbeResult::Kind::NotTried, detail};
}

void Script::record(const Call &call)
{
    const QMutexLocker locker(&d->mutex);
    d->calls.append(call);
}

Script::Match contains(const QString &part)
{
    return [part](const QString &text) {
        return text.contains(part);
    };
}

Script::Match anything()
{
    return [](const QString &) {
        return true;
    };
}

} // namespace Sandboxio::Fake
