// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "filespane.h"

#include "errors/messagearea.h"
#include "shell/icons.h"
#include "transferrow.h"

#include <sandboxio/core/path.h>
#include <sandboxio/models/filetreemodel.h>
#include <sandboxio/models/filetreewatch.h>
#include <sandboxio/runtime/transfer.h>

#include <QAction>
#include <QFileDialog>
#include <QHeaderView>
#include <QIdentityProxyModel>
#include <QLineEdit>
#include <QMenu>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

// Adds icons to the tree; the model itself knows nothing about a screen.
class IconProxy : public QIdentityProxyModel
{
public:
    using QIdentityProxyModel::QIdentityProxyModel;
    QVariant data(const QModelIndex &index, int role) const override
    {
        if (role != Qt::DecorationRole || index.column() != FileTreeModel::Name)
            return QIdentityProxyModel::data(index, role);
        if (QIdentityProxyModel::data(index, FileTreeModel::ErrorRole).isValid())
            return themeIcon(u"dialog-error"_s, QStyle::SP_MessageBoxCritical);
        switch (FileInfo::Type(QIdentityProxyModel::data(index, FileTreeModel::TypeRole).toInt())) {
        case FileInfo::Type::Directory:
            return themeIcon(u"folder"_s, QStyle::SP_DirIcon);
        case FileInfo::Type::SymbolicLink:
            return themeIcon(u"emblem-symbolic-link"_s, QStyle::SP_FileLinkIcon);
        default:
            return themeIcon(u"text-x-generic"_s, QStyle::SP_FileIcon);
        }
    }
};

QString joined(const QString &folder, const QString &name)
{
    return folder.endsWith(u'/') ? folder + name : folder + u'/' + name;
}

QString parentOf(const QString &path)
{
    const qsizetype slash = path.lastIndexOf(u'/');
    return slash <= 0 ? u"/"_s : path.first(slash);
}

} // namespace

FilesPane::FilesPane(const SandboxPtr &sandbox, MessageArea *messages, QWidget *parent)
    : QWidget(parent)
    , m_sandbox(sandbox)
    , m_messages(messages)
{
    setObjectName(u"filesPane"_s);
    setAccessibleName(tr("Files"));
    const QString start = sandbox->details().workingDirectory;
    m_model = new FileTreeModel([files = sandbox->files()](const QString &path) { return files.ls(path); },
                                start.isEmpty() ? u"/"_s : start, this);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    // The rest in a turn of its own: a tab opens with its editor, its files come a moment later.
    QMetaObject::invokeMethod(this, &FilesPane::createContent, Qt::QueuedConnection);
}

void FilesPane::createContent()
{
    auto *bar = new QToolBar(this);
    bar->setAccessibleName(tr("File actions"));
    createActions(bar);
    m_path = new QLineEdit(displayPath(m_model->rootPath()), this);
    m_path->setObjectName(u"filesPath"_s);
    m_path->setAccessibleName(tr("Folder"));
    createView();
    connect(m_path, &QLineEdit::returnPressed, this, [this] { showFolder(m_path->text()); });
    connect(m_model, &FileTreeModel::directoryFailed, this,
            [this](const QString &path, const ErrorInfo &error) {
                // That the sandbox is gone is told once, by its tab.
                if (path == m_model->rootPath() && error.kind != ErrorKind::SandboxGone)
                    m_messages->showError(tr("%1 could not be read").arg(displayPath(path)), error);
            });
    auto *content = static_cast<QVBoxLayout *>(layout());
    content->addWidget(bar);
    content->addWidget(m_path);
    content->addWidget(m_view, 1);
    updateActions();
}

void FilesPane::createActions(QToolBar *bar)
{
    m_up = bar->addAction(themeIcon(u"go-up"_s, QStyle::SP_FileDialogToParent), tr("Parent Folder"), this,
                          [this] { showFolder(parentOf(m_model->rootPath())); });
    m_up->setShortcut(QKeySequence(u"Alt+Up"_s));
    m_refresh = bar->addAction(themeIcon(u"view-refresh"_s, QStyle::SP_BrowserReload), tr("Read Again"), this,
                               &FilesPane::refresh);
    m_open =
        bar->addAction(themeIcon(u"document-open"_s, QStyle::SP_DialogOpenButton), tr("Open"), this, [this] {
            if (const std::optional<FileInfo> file = selectedFile())
                Q_EMIT openRequested(*file);
        });
    m_upload = bar->addAction(themeIcon(u"document-import"_s, QStyle::SP_ArrowUp), tr("Upload…"), this,
                              [this] { chooseUpload(QFileDialog::ExistingFile); });
    m_uploadFolder = bar->addAction(themeIcon(u"folder-new"_s, QStyle::SP_DirIcon), tr("Upload Folder…"), this,
                                    [this] { chooseUpload(QFileDialog::Directory); });
    m_download = bar->addAction(themeIcon(u"document-export"_s, QStyle::SP_ArrowDown), tr("Download…"), this,
                                &FilesPane::chooseDownload);
    const QMap<QString, QAction *> names{{u"files.up"_s, m_up},
                                         {u"files.refresh"_s, m_refresh},
                                         {u"files.open"_s, m_open},
                                         {u"files.upload"_s, m_upload},
                                         {u"files.uploadFolder"_s, m_uploadFolder},
                                         {u"files.download"_s, m_download}};
    for (const auto &[name, action] : names.asKeyValueRange()) {
        action->setObjectName(name);
        if (auto *button = qobject_cast<QToolButton *>(bar->widgetForAction(action))) {
            button->setAccessibleName(action->text());
            button->setFocusPolicy(Qt::TabFocus);
        }
    }
}

void FilesPane::createView()
{
    m_view = new QTreeView(this);
    auto *icons = new IconProxy(this);
    icons->setSourceModel(m_model);
    m_view->setObjectName(u"fileTree"_s);
    m_view->setAccessibleName(tr("Files of the sandbox"));
    m_view->setModel(icons);
    m_view->setUniformRowHeights(true);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    for (const int column : {FileTreeModel::Modified, FileTreeModel::Mode, FileTreeModel::OwnerColumn})
        m_view->setColumnHidden(column, true); // the tool tip tells them
    m_view->header()->setStretchLastSection(false);
    m_view->header()->setSectionResizeMode(FileTreeModel::Name, QHeaderView::Stretch);
    m_view->header()->resizeSection(FileTreeModel::Size, fontMetrics().averageCharWidth() * 13);
    connect(m_view, &QTreeView::activated, this, [this] {
        const std::optional<FileInfo> file = selectedFile();
        if (file && file->type != FileInfo::Type::Directory)
            Q_EMIT openRequested(*file);
    });
    followChanges(icons);
    connect(m_view, &QWidget::customContextMenuRequested, this, &FilesPane::showContextMenu);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &FilesPane::updateActions);
}

void FilesPane::followChanges(QAbstractProxyModel *shown)
{
    if (!m_sandbox->capabilities().testFlag(Capability::Watch))
        return;
    m_watch = new FileTreeWatch(m_model, FileTreeWatch::watcherOf(m_sandbox->files()), this);
    connect(m_view, &QTreeView::expanded, m_watch,
            [this, shown](const QModelIndex &index) { m_watch->setOpen(shown->mapToSource(index), true); });
    connect(m_view, &QTreeView::collapsed, m_watch,
            [this, shown](const QModelIndex &index) { m_watch->setOpen(shown->mapToSource(index), false); });
    m_watch->setActive(isVisible());
}

void FilesPane::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_watch)
        m_watch->setActive(true);
}

void FilesPane::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    if (m_watch)
        m_watch->setActive(false);
}

void FilesPane::showFolder(const QString &path)
{
    m_path->setText(displayPath(path));
    m_model->setRootPath(path);
}

void FilesPane::refresh()
{
    m_model->refresh();
    if (!m_view)
        return;
    // Folders that are open show what is in them now, too.
    for (QModelIndex index = m_view->indexAt({0, 0}); index.isValid(); index = m_view->indexBelow(index)) {
        if (m_view->isExpanded(index))
            m_model->refresh(static_cast<QAbstractProxyModel *>(m_view->model())->mapToSource(index));
    }
}

std::optional<FileInfo> FilesPane::selectedFile() const
{
    const QModelIndexList rows = m_view ? m_view->selectionModel()->selectedRows() : QModelIndexList();
    if (rows.isEmpty())
        return std::nullopt;
    return rows.first().data(FileTreeModel::FileInfoRole).value<FileInfo>();
}

QString FilesPane::selectedFolder() const
{
    const std::optional<FileInfo> file = selectedFile();
    if (!file)
        return m_model->rootPath();
    return file->type == FileInfo::Type::Directory ? file->path : parentOf(file->path);
}

void FilesPane::updateActions()
{
    const std::optional<FileInfo> file = selectedFile();
    const bool readable =
        file && (file->type == FileInfo::Type::File || file->type == FileInfo::Type::SymbolicLink);
    const bool transfers = m_sandbox->capabilities().testFlag(Capability::UploadDownload);
    m_open->setEnabled(readable);
    m_open->setStatusTip(readable ? tr("Shows the file") : tr("Not available: no file is selected"));
    const bool copyable = readable || (file && file->type == FileInfo::Type::Directory);
    const QString noTransfers = tr("Not available: this sandbox cannot transfer files");
    m_download->setEnabled(copyable && transfers);
    m_download->setStatusTip(!transfers ? noTransfers
                             : copyable
                                 ? tr("Copies the file, or the folder with all that is in it, to this computer")
                                 : tr("Not available: no file is selected"));
    m_upload->setEnabled(transfers);
    m_upload->setStatusTip(transfers ? tr("Copies a file of this computer into the folder") : noTransfers);
    m_uploadFolder->setEnabled(transfers);
    m_uploadFolder->setStatusTip(
        transfers ? tr("Copies a folder of this computer, with all that is in it, into the folder")
                  : noTransfers);
}

void FilesPane::chooseUpload(QFileDialog::FileMode mode)
{
    auto *dialog = new QFileDialog(this, tr("Upload to %1").arg(displayPath(selectedFolder())));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(mode);
    connect(dialog, &QFileDialog::fileSelected, this, &FilesPane::upload);
    dialog->open();
}

void FilesPane::chooseDownload()
{
    const std::optional<FileInfo> file = selectedFile();
    if (!file)
        return;
    auto *dialog = new QFileDialog(this, tr("Download %1").arg(displayPath(file->name)));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(displayPath(file->name));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, file](const QString &local) { download(*file, local); });
    dialog->open();
}

void FilesPane::upload(const QString &local)
{
    const QString name = local.section(u'/', -1);
    addTransfer(new Transfer(Transfer::Direction::Upload, name,
                             m_sandbox->files().upload(local, joined(selectedFolder(), name)), this));
}

void FilesPane::download(const FileInfo &file, const QString &local)
{
    addTransfer(new Transfer(Transfer::Direction::Download, file.name,
                             m_sandbox->files().download(file.path, local), this));
}

void FilesPane::addTransfer(Transfer *transfer)
{
    auto *row = new TransferRow(transfer, this);
    layout()->addWidget(row);
    connect(row, &TransferRow::ended, this, [this, row, transfer] {
        if (transfer->state() == Transfer::State::Failed)
            m_messages->showError(tr("%1 was not copied").arg(displayPath(transfer->name())),
                                  transfer->error());
        row->hide();
        row->deleteLater();
        refresh();
    });
}

void FilesPane::showContextMenu(const QPoint &position)
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addActions({m_open, m_download, m_upload, m_uploadFolder, m_refresh});
    menu->popup(m_view->viewport()->mapToGlobal(position));
}

} // namespace Sandboxio::Desktop
