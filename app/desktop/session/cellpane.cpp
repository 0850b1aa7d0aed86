// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cellpane.h"

#include "cellcontexts.h"
#include "codeeditor.h"
#include "findbar.h"
#include "outputview.h"
#include "resultsview.h"
#include "shell/icons.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTimer>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

CellPane::CellPane(const SandboxPtr &sandbox, const QString &outputDirectory, QWidget *parent)
    : QWidget(parent)
    , m_sandbox(sandbox)
    , m_outputDirectory(outputDirectory)
    , m_language(new QComboBox(this))
    , m_runButton(new QPushButton(themeIcon(u"media-playback-start"_s, QStyle::SP_MediaPlay), tr("&Run"), this))
    , m_interruptButton(
          new QPushButton(themeIcon(u"media-playback-stop"_s, QStyle::SP_MediaStop), tr("&Interrupt"), this))
    , m_keepState(new QCheckBox(tr("&Keep state"), this))
    , m_restartButton(
          new QPushButton(themeIcon(u"view-refresh"_s, QStyle::SP_BrowserReload), tr("Res&tart"), this))
    , m_status(new QLabel(this))
    , m_editor(new CodeEditor(this))
    , m_output(new OutputView(this))
    , m_results(new ResultsView(this))
    , m_findBar(new FindBar(m_output, this))
    , m_clock(new QTimer(this))
    , m_contexts(new CellContexts(sandbox, this))
{
    setObjectName(u"cellPane"_s);
    setAccessibleName(tr("Cell"));
    fillLanguages();
    createTexts();
    createLayout();
    m_clock->setInterval(100ms);
    connect(m_clock, &QTimer::timeout, this, &CellPane::updateStatus);
    connect(m_language, &QComboBox::currentIndexChanged, this, &CellPane::updateLanguage);
    connect(m_runButton, &QPushButton::clicked, this, &CellPane::run);
    connect(m_interruptButton, &QPushButton::clicked, this, &CellPane::interrupt);
    connect(m_keepState, &QCheckBox::toggled, this, &CellPane::updateStatus);
    connect(m_restartButton, &QPushButton::clicked, this, &CellPane::restartInterpreter);
    connect(m_contexts, &CellContexts::changed, this, &CellPane::updateStatus);
    connect(m_output, &OutputView::findRequested, m_findBar, &FindBar::open);
    connect(m_output, &OutputView::saveRequested, this, &CellPane::saveRequested);
    updateLanguage();
    updateStatus();
}

void CellPane::fillLanguages()
{
    if (m_sandbox->capabilities().testFlag(Capability::RunCode)) {
        const QStringList languages = m_sandbox->languages();
        for (const QString &language : languages)
            m_language->addItem(tr("%1 code").arg(language.left(1).toUpper() + language.mid(1)), language);
    }
    m_language->addItem(tr("Shell command line"), QString());
}

void CellPane::createTexts()
{
    m_language->setObjectName(u"cellLanguage"_s);
    m_language->setAccessibleName(tr("Language"));
    m_runButton->setAccessibleName(tr("Run the cell"));
    m_runButton->setToolTip(tr("Shift+Enter"));
    m_interruptButton->setAccessibleName(tr("Interrupt the run"));
    m_interruptButton->setToolTip(tr("Ctrl+."));
    m_keepState->setObjectName(u"cellKeepState"_s);
    m_keepState->setAccessibleName(tr("Keep the state of the interpreter"));
    m_keepState->setToolTip(tr("What one run defines the next one finds"));
    m_keepState->setChecked(true);
    m_restartButton->setObjectName(u"cellRestart"_s);
    m_restartButton->setAccessibleName(tr("Restart the interpreter"));
    m_restartButton->setToolTip(tr("Starts the interpreter again; what the runs have defined is lost"));
    const bool canKeepState = m_sandbox->capabilities().testFlag(Capability::StatefulCode);
    m_keepState->setVisible(canKeepState);
    m_restartButton->setVisible(canKeepState);
    m_status->setAccessibleName(tr("State of the run"));
    m_status->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_editor->setObjectName(u"cellEditor"_s);
    m_editor->setAccessibleName(tr("Code"));
    m_editor->setPlaceholderText(tr("Code to run in the sandbox; Shift+Enter runs it"));
    m_output->setObjectName(u"cellOutput"_s);
    m_output->setAccessibleName(tr("Output"));
}

void CellPane::createLayout()
{
    auto *label = new QLabel(tr("&Language:"), this);
    label->setAccessibleName(tr("Language"));
    label->setBuddy(m_language);
    auto *top = new QHBoxLayout;
    top->addWidget(label);
    top->addWidget(m_language);
    top->addWidget(m_runButton);
    top->addWidget(m_interruptButton);
    top->addWidget(m_keepState);
    top->addWidget(m_restartButton);
    top->addStretch();
    top->addWidget(m_status);
    auto *splitter = new QSplitter(Qt::Vertical, this);
    splitter->setAccessibleName(tr("Code and output"));
    splitter->addWidget(m_editor);
    splitter->addWidget(m_output);
    splitter->addWidget(m_results);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    splitter->setStretchFactor(2, 2);
    splitter->setChildrenCollapsible(false);
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(top);
    layout->addWidget(splitter, 1);
    layout->addWidget(m_findBar);
}

QString CellPane::language() const
{
    return m_language->currentData().toString();
}

bool CellPane::keepsState() const
{
    return m_keepState->isChecked() && !m_keepState->isHidden() && !language().isEmpty();
}

void CellPane::updateLanguage()
{
    m_editor->setLanguage(language().isEmpty() ? u"Bash"_s : language());
    updateStatus();
}

void CellPane::setContent(const QString &text, const QString &language)
{
    m_language->setCurrentIndex(std::max(m_language->findData(language), 0));
    m_editor->setPlainText(text);
}

void CellPane::focusEditor()
{
    m_editor->setFocus(Qt::OtherFocusReason);
}

bool CellPane::isRunning() const
{
    return m_run && m_run->isActive();
}

void CellPane::run()
{
    const QString text = m_editor->toPlainText();
    if (isRunning() || m_restarting || text.trimmed().isEmpty())
        return;
    RunContent content{text, language(), {}};
    if (keepsState())
        content.context = m_contexts->of(language());
    delete std::exchange(m_run, new Run(m_sandbox, content, {.directory = m_outputDirectory}, this));
    m_results->setResults({});
    m_output->setLog(m_run->log());
    connect(m_run->log(), &OutputLog::storageFailed, this, &CellPane::storageFailed);
    connect(m_run, &Run::stateChanged, this, [this] {
        updateStatus();
        if (m_run->state() == Run::State::Ended)
            m_results->setResults(m_run->results());
        if (m_run->state() == Run::State::Ended && m_run->error())
            Q_EMIT runFailed(*m_run->error());
        Q_EMIT runStateChanged();
    });
    m_run->start();
}

void CellPane::interrupt()
{
    if (m_run)
        m_run->interrupt();
}

bool CellPane::canRestart() const
{
    return !isRunning() && !m_restarting && keepsState() && m_contexts->has(language());
}

void CellPane::restartInterpreter()
{
    if (!canRestart())
        return;
    const auto set = [this](bool restarting) {
        m_restarting = restarting;
        updateStatus();
        Q_EMIT runStateChanged();
    };
    const auto end = [set] {
        set(false);
    };
    set(true);
    m_contexts->restart(language())
        .then(this, end)
        .onError(this,
                 [this, end](const ErrorInfo &error) {
                     end();
                     Q_EMIT restartFailed(error);
                 })
        .onCancelled(this, end);
}

QString CellPane::statusText() const
{
    if (m_restarting)
        return tr("The interpreter starts again");
    if (!m_run)
        return tr("Not run yet");
    const QString problem = m_run->log()->storageProblem();
    return problem.isEmpty() ? m_run->statusText() : tr("%1 · %2").arg(m_run->statusText(), problem);
}

void CellPane::updateStatus()
{
    m_status->setText(statusText());
    m_runButton->setEnabled(!isRunning() && !m_restarting);
    m_keepState->setEnabled(!isRunning() && !language().isEmpty());
    m_restartButton->setEnabled(canRestart());
    m_interruptButton->setEnabled(isRunning());
    if (isRunning() && !m_clock->isActive())
        m_clock->start();
    else if (!isRunning())
        m_clock->stop();
    if (const bool can = canRestart(); std::exchange(m_couldRestart, can) != can)
        Q_EMIT runStateChanged();
}

} // namespace Sandboxio::Desktop
