// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "syntaxlibrary.h"

#include <QPlainTextEdit>

class QTimer;

namespace KSyntaxHighlighting {
class SyntaxHighlighter;
}

namespace Sandboxio::Desktop {

/*! A plain editor with syntax highlighting in the colours of the palette, which comes a moment after the text.
    Tab indents by four spaces; Shift+Tab and F6 leave the editor. */
class CodeEditor : public QPlainTextEdit
{
    Q_OBJECT
public:
    explicit CodeEditor(QWidget *parent = nullptr);

    /*! Highlights as the language \a name ("python", "bash"…); unknown ones stay plain. */
    void setLanguage(const QString &name);
    /*! Highlights as the language of files that are named like \a fileName. */
    void setLanguageOf(const QString &fileName);

Q_SIGNALS:
    /*! The language is there: text that is added from now on is highlighted at once. */
    void languageReady();

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    SyntaxLibrary::Callback whenReady();
    void applySyntax();
    void applyTheme();
    void recolour();

    KSyntaxHighlighting::SyntaxHighlighter *m_highlighter = nullptr; // made with the first language
    Syntax m_syntax;
    quint64 m_wanted = 0; // counts the languages asked for
    QTimer *m_recolour;
    int m_nextBlock = 0;
};

} // namespace Sandboxio::Desktop
