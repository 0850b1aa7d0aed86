// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "codeeditor.h"

#include <KSyntaxHighlighting/SyntaxHighlighter>

#include <QElapsedTimer>
#include <QFontDatabase>
#include <QKeyEvent>
#include <QTextBlock>
#include <QTimer>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int indentation = 4;
constexpr auto colouringStep = 4ms;

} // namespace

CodeEditor::CodeEditor(QWidget *parent)
    : QPlainTextEdit(parent)
    , m_recolour(new QTimer(this))
{
    const QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    setFont(fixed);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setTabStopDistance(fontMetrics().horizontalAdvance(u' ') * indentation);
    connect(m_recolour, &QTimer::timeout, this, &CodeEditor::recolour);
}

void CodeEditor::setLanguage(const QString &name)
{
    SyntaxLibrary::instance()->find(name, this, whenReady());
}

void CodeEditor::setLanguageOf(const QString &fileName)
{
    SyntaxLibrary::instance()->findForFile(fileName, this, whenReady());
}

SyntaxLibrary::Callback CodeEditor::whenReady()
{
    return [this, wanted = ++m_wanted](const Syntax &syntax) {
        if (wanted != m_wanted)
            return; // another language was asked for since
        m_syntax = syntax;
        applySyntax();
        Q_EMIT languageReady();
    };
}

void CodeEditor::applySyntax()
{
    if (!m_highlighter)
        m_highlighter = new KSyntaxHighlighting::SyntaxHighlighter(document());
    m_highlighter->setTheme(m_syntax.themeFor(palette()));
    m_highlighter->setDefinition(m_syntax.definition);
}

bool CodeEditor::event(QEvent *event)
{
    // A text edit claims every kind of Enter for itself; with a modifier it is the window's action that runs
    // the cell.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool isEnter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (isEnter && (key->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier))) {
            event->ignore();
            return true;
        }
    }
    return QPlainTextEdit::event(event);
}

void CodeEditor::keyPressEvent(QKeyEvent *event)
{
    if (isReadOnly()) {
        QPlainTextEdit::keyPressEvent(event);
        return;
    }
    if (event->key() == Qt::Key_Tab && event->modifiers() == Qt::NoModifier) {
        textCursor().insertText(QString(indentation - textCursor().positionInBlock() % indentation, u' '));
        event->accept();
    } else if (event->key() == Qt::Key_Backtab) {
        focusPreviousChild();
        event->accept();
    } else {
        QPlainTextEdit::keyPressEvent(event);
    }
}

void CodeEditor::changeEvent(QEvent *event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyTheme();
}

void CodeEditor::applyTheme()
{
    if (!m_highlighter)
        return;
    m_highlighter->setTheme(m_syntax.themeFor(palette()));
    m_nextBlock = 0;
    m_recolour->start();
}

// A long text takes its new colours in steps.
void CodeEditor::recolour()
{
    QElapsedTimer elapsed;
    elapsed.start();
    QTextBlock block = document()->findBlockByNumber(m_nextBlock);
    for (; block.isValid() && elapsed.durationElapsed() < colouringStep; block = block.next())
        m_highlighter->rehighlightBlock(block);
    m_nextBlock = block.isValid() ? block.blockNumber() : 0;
    if (!block.isValid())
        m_recolour->stop();
}

} // namespace Sandboxio::Desktop
