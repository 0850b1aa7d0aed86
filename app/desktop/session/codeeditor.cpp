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
