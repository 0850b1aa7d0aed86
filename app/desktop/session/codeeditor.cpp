// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "codeeditor.h"

#include <KSyntaxHighlighting/Definition>
#include <KSyntaxHighlighting/Repository>
#include <KSyntaxHighlighting/SyntaxHighlighter>
#include <KSyntaxHighlighting/Theme>

#include <QFontDatabase>
#include <QKeyEvent>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

constexpr int indentation = 4;

// Reading the definitions takes milliseconds; all editors share them.
KSyntaxHighlighting::Repository &repository()
{
    static KSyntaxHighlighting::Repository definitions;
    return definitions;
}

} // namespace

CodeEditor::CodeEditor(QWidget *parent)
    : QPlainTextEdit(parent)
    , m_highlighter(new KSyntaxHighlighting::SyntaxHighlighter(document()))
{
    const QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    setFont(fixed);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setTabStopDistance(fontMetrics().horizontalAdvance(u' ') * indentation);
    applyTheme();
}

void CodeEditor::setLanguage(const QString &name)
{
    m_highlighter->setDefinition(repository().definitionForName(name));
}

void CodeEditor::setLanguageOf(const QString &fileName)
{
    m_highlighter->setDefinition(repository().definitionForFileName(fileName));
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
    m_highlighter->setTheme(repository().themeForPalette(palette()));
    m_highlighter->rehighlight();
}

} // namespace Sandboxio::Desktop
