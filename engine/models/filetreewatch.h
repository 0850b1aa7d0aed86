// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/models/export.h>

#include <QList>
#include <QObject>
#include <QPersistentModelIndex>
#include <QTimer>

#include <functional>
#include <memory>

namespace Sandboxio {

class FileTreeModel;
class FileSystem;

/*! Keeps a FileTreeModel as the sandbox's files are: watches its root and the directories that are open in a view,
    and nothing else, and reads those again that have changed. Rows that are still there keep their selection and
    their children. A watch that ended is made again when a directory has been read next.

    \code
    FileTreeModel tree([files = sandbox->files()](const QString &path) { return files.ls(path); }, u"/"_s);
    FileTreeWatch watch(&tree, FileTreeWatch::watcherOf(sandbox->files()));
    watch.setOpen(tree.index(0, 0), true); // as a view's expanded() and collapsed() tell
    watch.setActive(true);
    \endcode */
class SANDBOXIO_MODELS_EXPORT FileTreeWatch : public QObject
{
    Q_OBJECT
public:
    /*! Watches one directory as long as the result lives, and calls \a changed in the thread of the model when it is
        to be read again, and \a ended when no more will be told. Neither is called before it returns. */
    using Watcher = std::function<std::shared_ptr<void>(const QString &path, std::function<void()> changed,
                                                        std::function<void()> ended)>;
    /*! The watcher for the files of a sandbox, which must declare Capability::Watch. */
    static Watcher watcherOf(const FileSystem &files);

    FileTreeWatch(FileTreeModel *model, Watcher watcher, QObject *parent = nullptr);
    ~FileTreeWatch() override;

    /*! Whether anything is watched: set it while somebody can see the tree. False at first. */
    void setActive(bool active);
    /*! The view shows what is in the directory \a index of the model, or not any more. One below another that is
        closed is not watched until that is opened again. */
    void setOpen(const QModelIndex &index, bool open);
    /*! Paths that are watched now. */
    QStringList watched() const;

private:
    struct Directory
    {
        QPersistentModelIndex index; //!< invalid: the root
        QString path;
        std::shared_ptr<void> watch;
        bool changed = false;
    };
    void startOver();
    void update();
    bool isShown(const QModelIndex &index) const;
    void changed(const QString &path);
    void ended(const QString &path);
    void readChanged();

    FileTreeModel *m_model;
    Watcher m_watcher;
    bool m_active = false;
    std::vector<Directory> m_directories; //!< the root first
    QTimer m_timer;
};

} // namespace Sandboxio
