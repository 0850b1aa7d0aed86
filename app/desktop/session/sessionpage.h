// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/fileinfo.h>
#include <sandboxio/runtime/sandbox.h>

#include <QWidget>

class QSplitter;
class QTabWidget;

namespace Sandboxio::Desktop {

class CellPane;
class FilesPane;
class FileViewer;
class MessageArea;

/*! One sandbox in a tab: its files at the left; cell and opened files at the right. */
class SessionPage : public QWidget
{
    Q_OBJECT
public:
    SessionPage(const SandboxPtr &sandbox, const QString &outputDirectory, QWidget *parent = nullptr);

    const SandboxPtr &sandbox() const { return m_sandbox; }
    CellPane *cell() const { return m_cell; }
    FilesPane *files() const { return m_files; } //!< null where the sandbox has no files to look at
    MessageArea *messages() const { return m_messages; }
    /*! Opens \a file to read; asks first when it is large. */
    void openFile(const FileInfo &file);
    /*! Finds text in the output of the cell; onward from the last place, or backward. */
    void findInOutput();
    void findAgain(bool backward);
    /*! Asks where the output of the cell should go, and saves it. */
    void chooseOutputFile();
    /*! Writes the exact bytes of \a stream to the file \a path of this computer. */
    void saveOutput(OutputStream stream, const QString &path);
    /*! The opened files. */
    QList<FileViewer *> viewers() const;

private:
    void readFile(const FileInfo &file);
    void showStorageFailure(const QString &reason);

    SandboxPtr m_sandbox;
    QString m_outputDirectory;
    MessageArea *m_messages;
    QTabWidget *m_tabs;
    CellPane *m_cell;
    FilesPane *m_files = nullptr;
};

} // namespace Sandboxio::Desktop
