// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/fileinfo.h>
#include <sandboxio/runtime/sandbox.h>

#include <QFileDialog>
#include <QWidget>

class QAbstractProxyModel;
class QLineEdit;
class QToolBar;
class QTreeView;

namespace Sandboxio {
class FileTreeModel;
class FileTreeWatch;
class Transfer;
} // namespace Sandboxio

namespace Sandboxio::Desktop {

class MessageArea;

/*! The files of a sandbox: a tree that reads one folder at a time, upload and download. Its controls appear a
    turn of the event loop after it was made. */
class FilesPane : public QWidget
{
    Q_OBJECT
public:
    FilesPane(const SandboxPtr &sandbox, MessageArea *messages, QWidget *parent = nullptr);

    FileTreeModel *model() const { return m_model; }
    /*! Copies the host's file or folder \a local into the folder that is selected. */
    void upload(const QString &local);
    /*! Copies \a file, or the directory with all that is in it, to \a local on the host. */
    void download(const FileInfo &file, const QString &local);
    void refresh();

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

Q_SIGNALS:
    /*! A file should be shown. */
    void openRequested(const Sandboxio::FileInfo &file);

private:
    void createContent();
    void createActions(QToolBar *bar);
    void createView();
    void followChanges(QAbstractProxyModel *shown);
    void showFolder(const QString &path);
    std::optional<FileInfo> selectedFile() const;
    QString selectedFolder() const;
    void chooseUpload(QFileDialog::FileMode mode);
    void chooseDownload();
    void addTransfer(Transfer *transfer);
    void updateActions();
    void showContextMenu(const QPoint &position);

    SandboxPtr m_sandbox;
    MessageArea *m_messages;
    FileTreeModel *m_model;
    FileTreeWatch *m_watch = nullptr; //!< null where changes are not told
    QLineEdit *m_path = nullptr;
    QTreeView *m_view = nullptr;
    QAction *m_up;
    QAction *m_refresh;
    QAction *m_open;
    QAction *m_upload;
    QAction *m_uploadFolder;
    QAction *m_download;
};

} // namespace Sandboxio::Desktop
