// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QSplitter;
class QTimer;

namespace Sandboxio::Desktop {

class CodeEditor;
class FindBar;
class OutputView;

/*! A code cell: editor, language, output, and how the last run ended. Runs one thing at a time. */
class CellPane : public QWidget
{
    Q_OBJECT
public:
    CellPane(const SandboxPtr &sandbox, const QString &outputDirectory, QWidget *parent = nullptr);

    void run();
    void interrupt();
    bool isRunning() const;
    const Run *lastRun() const { return m_run; }
    /*! Shows \a text in \a language; an empty language means a shell command line. */
    void setContent(const QString &text, const QString &language);
    OutputView *output() const { return m_output; }
    FindBar *findBar() const { return m_findBar; }
    QString statusText() const;
    void focusEditor();

Q_SIGNALS:
    /*! A run started or ended. */
    void runStateChanged();
    void runFailed(const Sandboxio::ErrorInfo &error);
    /*! Output is not kept any more, for \a reason. */
    void storageFailed(const QString &reason);
    /*! The reader wants to save the output. */
    void saveRequested();

private:
    void createLayout();
    void fillLanguages();
    void updateLanguage();
    void updateStatus();

    SandboxPtr m_sandbox;
    QString m_outputDirectory;
    QComboBox *m_language;
    QPushButton *m_runButton;
    QPushButton *m_interruptButton;
    QLabel *m_status;
    CodeEditor *m_editor;
    OutputView *m_output;
    FindBar *m_findBar;
    QTimer *m_clock;
    Run *m_run = nullptr;
};

} // namespace Sandboxio::Desktop
