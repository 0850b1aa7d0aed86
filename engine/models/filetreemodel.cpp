// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filetreemodel.h"

#include <sandboxio/core/path.h>

#include <QLocale>
#include <QSet>

#include <algorithm>

namespace Sandboxio {

using namespace Qt::StringLiterals;

struct FileTreeModel::Node
{
    FileInfo info;
    Node *parent = nullptr;
    std::vector<std::unique_ptr<Node>> children;
    bool loaded = false;
    bool loading = false;
    quint64 generation = 0; // of the reading under way, so that a late answer of an earlier one is ignored
    std::optional<ErrorInfo> error;

    bool isDirectory() const { return info.type == FileInfo::Type::Directory; }
    int row() const
    {
        if (!parent)
            return 0;
        const auto found = std::ranges::find(parent->children, this, &std::unique_ptr<Node>::get);
        return int(found - parent->children.begin());
    }
};

namespace {

QString modeText(quint32 mode, FileInfo::Type type)
{
    QString text = type == FileInfo::Type::Directory      ? u"d"_s
                   : type == FileInfo::Type::SymbolicLink ? u"l"_s
                   : type == FileInfo::Type::File         ? u"-"_s
                                                          : u"?"_s;
    for (int shift = 6; shift >= 0; shift -= 3) {
        text += (mode >> shift) & 4 ? u'r' : u'-';
        text += (mode >> shift) & 2 ? u'w' : u'-';
        text += (mode >> shift) & 1 ? u'x' : u'-';
    }
    return text;
}

bool listedBefore(const FileInfo &left, const FileInfo &right)
{
    const bool leftDirectory = left.type == FileInfo::Type::Directory;
    if (leftDirectory != (right.type == FileInfo::Type::Directory))
        return leftDirectory;
    return left.name < right.name;
}

} // namespace

FileTreeModel::FileTreeModel(Lister lister, const QString &root, QObject *parent)
    : QAbstractItemModel(parent)
    , m_lister(std::move(lister))
    , m_root(std::make_unique<Node>())
{
    m_root->info.path = root;
    m_root->info.type = FileInfo::Type::Directory;
}

FileTreeModel::~FileTreeModel() = default;

QString FileTreeModel::rootPath() const
{
    return m_root->info.path;
}

void FileTreeModel::setRootPath(const QString &path)
{
    beginResetModel();
    m_root = std::make_unique<Node>();
    m_root->info.path = path;
    m_root->info.type = FileInfo::Type::Directory;
    endResetModel();
}

void FileTreeModel::refresh(const QModelIndex &index)
{
    Node *node = nodeAt(index);
    load(node->isDirectory() ? node : node->parent);
}

FileInfo FileTreeModel::fileInfo(const QModelIndex &index) const
{
    return nodeAt(index)->info;
}

bool FileTreeModel::isLoading(const QModelIndex &index) const
{
    return nodeAt(index)->loading;
}

std::optional<ErrorInfo> FileTreeModel::rootError() const
{
    return m_root->error;
}

FileTreeModel::Node *FileTreeModel::nodeAt(const QModelIndex &index) const
{
    return index.isValid() ? static_cast<Node *>(index.internalPointer()) : m_root.get();
}

QModelIndex FileTreeModel::indexOf(const Node *node, int column) const
{
    return node == m_root.get() ? QModelIndex() : createIndex(node->row(), column, node);
}

FileTreeModel::Node *FileTreeModel::findNode(const QString &path) const
{
    QList<Node *> waiting{m_root.get()};
    while (!waiting.isEmpty()) {
        Node *node = waiting.takeLast();
        if (node->info.path == path)
            return node;
        for (const auto &child : node->children) {
            if (child->isDirectory())
                waiting.append(child.get());
        }
    }
    return nullptr;
}

QModelIndex FileTreeModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, nodeAt(parent)->children.at(size_t(row)).get());
}

QModelIndex FileTreeModel::parent(const QModelIndex &index) const
{
    return index.isValid() ? indexOf(nodeAt(index)->parent) : QModelIndex();
}

int FileTreeModel::rowCount(const QModelIndex &parent) const
{
    return parent.column() > 0 ? 0 : int(nodeAt(parent)->children.size());
}

int FileTreeModel::columnCount(const QModelIndex &) const
{
    return ColumnCount;
}

bool FileTreeModel::hasChildren(const QModelIndex &parent) const
{
    if (parent.column() > 0)
        return false;
    const Node *node = nodeAt(parent);
    return node->isDirectory() && (!node->loaded || !node->children.empty());
}

bool FileTreeModel::canFetchMore(const QModelIndex &parent) const
{
    const Node *node = nodeAt(parent);
    return parent.column() <= 0 && node->isDirectory() && !node->loaded && !node->loading;
}

void FileTreeModel::fetchMore(const QModelIndex &parent)
{
    if (canFetchMore(parent))
        load(nodeAt(parent));
}

void FileTreeModel::load(Node *node)
{
    const QString path = node->info.path;
    const quint64 generation = ++m_generation;
    node->loading = true;
    node->generation = generation;
    if (node != m_root.get())
        Q_EMIT dataChanged(indexOf(node), indexOf(node, ColumnCount - 1));
    m_lister(path)
        .then(this, [this, path,
                     generation](const QList<FileInfo> &entries) { applyEntries(path, generation, entries); })
        .onError(this,
                 [this, path, generation](const ErrorInfo &error) { applyError(path, generation, error); })
        .onCancelled(this, [this, path, generation] {
            applyError(
                path, generation,
                makeError(ErrorKind::FileSystemError, tr("Reading was cancelled."), tr("Open it again.")));
        });
}

void FileTreeModel::applyEntries(const QString &path, quint64 generation, const QList<FileInfo> &entries)
{
    Node *node = findNode(path);
    if (!node || node->generation != generation)
        return;
    node->loading = false;
    node->loaded = true;
    node->error.reset();
    QHash<QString, FileInfo> fresh;
    for (const FileInfo &entry : entries)
        fresh.insert(entry.name, entry);

    const QModelIndex parent = indexOf(node);
    for (int row = int(node->children.size()) - 1; row >= 0; --row) {
        Node &child = *node->children[size_t(row)];
        const auto found = fresh.constFind(child.info.name);
        if (found != fresh.cend() && found->type == child.info.type) {
            if (child.info != *found) {
                child.info = *found;
                Q_EMIT dataChanged(indexOf(&child), indexOf(&child, ColumnCount - 1));
            }
            fresh.erase(found);
            continue;
        }
        beginRemoveRows(parent, row, row);
        node->children.erase(node->children.begin() + row);
        endRemoveRows();
    }
    QList<FileInfo> added = fresh.values();
    std::ranges::sort(added, listedBefore);
    const bool wasEmpty = node->children.empty();
    if (wasEmpty && !added.isEmpty())
        beginInsertRows(parent, 0, int(added.size()) - 1);
    for (const FileInfo &entry : std::as_const(added)) {
        auto child = std::make_unique<Node>();
        child->info = entry;
        child->parent = node;
        const auto place =
            std::ranges::upper_bound(node->children, entry, listedBefore,
                                     [](const auto &other) -> const FileInfo & { return other->info; });
        const int row = int(place - node->children.begin());
        if (!wasEmpty)
            beginInsertRows(parent, row, row);
        node->children.insert(place, std::move(child));
        if (!wasEmpty)
            endInsertRows();
    }
    if (wasEmpty && !added.isEmpty())
        endInsertRows();
    if (parent.isValid())
        Q_EMIT dataChanged(parent, indexOf(node, ColumnCount - 1));
    Q_EMIT directoryLoaded(path);
}

void FileTreeModel::applyError(const QString &path, quint64 generation, const ErrorInfo &error)
{
    Node *node = findNode(path);
    if (!node || node->generation != generation)
        return;
    node->loading = false;
    node->loaded = true; // not asked again until somebody refreshes
    node->error = error;
    if (node != m_root.get())
        Q_EMIT dataChanged(indexOf(node), indexOf(node, ColumnCount - 1));
    Q_EMIT directoryFailed(path, error);
}

QString FileTreeModel::displayText(const Node &node, int column) const
{
    const QLocale locale;
    const FileInfo &info = node.info;
    switch (column) {
    case Name: {
        const QString name = displayPath(info.name);
        if (node.error)
            return tr("%1 — %2").arg(name, node.error->message);
        return info.linkTarget ? tr("%1 → %2").arg(name, displayPath(*info.linkTarget)) : name;
    }
    case Size:
        return info.type == FileInfo::Type::File ? locale.formattedDataSize(info.size) : QString();
    case Modified:
        return info.modifiedAt.isValid() ? locale.toString(info.modifiedAt.toLocalTime(), QLocale::ShortFormat)
                                         : QString();
    case Mode:
        return info.mode ? modeText(*info.mode, info.type) : QString();
    case OwnerColumn:
        return info.owner;
    default:
        return {};
    }
}

QString FileTreeModel::toolTip(const Node &node) const
{
    if (node.error)
        return node.error->message + u'\n' + node.error->hint;
    QStringList facts{displayPath(node.info.path)};
    for (const int column : {Modified, Mode, OwnerColumn}) {
        if (!displayText(node, column).isEmpty())
            facts += tr("%1: %2").arg(headerData(column, Qt::Horizontal).toString(), displayText(node, column));
    }
    return facts.join(u'\n');
}

QVariant FileTreeModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Node &node = *nodeAt(index);
    switch (role) {
    case Qt::DisplayRole:
        return displayText(node, index.column());
    case Qt::ToolTipRole:
        return toolTip(node);
    case Qt::TextAlignmentRole:
        return index.column() == Size ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter)) : QVariant();
    case PathRole:
        return node.info.path;
    case TypeRole:
        return int(node.info.type);
    case SizeRole:
        return node.info.size;
    case FileInfoRole:
        return QVariant::fromValue(node.info);
    case LoadingRole:
        return node.loading;
    case ErrorRole:
        return node.error ? QVariant::fromValue(*node.error) : QVariant();
    default:
        return {};
    }
}

QVariant FileTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Name");
    case Size:
        return tr("Size");
    case Modified:
        return tr("Changed");
    case Mode:
        return tr("Mode");
    case OwnerColumn:
        return tr("Owner");
    default:
        return {};
    }
}

QHash<int, QByteArray> FileTreeModel::roleNames() const
{
    QHash<int, QByteArray> names = QAbstractItemModel::roleNames();
    names.insert({{PathRole, "path"_ba},
                  {TypeRole, "fileType"_ba},
                  {SizeRole, "size"_ba},
                  {FileInfoRole, "fileInfo"_ba},
                  {LoadingRole, "loading"_ba},
                  {ErrorRole, "error"_ba}});
    return names;
}

} // namespace Sandboxio
