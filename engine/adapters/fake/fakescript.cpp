// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakescript.h"
#include "texts_p.h"

#include "store_p.h"

#include <sandboxio/core/path.h>

#include <atomic>
#include <mutex>
#include <ranges>

namespace Sandboxio::Fake {

namespace {

struct Rule
{
    Script::Match match;
    Script::Reply reply;
};

Script::Match exactly(const QString &wanted)
{
    return [wanted](const QString &text) {
        return text == wanted;
    };
}

Script::Reply always(const Answer &answer)
{
    return [answer](const Call &) {
        return answer;
    };
}

} // namespace

class Script::Private
{
public:
    Reply find(const QList<Rule> &rules, const QString &text) const
    {
        const QList<Rule> current = [&] {
            const std::lock_guard locker(mutex);
            return rules;
        }();
        for (const Rule &rule : current | std::views::reverse) { // a match may look at the script
            if (rule.match(text))
                return rule.reply;
        }
        return {};
    }

    mutable std::mutex mutex;
    QList<Rule> commands;
    QList<Rule> code;
    ProbeReply probe;
    std::optional<SandboxStats> stats;
    Faults faults;
    QList<Call> calls;
    std::shared_ptr<Store> store = std::make_shared<Store>();
};

Script::Script()
    : d(std::make_unique<Private>())
{}

Script::~Script()
{
    d->store->stopMachine();
}

void Script::onRun(Match match, Reply reply)
{
    const std::lock_guard locker(d->mutex);
    d->commands.append({std::move(match), std::move(reply)});
}

void Script::onRun(Match match, const Answer &answer)
{
    onRun(std::move(match), always(answer));
}

void Script::onRun(const QString &line, const Answer &answer)
{
    onRun(exactly(line), always(answer));
}

void Script::onRunCode(Match match, Reply reply)
{
    const std::lock_guard locker(d->mutex);
    d->code.append({std::move(match), std::move(reply)});
}

void Script::onRunCode(Match match, const Answer &answer)
{
    onRunCode(std::move(match), always(answer));
}

void Script::onRunCode(const QString &code, const Answer &answer)
{
    onRunCode(exactly(code), always(answer));
}

void Script::onProbe(ProbeReply reply)
{
    const std::lock_guard locker(d->mutex);
    d->probe = std::move(reply);
}

void Script::setStats(const SandboxStats &stats)
{
    const std::lock_guard locker(d->mutex);
    d->stats = stats;
}

std::optional<SandboxStats> Script::stats() const
{
    const std::lock_guard locker(d->mutex);
    return d->stats;
}

void Script::setFaults(const Faults &faults)
{
    const std::lock_guard locker(d->mutex);
    d->faults = faults;
}

Faults Script::faults() const
{
    const std::lock_guard locker(d->mutex);
    return d->faults;
}

QList<Call> Script::calls() const
{
    const std::lock_guard locker(d->mutex);
    return d->calls;
}

QList<Call> Script::calls(Call::Kind kind) const
{
    QList<Call> found = calls();
    found.removeIf([kind](const Call &call) { return call.kind != kind; });
    return found;
}

void Script::clearCalls()
{
    const std::lock_guard locker(d->mutex);
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

bool Script::putFile(const QString &id, const QString &path, const QByteArray &content)
{
    bool done = false;
    d->store->with(id, [&](Record &record) {
        const QByteArray place = MemoryFiles::resolved(encodePath(path));
        const QDateTime &now = record.managed.createdAt;
        const QByteArray folder = place.first(std::max<qsizetype>(place.lastIndexOf('/'), 1));
        done = record.files.makeDirectory(folder, true, now) &&
               record.files.write(place, content, std::nullopt, now);
    });
    return done;
}

std::optional<QByteArray> Script::file(const QString &id, const QString &path) const
{
    std::optional<QByteArray> content;
    d->store->with(id, [&](const Record &record) {
        if (const auto read = record.files.read(encodePath(path)))
            content = *read;
    });
    return content;
}

std::shared_ptr<Store> Script::store() const
{
    return d->store;
}

std::optional<Answer> Script::answerFor(const Call &call) const
{
    const Reply reply = d->find(call.kind == Call::Kind::RunCode ? d->code : d->commands, call.text);
    return reply ? std::optional(reply(call)) : std::nullopt;
}

std::optional<std::chrono::milliseconds> Script::takeRateLimit()
{
    const std::lock_guard locker(d->mutex);
    if (d->faults.rateLimitedCreates && (*d->faults.rateLimitedCreates)-- <= 0)
        d->faults.rateLimit.reset();
    return d->faults.rateLimit;
}

NetworkProbeResult Script::probeResult(const NetworkProbe &probe, NetworkPolicy::Egress egress) const
{
    ProbeReply answer;
    {
        const std::lock_guard locker(d->mutex);
        answer = d->probe;
    }
    if (answer)
        return answer(probe, egress);
    const QString detail = Text::tr("The in-memory backend has no network.");
    const bool denied = egress == NetworkPolicy::Egress::Deny;
    return {denied ? NetworkProbeResult::Kind::Unreachable : NetworkProbeResult::Kind::NotTried, detail};
}

void Script::record(const Call &call)
{
    const std::lock_guard locker(d->mutex);
    d->calls.append(call);
}

Script::Match contains(const QString &part)
{
    return [part](const QString &text) {
        return text.contains(part);
    };
}

Script::Reply inTurn(const QList<Answer> &answers)
{
    const auto next = std::make_shared<std::atomic<qsizetype>>(0);
    return [answers, next](const Call &) {
        return answers.at(std::min(next->fetch_add(1), answers.size() - 1));
    };
}

Script::Match anything()
{
    return [](const QString &) {
        return true;
    };
}

} // namespace Sandboxio::Fake
