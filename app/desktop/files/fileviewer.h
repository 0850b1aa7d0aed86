// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/fileinfo.h>
#include <sandboxio/models/outputlog.h>

#include <QWidget>

namespace Sandboxio::Desktop {

class CodeEditor;
class OutputView;

/*! A file to read: text with highlighting, large text as plain lines, anything else in hexadecimal. Fills
    itself in small steps so that the window stays alive. */
class FileViewer : public QWidget
{
    Q_OBJECT
public:
    FileViewer(const FileInfo &file, const QByteArray &content, const QString &outputDirectory,
               QWidget *parent = nullptr);

    FileInfo file() const { return m_file; }
    bool isText() const { return m_isText; }
    bool isLoaded() const { return m_position >= m_data.size(); }
    /*! What is shown so far, at most \a maximum characters. */
    QString shownText(qsizetype maximum) const;

private:
    void addSlice();

    FileInfo m_file;
    QByteArray m_data;
    bool m_isText;
    qsizetype m_position = 0;
    OutputLog *m_log = nullptr;
    CodeEditor *m_editor = nullptr;
    OutputView *m_lines = nullptr;
};

} // namespace Sandboxio::Desktop
