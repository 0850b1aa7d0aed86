// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakesubject.h"

#include <sandboxio/fake/store_p.h>

#include <algorithm>
#include <csignal>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

QStringList sandboxesWith(Store &store, const QString &name, const QString &value)
{
    QStringList ids;
    for (const Record &record : store.all()) {
        if (record.managed.metadata.value(name) == value)
            ids.append(record.managed.id);
    }
    return ids;
}

// What a look at the provider's own data would show.
QByteArray description(const Record &record)
{
    QStringList lines{record.managed.id, record.managed.name, record.managed.templateId};
    for (const auto &[name, value] : record.managed.metadata.asKeyValueRange())
        lines.append(name + u'=' + value);
    for (const auto &[name, value] : record.env.asKeyValueRange())
        lines.append(name + u'=' + value);
    return (lines + record.processes.values()).join(u'\n').toUtf8();
}

} // namespace

FakeSubject::FakeSubject(std::function<Factory(Factory)> wrap)
    : m_factory(wrap ? wrap(factory(script)) : factory(script))
{
    tier = IsolationTier::Container;
    operationLimit = 5s;
    noOpenNetwork = u"there is no network in memory"_s;
    setCommands();
    setProbes();
    setFaultProbes();
}

FakeSubject::~FakeSubject() = default;

Target FakeSubject::target() const
{
    return {.backend = u"fake"_s, .templateId = u"base"_s, .parameters = {}};
}

EngineOptions FakeSubject::engineOptions() const
{
    EngineOptions options = ContractSubject::engineOptions();
    options.clock = clock;
    return options;
}

std::unique_ptr<Engine> FakeSubject::makeEngine()
{
    auto engine = ContractSubject::makeEngine();
    engine->registerBackend(u"fake"_s, m_factory);
    return engine;
}

void FakeSubject::setCommands()
{
    script->onRun(u"end by SIGTERM"_s, {.signal = SIGTERM});
    commands.endBySignal = [] {
        return Command{u"end"_s, u"by"_s, u"SIGTERM"_s};
    };
    commands.hangDetached = [](int seconds) {
        return Command::shell(u"sleep %1 & sleep %1"_s.arg(seconds));
    };
    const QString nothingReal = u"nothing real runs in memory"_s;
    commands.makeSymbolicLink =
        Probe<Command(const QString &, const QString &)>::missing(u"the files in memory have no links"_s);
    commands.fillMemory = Probe<Command()>::missing(nothingReal);
    commands.raiseOwnCaps = Probe<Command()>::missing(nothingReal);
    code.copyInput = Probe<QString()>::missing(u"the Python in memory does not read its input"_s);
    code.printVariable =
        Probe<QString(const QString &)>::missing(u"the Python in memory does not know its environment"_s);
}

void FakeSubject::setProbes()
{
    probes.advance = [this](std::chrono::milliseconds time) {
        clock->advance(time);
    };
    probes.sandboxes = [this](const QString &name, const QString &value) {
        return sandboxesWith(*script->store(), name, value);
    };
    probes.processes = [this](const QString &id) {
        const std::optional<Record> record = script->store()->find(id);
        return record ? QStringList(record->processes.values()) : QStringList();
    };
    probes.createRequests = [this] {
        const QList<Call> calls = script->calls();
        return static_cast<int>(std::ranges::count(calls, Call::Kind::Create, &Call::kind));
    };
    probes.lose = [this](const QString &id) {
        script->lose(id);
    };
    probes.addForeign = [this] {
        static int serial = 0;
        const QString id = u"foreign-%1"_s.arg(++serial);
        script->addForeign(id);
        return ForeignSandbox{id, faultUntil([script = script, id] { script->lose(id); })};
    };
    probes.caps =
        Probe<Resources(const QString &)>::missing(u"there is nothing to cap in memory but the disk"_s);
    probes.description = [this](const QString &id) {
        const std::optional<Record> record = script->store()->find(id);
        return record ? description(*record) : QByteArray();
    };
}

Fault FakeSubject::withFaults(const std::function<void(Faults &)> &change)
{
    Faults faults = script->faults();
    const Faults before = faults;
    change(faults);
    script->setFaults(faults);
    return faultUntil([script = script, before] { script->setFaults(before); });
}

void FakeSubject::setFaultProbes()
{
    const ErrorInfo broken =
        makeError(ErrorKind::ConnectError, u"The provider is broken."_s, {}, {500, u"Internal Server Error"_s});
    probes.breakProvider = [this, broken] {
        return withFaults([&](Faults &faults) { faults.provider = broken; });
    };
    probes.slowCreate = [this](std::chrono::milliseconds step) {
        return withFaults([&](Faults &faults) { faults.createStep = step; });
    };
    probes.failCreate = [this] {
        return withFaults([&](Faults &faults) {
            faults.create = makeError(ErrorKind::CreationError, u"The provider has no room."_s, {},
                                      {507, u"Insufficient Storage"_s});
        });
    };
    probes.cutCreateAnswer = Probe<Fault()>::missing(u"answers in memory come whole"_s);
    probes.failFetch = Probe<Fault()>::missing(u"there is nothing to fetch"_s);
    probes.rateLimit = [this] {
        return withFaults([](Faults &faults) { faults.rateLimit = 7s; });
    };
    probes.hangKill = [this] {
        return withFaults([](Faults &faults) { faults.killHangs = true; });
    };
    probes.failKill = [this] {
        return withFaults([](Faults &faults) {
            faults.kill = makeError(ErrorKind::ConnectError, u"The provider does not let go."_s, {},
                                    {409, u"Conflict"_s});
        });
    };
    probes.hangKillTree = [this](const QString &) {
        return withFaults([](Faults &faults) { faults.killTreeHangs = true; });
    };
    probes.breakConnections = Probe<void()>::missing(u"connections in memory break at a byte"_s);
    probes.disconnectRuns = [this] {
        return withFaults([](Faults &faults) { faults.disconnectAtByte = 3; });
    };
}

} // namespace Sandboxio::Fake
