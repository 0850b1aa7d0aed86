// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fileviewer.h"

#include "hexdump.h"
#include "session/codeeditor.h"
#include "session/outputview.h"

#include <sandboxio/core/path.h>
#include <sandboxio/models/outputtext.h>

#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {
constexpr qsizetype highlightLimit = 256 * 1024;
constexpr qsizetype textSlice = 4 * 1024; // highlighting takes about a millisecond per KiB
constexpr qsizetype lineSlice = 64 * 1024;
} // namespace

FileViewer::FileViewer(const FileInfo &file, const QByteArray &content, const QString &outputDirectory,
                       QWidget *parent)
    : QWidget(parent)
    , m_file(file)
    , m_data(content)
    , m_isText(looksLikeText(content))
{
    setObjectName(u"fileViewer"_s);
    setAccessibleName(displayPath(file.path));
    const QString kind = m_isText ? tr("read-only text") : tr("binary, in hexadecimal");
    auto *header = new QLabel(
        tr("%1 · %2 · %3").arg(displayPath(file.path), QLocale().formattedDataSize(content.size()), kind),
        this);
    header->setTextFormat(Qt::PlainText);
    header->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    header->setAccessibleName(tr("File"));
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(header);
    if (m_isText && content.size() <= highlightLimit) {
        m_editor = new CodeEditor(this);
        m_editor->setReadOnly(true);
        m_editor->setUndoRedoEnabled(false);
        m_editor->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        m_editor->setLanguageOf(file.name);
        m_editor->setAccessibleName(tr("Content of %1").arg(displayPath(file.name)));
        layout->addWidget(m_editor, 1);
        // Text that is there before its language would be highlighted at once as a whole.
        connect(m_editor, &CodeEditor::languageReady, this, &FileViewer::addSlice);
    } else {
        m_log = new OutputLog({.directory = outputDirectory}, this);
        m_lines = new OutputView(this);
        m_lines->setAccessibleName(tr("Content of %1").arg(displayPath(file.name)));
        m_lines->setLog(m_log);
        m_lines->setFollowing(false);
        layout->addWidget(m_lines, 1);
        addSlice();
    }
}

void FileViewer::addSlice()
{
    const QByteArrayView rest = QByteArrayView(m_data).sliced(m_position);
    if (m_editor) {
        const QByteArrayView slice = rest.first(foldLength(rest, textSlice));
        QTextCursor cursor(m_editor->document());
        cursor.movePosition(QTextCursor::End);
        cursor.insertText(QString::fromUtf8(slice));
        m_position += slice.size();
    } else {
        const QByteArrayView slice = rest.first(std::min(rest.size(), lineSlice));
        m_log->append({.data = m_isText ? slice.toByteArray() : hexDump(slice, m_position)});
        m_position += slice.size();
    }
    if (!isLoaded())
        QMetaObject::invokeMethod(this, &FileViewer::addSlice, Qt::QueuedConnection);
    else if (m_log)
        m_log->finish();
}

QString FileViewer::shownText(qsizetype maximum) const
{
    return m_editor ? m_editor->toPlainText().left(maximum) : m_lines->visibleText().left(maximum);
}

} // namespace Sandboxio::Desktop
