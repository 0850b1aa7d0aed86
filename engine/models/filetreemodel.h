// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/fileinfo.h>
#include <sandboxio/core/operation.h>
#include <sandboxio/models/export.h>

#include <QAbstractItemModel>

#include <functional>
#include <memory>

namespace Sandboxio {

/*! The files of a sandbox as a tree, read one directory at a time when a view opens it. A directory that cannot
    be read keeps its row and carries the error. Names appear as displayPath() makes them; PathRole gives the
    exact path.

    \code
    FileTreeModel model([files = sandbox->files()](const QString &path) { return files.ls(path); }, u"/"_s);
    \endcode */
class SANDBOXIO_MODELS_EXPORT FileTreeModel : public QAbstractItemModel
{
    Q_OBJECT
public:
    enum Column { Name, Size, Modified, Mode, OwnerColumn, ColumnCount };
    Q_ENUM(Column)
    enum Role {
        PathRole = Qt::UserRole + 1, //!< exact path
        TypeRole,                    //!< FileInfo::Type as int
        SizeRole,                    //!< bytes
        FileInfoRole,                //!< FileInfo
        LoadingRole,                 //!< bool: the directory is being read
        ErrorRole, //!< ErrorInfo of the last attempt to read the directory; invalid when it worked
    };
    Q_ENUM(Role)

    /*! Reads one directory: FileSystem::ls() or the like. Called in the model's thread. */
    using Lister = std::function<Operation<QList<FileInfo>>(const QString &path)>;

    FileTreeModel(Lister lister, const QString &root, QObject *parent = nullptr);
    ~FileTreeModel() override;

    QString rootPath() const;
    /*! Starts over at \a path. */
    void setRootPath(const QString &path);
    /*! Reads the directory \a index again (invalid: the root). Entries that are still there keep their
     * children. */
    void refresh(const QModelIndex &index = {});
    FileInfo fileInfo(const QModelIndex &index) const;
    /*! The directory \a index (invalid: the root) is being read. */
    bool isLoading(const QModelIndex &index) const;
    /*! The error of reading the root; absent when it worked or is under way. */
    std::optional<ErrorInfo> rootError() const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    bool hasChildren(const QModelIndex &parent = {}) const override;
    bool canFetchMore(const QModelIndex &parent) const override;
    void fetchMore(const QModelIndex &parent) override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    QHash<int, QByteArray> roleNames() const override;

Q_SIGNALS:
    /*! \a path was read. */
    void directoryLoaded(const QString &path);
    /*! \a path could not be read. */
    void directoryFailed(const QString &path, const Sandboxio::ErrorInfo &error);

private:
    struct Node;
    Node *nodeAt(const QModelIndex &index) const;
    QModelIndex indexOf(const Node *node, int column = 0) const;
    Node *findNode(const QString &path) const;
    void load(Node *node);
    void applyEntries(const QString &path, quint64 generation, const QList<FileInfo> &entries);
    void applyError(const QString &path, quint64 generation, const ErrorInfo &error);
    QString displayText(const Node &node, int column) const;
    QString toolTip(const Node &node) const;

    Lister m_lister;
    std::unique_ptr<Node> m_root;
    quint64 m_generation = 0;
};

} // namespace Sandboxio
