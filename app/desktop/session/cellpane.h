// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSplitter;
class QTimer;

namespace Sandboxio::Desktop {

class CellContexts;
class CodeEditor;
class FindBar;
class OutputView;
class ResultsView;

/*! A code cell: editor, language, output, and how the last run ended. Runs one thing at a time. Where the sandbox can,
    the code of a language shares one interpreter, and what one run defines the next one finds. */
class CellPane : public QWidget
{
    Q_OBJECT
public:
    CellPane(const SandboxPtr &sandbox, const QString &outputDirectory, QWidget *parent = nullptr);

    void run();
    void interrupt();
    /*! Starts the interpreter of the language again, without its state; nothing unless canRestart(). */
    void restartInterpreter();
    bool isRunning() const;
    bool isRestarting() const { return m_restarting; }
    /*! Nothing runs, and the language has an interpreter that keeps its state. */
    bool canRestart() const;
    const Run *lastRun() const { return m_run; }
    /*! Shows \a text in \a language; an empty language means a shell command line. */
    void setContent(const QString &text, const QString &language);
    OutputView *output() const { return m_output; }
    ResultsView *results() const { return m_results; }
    FindBar *findBar() const { return m_findBar; }
    QString statusText() const;
    void focusEditor();

Q_SIGNALS:
    /*! A run or a restart started or ended, or canRestart() changed. */
    void runStateChanged();
    void runFailed(const Sandboxio::ErrorInfo &error);
    void restartFailed(const Sandboxio::ErrorInfo &error);
    /*! Output is not kept any more, for \a reason. */
    void storageFailed(const QString &reason);
    /*! The reader wants to save the output. */
    void saveRequested();

private:
    void createTexts();
    void createLayout();
    QString language() const;
    bool keepsState() const;
    void fillLanguages();
    void updateLanguage();
    void updateStatus();

    SandboxPtr m_sandbox;
    QString m_outputDirectory;
    QComboBox *m_language;
    QPushButton *m_runButton;
    QPushButton *m_interruptButton;
    QCheckBox *m_keepState;
    QPushButton *m_restartButton;
    QLabel *m_status;
    CodeEditor *m_editor;
    OutputView *m_output;
    ResultsView *m_results;
    FindBar *m_findBar;
    QTimer *m_clock;
    CellContexts *m_contexts;
    bool m_restarting = false;
    bool m_couldRestart = false; // when the state was shown last
    Run *m_run = nullptr;
};

} // namespace Sandboxio::Desktop
