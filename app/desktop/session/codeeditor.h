// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>

namespace KSyntaxHighlighting {
class SyntaxHighlighter;
}

namespace Sandboxio::Desktop {

/*! A plain editor with syntax highlighting in the colours of the palette. Tab indents by four spaces; Shift+Tab
    and F6 leave the editor. */
class CodeEditor : public QPlainTextEdit
{
    Q_OBJECT
public:
    explicit CodeEditor(QWidget *parent = nullptr);

    /*! Highlights as the language \a name ("python", "bash"…); unknown ones stay plain. */
    void setLanguage(const QString &name);
    /*! Highlights by the extension of \a fileName. */
    void setLanguageOf(const QString &fileName);

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void applyTheme();

    KSyntaxHighlighting::SyntaxHighlighter *m_highlighter;
};

} // namespace Sandboxio::Desktop
