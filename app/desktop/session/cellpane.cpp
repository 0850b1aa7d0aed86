// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cellpane.h"

#include "codeeditor.h"
#include "findbar.h"
#include "outputview.h"
#include "shell/icons.h"

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
    , m_status(new QLabel(this))
    , m_editor(new CodeEditor(this))
    , m_output(new OutputView(this))
    , m_findBar(new FindBar(m_output, this))
    , m_clock(new QTimer(this))
{
    setObjectName(u"cellPane"_s);
    setAccessibleName(tr("Cell"));
    fillLanguages();
    createLayout();
    m_clock->setInterval(100ms);
    connect(m_clock, &QTimer::timeout, this, &CellPane::updateStatus);
    connect(m_language, &QComboBox::currentIndexChanged, this, &CellPane::updateLanguage);
    connect(m_runButton, &QPushButton::clicked, this, &CellPane::run);
    connect(m_interruptButton, &QPushButton::clicked, this, &CellPane::interrupt);
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

void CellPane::createLayout()
{
    m_language->setObjectName(u"cellLanguage"_s);
    m_language->setAccessibleName(tr("Language"));
    m_runButton->setAccessibleName(tr("Run the cell"));
    m_runButton->setToolTip(tr("Shift+Enter"));
    m_interruptButton->setAccessibleName(tr("Interrupt the run"));
    m_interruptButton->setToolTip(tr("Ctrl+."));
    m_status->setAccessibleName(tr("State of the run"));
    m_status->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_editor->setObjectName(u"cellEditor"_s);
    m_editor->setAccessibleName(tr("Code"));
    m_editor->setPlaceholderText(tr("Code to run in the sandbox; Shift+Enter runs it"));
    m_output->setObjectName(u"cellOutput"_s);
    m_output->setAccessibleName(tr("Output"));
    auto *label = new QLabel(tr("&Language:"), this);
    label->setAccessibleName(tr("Language"));
    label->setBuddy(m_language);
    auto *top = new QHBoxLayout;
    top->addWidget(label);
    top->addWidget(m_language);
    top->addWidget(m_runButton);
    top->addWidget(m_interruptButton);
    top->addStretch();
    top->addWidget(m_status);
    auto *splitter = new QSplitter(Qt::Vertical, this);
    splitter->setAccessibleName(tr("Code and output"));
    splitter->addWidget(m_editor);
    splitter->addWidget(m_output);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    splitter->setChildrenCollapsible(false);
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(top);
    layout->addWidget(splitter, 1);
    layout->addWidget(m_findBar);
}

void CellPane::updateLanguage()
{
    const QString language = m_language->currentData().toString();
    m_editor->setLanguage(language.isEmpty() ? u"Bash"_s : language);
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
    if (isRunning() || text.trimmed().isEmpty())
        return;
    delete std::exchange(m_run, new Run(m_sandbox, {text, m_language->currentData().toString()},
                                        {.directory = m_outputDirectory}, this));
    m_output->setLog(m_run->log());
    connect(m_run->log(), &OutputLog::storageFailed, this, &CellPane::storageFailed);
    connect(m_run, &Run::stateChanged, this, [this] {
        updateStatus();
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

QString CellPane::statusText() const
{
    if (!m_run)
        return tr("Not run yet");
    const QString problem = m_run->log()->storageProblem();
    return problem.isEmpty() ? m_run->statusText() : tr("%1 · %2").arg(m_run->statusText(), problem);
}

void CellPane::updateStatus()
{
    m_status->setText(statusText());
    m_runButton->setEnabled(!isRunning());
    m_interruptButton->setEnabled(isRunning());
    if (isRunning() && !m_clock->isActive())
        m_clock->start();
    else if (!isRunning())
        m_clock->stop();
}

} // namespace Sandboxio::Desktop
