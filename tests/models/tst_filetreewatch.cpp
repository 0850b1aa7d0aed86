// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/models/filetreemodel.h>
#include <sandboxio/models/filetreewatch.h>

#include <QItemSelectionModel>
#include <QSignalSpy>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

class FileTreeWatchTest : public QObject
{
    Q_OBJECT
private:
    QMap<QString, QList<FileInfo>> m_entries;
    QStringList m_asked;
    QMap<QString, std::function<void()>> m_watches; // those that are held
    QMap<QString, std::function<void()>> m_ends;

    static FileInfo entryOf(const QString &directory, const QString &name,
                            FileInfo::Type type = FileInfo::Type::File)
    {
        FileInfo info;
        info.path = directory == u"/"_s ? u'/' + name : directory + u'/' + name;
        info.name = name;
        info.type = type;
        return info;
    }
    static FileInfo directoryOf(const QString &directory, const QString &name)
    {
        return entryOf(directory, name, FileInfo::Type::Directory);
    }
    FileTreeModel::Lister lister()
    {
        return [this](const QString &path) {
            m_asked += path;
            return finishedOperation(m_entries.value(path));
        };
    }
    FileTreeWatch::Watcher watcher()
    {
        return [this](const QString &path, const std::function<void()> &changed,
                      const std::function<void()> &ended) {
            m_watches.insert(path, changed);
            m_ends.insert(path, ended);
            return std::shared_ptr<void>(this, [this, path](void *) { m_watches.remove(path); });
        };
    }
    static void load(FileTreeModel &model, const QModelIndex &index = {})
    {
        QSignalSpy loaded(&model, &FileTreeModel::directoryLoaded);
        model.fetchMore(index);
        QVERIFY(loaded.wait());
    }

private Q_SLOTS:
    void init()
    {
        m_asked.clear();
        m_entries = {{u"/"_s, {directoryOf(u"/"_s, u"a"_s), entryOf(u"/"_s, u"z"_s)}},
                     {u"/a"_s, {directoryOf(u"/a"_s, u"b"_s), entryOf(u"/a"_s, u"f"_s)}},
                     {u"/a/b"_s, {entryOf(u"/a/b"_s, u"g"_s)}}};
    }

    void onlyWhatIsOpenIsWatched()
    {
        FileTreeModel model(lister(), u"/"_s);
        FileTreeWatch watch(&model, watcher());
        QCOMPARE(watch.watched(), QStringList());
        watch.setActive(true);
        QCOMPARE(m_watches.keys(), QStringList{u"/"_s});
        load(model);
        const QModelIndex a = model.index(0, 0);
        load(model, a);
        const QModelIndex b = model.index(0, 0, a);
        watch.setOpen(a, true);
        watch.setOpen(b, true);
        QCOMPARE(m_watches.keys(), QStringList({u"/"_s, u"/a"_s, u"/a/b"_s}));
        watch.setOpen(a, false);
        QCOMPARE(m_watches.keys(), QStringList{u"/"_s});
        watch.setOpen(a, true); // b is still open in it
        QCOMPARE(m_watches.keys(), QStringList({u"/"_s, u"/a"_s, u"/a/b"_s}));
        watch.setActive(false);
        QCOMPARE(m_watches.keys(), QStringList());
    }

    void aChangedDirectoryIsReadAgainAndKeepsItsRows()
    {
        FileTreeModel model(lister(), u"/"_s);
        FileTreeWatch watch(&model, watcher());
        watch.setActive(true);
        load(model);
        load(model, model.index(0, 0));
        watch.setOpen(model.index(0, 0), true);
        QItemSelectionModel selection(&model);
        selection.select(model.index(1, 0, model.index(0, 0)), QItemSelectionModel::Select);
        m_asked.clear();
        m_entries[u"/a"_s].prepend(entryOf(u"/a"_s, u"0"_s));
        m_entries[u"/"_s].append(entryOf(u"/"_s, u"unseen"_s));
        for (int i = 0; i < 100; ++i)
            m_watches.value(u"/a"_s)();
        QTRY_COMPARE(model.rowCount(model.index(0, 0)), 3);
        QCOMPARE(m_asked, QStringList{u"/a"_s});
        QCOMPARE(selection.selectedIndexes().size(), 1);
        QCOMPARE(selection.selectedIndexes().first().data(FileTreeModel::PathRole).toString(), u"/a/f"_s);
    }

    void aDirectoryThatIsGoneIsLetGo()
    {
        FileTreeModel model(lister(), u"/"_s);
        FileTreeWatch watch(&model, watcher());
        watch.setActive(true);
        load(model);
        watch.setOpen(model.index(0, 0), true);
        QVERIFY(m_watches.contains(u"/a"_s));
        m_entries[u"/"_s].removeFirst();
        m_watches.value(u"/"_s)();
        QTRY_COMPARE(model.rowCount(), 1);
        QCOMPARE(m_watches.keys(), QStringList{u"/"_s});
    }

    void aWatchThatEndedIsMadeAgainWhenSomethingWasRead()
    {
        FileTreeModel model(lister(), u"/"_s);
        FileTreeWatch watch(&model, watcher());
        watch.setActive(true);
        load(model);
        watch.setOpen(model.index(0, 0), true);
        QCOMPARE(watch.watched(), QStringList({u"/"_s, u"/a"_s}));
        m_ends.value(u"/a"_s)(); // it was removed, and made again before the folder was read
        QCOMPARE(watch.watched(), QStringList{u"/"_s});
        m_watches.value(u"/"_s)();
        QTRY_COMPARE(watch.watched(), QStringList({u"/"_s, u"/a"_s}));
    }

    void anotherRootIsWatchedInstead()
    {
        FileTreeModel model(lister(), u"/"_s);
        FileTreeWatch watch(&model, watcher());
        watch.setActive(true);
        load(model);
        watch.setOpen(model.index(0, 0), true);
        model.setRootPath(u"/a"_s);
        QCOMPARE(m_watches.keys(), QStringList{u"/a"_s});
    }

    void whatChangesWhileItIsReadIsReadOnceMore()
    {
        QList<OperationPromise<QList<FileInfo>>> open;
        FileTreeModel model(
            [&](const QString &) {
                open.append(OperationPromise<QList<FileInfo>>());
                return open.last().operation();
            },
            u"/"_s);
        FileTreeWatch watch(&model, watcher());
        watch.setActive(true);
        model.fetchMore({});
        m_watches.value(u"/"_s)();
        QTest::qWait(400);
        QCOMPARE(open.size(), 1);
        open.first().finish({});
        QTRY_COMPARE(open.size(), 2);
        open.last().finish({entryOf(u"/"_s, u"new"_s)});
        QTRY_COMPARE(model.rowCount(), 1);
    }
};

SANDBOXIO_TEST(FileTreeWatchTest)
#include "tst_filetreewatch.moc"
