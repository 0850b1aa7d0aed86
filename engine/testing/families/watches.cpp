// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <sandboxio/core/path.h>
#include <sandboxio/runtime/filewatcher.h>

#include <QElapsedTimer>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

using Kind = FileChange::Kind;

/*! A watch and all that it has told. */
struct Told
{
    std::unique_ptr<FileWatcher> watcher;
    bool started = false;
    int failures = 0;
    ErrorInfo error;
    QList<FileChange> changes;

    bool has(Kind kind, const QString &path) const
    {
        return std::ranges::any_of(
            changes, [&](const FileChange &change) { return change.kind == kind && change.path == path; });
    }
    /*! Whether somebody who follows the watch would look at \a path: it is named, or all is to be looked at again. */
    bool leadsTo(const QString &path) const
    {
        return std::ranges::any_of(changes, [&](const FileChange &change) {
            return change.kind == Kind::Overflow || change.path == path || change.newPath == path;
        });
    }
    QString text() const
    {
        static const QStringList names{u"created"_s, u"modified"_s, u"attributes"_s,
                                       u"removed"_s, u"renamed"_s,  u"overflow"_s};
        QStringList lines;
        for (const FileChange &change : changes.last(std::min<qsizetype>(changes.size(), 20)))
            lines.append(names.at(static_cast<int>(change.kind)) + u' ' + displayPath(change.path));
        return lines.join(u", "_s);
    }
};

} // namespace

/*! Following the changes of files. */
class WatchContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void everyKindOfChangeIsTold();
    void changesOfRunsAreToldToo();
    void onlyARecursiveWatchSeesBelow();
    void whatIsMadeInNewDirectoriesIsTold();
    void aFileIsWatchedByItself();
    void oddNamesAreTold();
    void whatIsMissingCannotBeWatched();
    void theEndOfThePathEndsTheWatch();
    void theEndOfTheSandboxEndsTheWatch();
    void aSlowReceiverLosesNothingSilently();
    void watchesDoNotDisturbEachOther();
    void anEngineEndsWithoutWaitingForItsWatches();

private:
    void prepare() override
    {
        needCapability(Capability::Watch);
        needCapability(Capability::FileSystem);
        m_directory = u"/tmp/watch-%1"_s.arg(++m_serial);
        value(files().mkdir(m_directory, true));
    }
    FileSystem files() { return sandbox()->files(); }
    QString place(const QString &name) const { return m_directory + u'/' + name; }

    using Recursion = FileSystem::Recursion;
    std::unique_ptr<Told> follow(const FileSystem &where, const QString &path,
                                 Recursion recursion = Recursion::Entries)
    {
        auto told = std::make_unique<Told>();
        Told *record = told.get();
        told->watcher = where.watch(path, recursion);
        connect(told->watcher.get(), &FileWatcher::started, this, [record] { record->started = true; });
        connect(told->watcher.get(), &FileWatcher::changed, this,
                [record](const QList<FileChange> &changes) { record->changes += changes; });
        connect(told->watcher.get(), &FileWatcher::failed, this, [record](const ErrorInfo &error) {
            ++record->failures;
            record->error = error;
        });
        return told;
    }
    std::unique_ptr<Told> inForce(const QString &path, Recursion recursion = Recursion::Entries)
    {
        auto told = follow(files(), path, recursion);
        eventually([&] { return told->started || told->failures; }, u"the watch is in force"_s);
        check(told->failures == 0, u"the watch failed: "_s + told->error.toText());
        return told;
    }
    void tells(const Told &told, Kind kind, const QString &path, Location where = Location::current())
    {
        eventually([&] { return told.has(kind, path); },
                   u"change %1 of %2 is told; told so far: %3"_s.arg(static_cast<int>(kind))
                       .arg(displayPath(path), told.text()),
                   where);
    }

    QString m_directory; // a new one for every row
    int m_serial = 0;
};

void WatchContract::everyKindOfChangeIsTold()
{
    const auto told = inForce(m_directory);
    value(files().write(place(u"file"_s), "1"_ba));
    eventually([&] { return told->leadsTo(place(u"file"_s)); }, u"a new file is told"_s);
    told->changes.clear();
    value(files().write(place(u"file"_s), "2"_ba));
    eventually([&] { return told->leadsTo(place(u"file"_s)); }, u"new content is told"_s);
    value(files().mkdir(place(u"directory"_s)));
    tells(*told, Kind::Created, place(u"directory"_s));
    value(files().chmod(place(u"file"_s), 0600));
    tells(*told, Kind::AttributesChanged, place(u"file"_s));
    value(files().move(place(u"file"_s), place(u"moved"_s)));
    tells(*told, Kind::Renamed, place(u"file"_s));
    eventually([&] { return told->leadsTo(place(u"moved"_s)); }, u"the new name is told"_s);
    value(files().remove(place(u"moved"_s)));
    tells(*told, Kind::Removed, place(u"moved"_s));
    QCOMPARE(told->failures, 0);
}

void WatchContract::changesOfRunsAreToldToo()
{
    const auto &link = need(subject.commands.makeSymbolicLink, "command `makeSymbolicLink`");
    const auto told = inForce(m_directory);
    QCOMPARE(run(link(u"nowhere"_s, place(u"link"_s))).exitCode, 0);
    tells(*told, Kind::Created, place(u"link"_s));
}

void WatchContract::onlyARecursiveWatchSeesBelow()
{
    value(files().mkdir(place(u"a/b"_s), true));
    const auto flat = inForce(m_directory);
    const auto deep = inForce(m_directory, Recursion::Recursive);
    value(files().mkdir(place(u"a/b/below"_s)));
    tells(*deep, Kind::Created, place(u"a/b/below"_s));
    value(files().mkdir(place(u"last"_s)));
    tells(*flat, Kind::Created, place(u"last"_s));
    check(!flat->has(Kind::Created, place(u"a/b/below"_s)), u"told by a watch of one level"_s);
}

void WatchContract::whatIsMadeInNewDirectoriesIsTold()
{
    const auto told = inForce(m_directory, Recursion::Recursive);
    for (int i = 0; i < 10; ++i) {
        const QString directory = place(u"new-%1/below"_s.arg(i));
        value(files().mkdir(directory, true));
        value(files().mkdir(directory + u"/last"_s));
    }
    for (int i = 0; i < 10; ++i)
        eventually([&] { return told->leadsTo(place(u"new-%1/below/last"_s.arg(i))); },
                   u"what is made in the new directory %1 is told"_s.arg(i));
}

void WatchContract::aFileIsWatchedByItself()
{
    value(files().write(place(u"file"_s), "1"_ba));
    value(files().mkdir(place(u"other"_s)));
    const auto told = inForce(place(u"file"_s));
    value(files().chmod(place(u"other"_s), 0700));
    value(files().chmod(place(u"file"_s), 0600));
    tells(*told, Kind::AttributesChanged, place(u"file"_s));
    value(files().write(place(u"file"_s), "2"_ba)); // by replacing it, where the adapter writes so
    value(files().chmod(place(u"file"_s), 0640));
    value(files().remove(place(u"file"_s)));
    tells(*told, Kind::Removed, place(u"file"_s));
    for (const FileChange &change : std::as_const(told->changes))
        QCOMPARE(change.path, place(u"file"_s));
}

void WatchContract::oddNamesAreTold()
{
    const auto told = inForce(m_directory);
    for (const QByteArray &name : {"-a\nb"_ba, " c "_ba, "d\xff"_ba}) {
        const QString path = place(decodePath(name));
        value(files().mkdir(path));
        tells(*told, Kind::Created, path);
    }
}

void WatchContract::whatIsMissingCannotBeWatched()
{
    const auto told = follow(files(), place(u"missing"_s));
    eventually([&] { return told->failures == 1; }, u"the watch fails"_s);
    check(told->error.kind == ErrorKind::PathNotFound, u"failed as "_s + told->error.toText());
    QVERIFY(!told->error.hint.isEmpty());
    QVERIFY(!told->started);
}

void WatchContract::theEndOfThePathEndsTheWatch()
{
    value(files().mkdir(place(u"watched/below"_s), true));
    const auto told = inForce(place(u"watched"_s), Recursion::Recursive);
    value(files().remove(place(u"watched"_s), true));
    eventually([&] { return told->failures == 1; }, u"the watch ends"_s);
    check(told->error.kind == ErrorKind::PathNotFound, u"ended as "_s + told->error.toText());
    QVERIFY(told->has(Kind::Removed, place(u"watched"_s)));
    value(files().mkdir(place(u"watched"_s)));
    letPass(std::chrono::milliseconds(50));
    QCOMPARE(told->failures, 1);
}

void WatchContract::theEndOfTheSandboxEndsTheWatch()
{
    const SandboxPtr own = create();
    const auto told = follow(own->files(), u"/tmp"_s);
    eventually([&] { return told->started; }, u"the watch is in force"_s);
    value(own->kill());
    eventually([&] { return told->failures == 1; }, u"the watch ends"_s);
    check(told->error.kind == ErrorKind::SandboxGone, u"ended as "_s + told->error.toText());
}

void WatchContract::aSlowReceiverLosesNothingSilently()
{
    const auto told = inForce(m_directory);
    QStringList made;
    for (int i = 0; i < 300; ++i) {
        made.append(place(u"d%1"_s.arg(i)));
        value(files().mkdir(made.last())); // blocks this thread, in which the changes are received
    }
    for (const QString &path : std::as_const(made))
        eventually([&] { return told->leadsTo(path); }, displayPath(path) + u" is told"_s);
}

void WatchContract::watchesDoNotDisturbEachOther()
{
    auto first = inForce(m_directory);
    const auto second = inForce(m_directory);
    value(files().mkdir(place(u"both"_s)));
    tells(*first, Kind::Created, place(u"both"_s));
    tells(*second, Kind::Created, place(u"both"_s));
    first.reset();
    value(files().mkdir(place(u"second"_s)));
    tells(*second, Kind::Created, place(u"second"_s));
    QCOMPARE(second->failures, 0);
}

void WatchContract::anEngineEndsWithoutWaitingForItsWatches()
{
    auto other = anotherEngine();
    const SandboxPtr seen = value(other->connectTo(target(), sandbox()->id()));
    const auto told = follow(seen->files(), m_directory);
    eventually([&] { return told->started || told->failures; }, u"the watch is in force"_s);
    QElapsedTimer timer;
    timer.start();
    value(other->shutdown());
    check(std::chrono::milliseconds(timer.elapsed()) < other->teardownGrace(),
          u"the shutdown took %1 ms"_s.arg(timer.elapsed()));
    QCOMPARE(told->failures, 0);
}

std::unique_ptr<ContractFamily> makeWatchContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<WatchContract>(subject, label);
}

} // namespace Sandboxio

#include "watches.moc"
