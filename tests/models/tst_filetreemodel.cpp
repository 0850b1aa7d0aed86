// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/path.h>
#include <sandboxio/models/filetreemodel.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

namespace {

FileInfo entry(const QString &folder, const QString &name, FileInfo::Type type = FileInfo::Type::File)
{
    FileInfo info;
    info.path = folder == u"/"_s ? u'/' + name : folder + u'/' + name;
    info.name = name;
    info.type = type;
    info.size = 42;
    return info;
}

} // namespace

class FileTreeModelTest : public QObject
{
    Q_OBJECT
private:
    QStringList m_asked;
    QMap<QString, QList<FileInfo>> m_folders;
    QMap<QString, ErrorInfo> m_errors;

    FileTreeModel::Lister lister()
    {
        return [this](const QString &path) {
            m_asked += path;
            if (m_errors.contains(path))
                return failedOperation<QList<FileInfo>>(m_errors.value(path));
            return finishedOperation(m_folders.value(path));
        };
    }
    static QStringList names(const FileTreeModel &model, const QModelIndex &parent = {})
    {
        QStringList result;
        for (int row = 0; row < model.rowCount(parent); ++row)
            result += model.index(row, 0, parent).data().toString();
        return result;
    }

private Q_SLOTS:
    void init()
    {
        m_asked.clear();
        m_errors.clear();
        m_folders = {{u"/"_s, {entry(u"/"_s, u"b.txt"_s), entry(u"/"_s, u"dir"_s, FileInfo::Type::Directory)}},
                     {u"/dir"_s, {entry(u"/dir"_s, u"inner"_s)}}};
    }

    void oneFolderIsReadAtATimeWhenItIsOpened()
    {
        FileTreeModel model(lister(), u"/"_s); // without the tester, which opens every folder itself
        QSignalSpy loaded(&model, &FileTreeModel::directoryLoaded);
        model.fetchMore({});
        QVERIFY(loaded.wait());
        QCOMPARE(names(model), QStringList({u"dir"_s, u"b.txt"_s}));
        QCOMPARE(m_asked, QStringList{u"/"_s});
        const QModelIndex dir = model.index(0, 0);
        QVERIFY(model.hasChildren(dir));
        QVERIFY(model.canFetchMore(dir));
        model.fetchMore(dir);
        QVERIFY(loaded.wait());
        QCOMPARE(names(model, dir), QStringList{u"inner"_s});
        QCOMPARE(m_asked, QStringList({u"/"_s, u"/dir"_s}));
        QVERIFY(!model.canFetchMore(dir));
    }

    void aFolderThatCannotBeReadKeepsItsRowWithTheError()
    {
        m_errors.insert(u"/dir"_s, makeError(ErrorKind::FileSystemError, u"No permission."_s));
        FileTreeModel model(lister(), u"/"_s);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.fetchMore({});
        QTRY_COMPARE(model.rowCount(), 2);
        QSignalSpy failed(&model, &FileTreeModel::directoryFailed);
        model.fetchMore(model.index(0, 0));
        QVERIFY(failed.wait());
        QCOMPARE(model.rowCount(), 2);
        QVERIFY(model.index(0, 0).data().toString().contains(u"No permission."_s));
        QVERIFY(model.index(0, 0).data(FileTreeModel::ErrorRole).isValid());
        QVERIFY(!model.hasChildren(model.index(0, 0)));

        m_errors.clear(); // reading it again clears the error
        model.refresh(model.index(0, 0));
        QTRY_COMPARE(names(model, model.index(0, 0)), QStringList{u"inner"_s});
        QVERIFY(!model.index(0, 0).data(FileTreeModel::ErrorRole).isValid());
    }

    void refreshingChangesOnlyWhatChanged()
    {
        FileTreeModel model(lister(), u"/"_s);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.fetchMore({});
        QTRY_COMPARE(model.rowCount(), 2);
        model.fetchMore(model.index(0, 0));
        QTRY_COMPARE(model.rowCount(model.index(0, 0)), 1);
        const QPersistentModelIndex dir = model.index(0, 0);
        m_folders[u"/"_s] = {entry(u"/"_s, u"a.txt"_s), entry(u"/"_s, u"dir"_s, FileInfo::Type::Directory)};
        model.refresh();
        QTRY_COMPARE(names(model), QStringList({u"dir"_s, u"a.txt"_s}));
        QVERIFY(dir.isValid());
        QCOMPARE(model.rowCount(dir), 1);
    }

    void oddNamesAreShownSafelyAndKeptExactly()
    {
        const QString odd = decodePath("bad\xff\nname"_ba);
        m_folders[u"/"_s] = {entry(u"/"_s, odd)};
        FileTreeModel model(lister(), u"/"_s);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.fetchMore({});
        QTRY_COMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0, 0).data().toString(), displayPath(odd));
        QVERIFY(!model.index(0, 0).data().toString().contains(u'\n'));
        QCOMPARE(encodePath(model.index(0, 0).data(FileTreeModel::PathRole).toString()), "/bad\xff\nname"_ba);
    }

    void anAnswerForAFolderThatIsGoneIsDropped()
    {
        QMap<QString, OperationPromise<QList<FileInfo>>> open;
        FileTreeModel model([&](const QString &path) { return open[path].operation(); }, u"/"_s);
        model.fetchMore({});
        model.setRootPath(u"/elsewhere"_s);
        model.fetchMore({});
        open[u"/"_s].finish(m_folders.value(u"/"_s));
        open[u"/elsewhere"_s].finish({entry(u"/elsewhere"_s, u"x"_s)});
        QTRY_COMPARE(names(model), QStringList{u"x"_s});
    }

    void aLateAnswerOfAnEarlierReadingIsDropped()
    {
        QList<OperationPromise<QList<FileInfo>>> open;
        FileTreeModel model([&](const QString &) { return open.emplaceBack().operation(); }, u"/"_s);
        model.fetchMore({});
        model.refresh();
        QCOMPARE(open.size(), 2);
        open[1].finish({entry(u"/"_s, u"new"_s)});
        QTRY_COMPARE(names(model), QStringList{u"new"_s});
        open[0].finish({entry(u"/"_s, u"old"_s)});
        QTest::qWait(0);
        QCoreApplication::processEvents();
        QCOMPARE(names(model), QStringList{u"new"_s});
    }
};

SANDBOXIO_TEST(FileTreeModelTest)
#include "tst_filetreemodel.moc"
