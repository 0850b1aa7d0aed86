// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessionpage.h"

#include "cellpane.h"
#include "errors/messagearea.h"
#include "files/filespane.h"
#include "files/fileviewer.h"
#include "findbar.h"
#include "outputview.h"

#include <sandboxio/core/path.h>

#include <QFileDialog>
#include <QLocale>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {
constexpr qint64 askAbove = 5 * 1024 * 1024; // bytes
}

SessionPage::SessionPage(const SandboxPtr &sandbox, const QString &outputDirectory, QWidget *parent)
    : QWidget(parent)
    , m_sandbox(sandbox)
    , m_outputDirectory(outputDirectory)
    , m_messages(new MessageArea(this))
    , m_tabs(new QTabWidget(this))
    , m_cell(new CellPane(sandbox, outputDirectory, this))
{
    setObjectName(u"sessionPage"_s);
    setAccessibleName(tr("Sandbox"));
    m_tabs->setAccessibleName(tr("Cell and files"));
    m_tabs->setDocumentMode(true);
    m_tabs->setTabsClosable(true);
    m_tabs->addTab(m_cell, tr("Cell"));
    m_tabs->tabBar()->setTabButton(0, QTabBar::RightSide, nullptr);
    m_tabs->tabBar()->setTabButton(0, QTabBar::LeftSide, nullptr);
    m_tabs->tabBar()->setAccessibleName(tr("Cell and files"));
    connect(m_tabs, &QTabWidget::tabCloseRequested, this, [this](int index) {
        QWidget *page = m_tabs->widget(index);
        m_tabs->removeTab(index);
        page->deleteLater();
    });
    connect(m_cell, &CellPane::runFailed, this,
            [this](const ErrorInfo &error) { m_messages->showError(tr("The run failed"), error); });
    connect(m_cell, &CellPane::restartFailed, this, [this](const ErrorInfo &error) {
        m_messages->showError(tr("The interpreter did not start again"), error);
    });
    connect(m_cell, &CellPane::saveRequested, this, &SessionPage::chooseOutputFile);
    connect(m_cell, &CellPane::storageFailed, this, &SessionPage::showStorageFailure);

    auto *splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setAccessibleName(tr("Files and cell"));
    if (sandbox->capabilities().testFlag(Capability::FileSystem)) {
        m_files = new FilesPane(sandbox, m_messages, this);
        connect(m_files, &FilesPane::openRequested, this, &SessionPage::openFile);
        splitter->addWidget(m_files);
    }
    splitter->addWidget(m_tabs);
    splitter->setStretchFactor(splitter->count() - 1, 1);
    const int em = fontMetrics().averageCharWidth();
    splitter->setSizes({em * 46, em * 110});
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_messages);
    layout->addWidget(splitter, 1);
    setFocusProxy(m_cell);
}

void SessionPage::showStorageFailure(const QString &reason)
{
    Message message;
    message.kind = Message::Kind::Error;
    message.title = tr("The output is not kept any more");
    message.text =
        tr("The disk refused it: %1. The program goes on; what it prints from now on is counted and lost.")
            .arg(reason);
    message.hint = tr("Check permissions and free space of %1, then run the cell again.")
                       .arg(m_outputDirectory.isEmpty() ? OutputLog::defaultDirectory() : m_outputDirectory);
    message.actions = {{tr("&Interrupt the Run"), [this] {
                            m_cell->interrupt();
                        }}};
    m_messages->showMessage(message);
}

void SessionPage::findInOutput()
{
    m_tabs->setCurrentWidget(m_cell);
    m_cell->findBar()->open();
}

void SessionPage::findAgain(bool backward)
{
    m_tabs->setCurrentWidget(m_cell);
    m_cell->findBar()->find(backward);
}

void SessionPage::chooseOutputFile()
{
    const QString output = tr("Output (*)");
    const QString errors = tr("Errors (*)");
    auto *dialog = new QFileDialog(this, tr("Save Exact Output"));
    dialog->setObjectName(u"saveOutputDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({output, errors});
    dialog->selectFile(tr("output.txt"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, dialog, errors](const QString &path) {
        saveOutput(dialog->selectedNameFilter() == errors ? OutputStream::StandardError
                                                          : OutputStream::StandardOutput,
                   path);
    });
    dialog->open();
}

void SessionPage::saveOutput(OutputStream stream, const QString &path)
{
    OutputLog *log = m_cell->output()->log();
    Message message;
    if (!log) {
        message.title = tr("There is no output to save yet");
        m_messages->showMessage(message);
        return;
    }
    const Operation<qint64> saving = log->save(stream, path);
    m_messages->showTask(tr("Saving the output to %1").arg(path), saving);
    saving
        .then(this,
              [this, path](qint64 missing) {
                  Message saved;
                  saved.kind = missing > 0 ? Message::Kind::Warning : Message::Kind::Information;
                  saved.title = tr("The output is saved in %1").arg(path);
                  if (missing > 0)
                      saved.text = tr("%1 of it were not kept; a line in the file says where.")
                                       .arg(QLocale().formattedDataSize(missing));
                  m_messages->showMessage(saved);
              })
        .onError(this, [this](const ErrorInfo &error) {
            m_messages->showError(tr("The output was not saved"), error);
        });
}

QList<FileViewer *> SessionPage::viewers() const
{
    return m_tabs->findChildren<FileViewer *>();
}

void SessionPage::openFile(const FileInfo &file)
{
    if (file.type == FileInfo::Type::Other || file.type == FileInfo::Type::Directory)
        return;
    if (file.size <= askAbove) {
        readFile(file);
        return;
    }
    Message question;
    question.kind = Message::Kind::Question;
    question.title = tr("%1 has %2").arg(displayPath(file.name), QLocale().formattedDataSize(file.size));
    question.text = tr("Opening it copies all of it from the sandbox.");
    question.actions = {{tr("&Open"),
                         [this, file] {
                             readFile(file);
                         }},
                        {tr("&Leave It"), {}, true}};
    m_messages->showMessage(question);
}

void SessionPage::readFile(const FileInfo &file)
{
    const QString name = displayPath(file.name);
    const Operation<QByteArray> reading = m_sandbox->files().read(file.path, std::max(file.size * 2, askAbove));
    m_messages->showTask(tr("Reading %1").arg(name), reading);
    reading
        .then(this,
              [this, file, name](const QByteArray &content) {
                  auto *viewer = new FileViewer(file, content, m_outputDirectory, m_tabs);
                  m_tabs->setCurrentIndex(m_tabs->addTab(viewer, name));
                  m_tabs->setTabToolTip(m_tabs->currentIndex(), displayPath(file.path));
              })
        .onError(this, [this, name](const ErrorInfo &error) {
            m_messages->showError(tr("%1 could not be read").arg(name), error);
        });
}

} // namespace Sandboxio::Desktop
