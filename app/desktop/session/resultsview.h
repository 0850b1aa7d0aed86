// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/execresult.h>

#include <QScrollArea>

#include <functional>

class QLabel;
class QVBoxLayout;

namespace Sandboxio::Desktop {

/*! The values that a cell made, one below the other: the picture of a value where it has one, else its text. They come
    from inside a sandbox, so nothing of them is interpreted as markup, and pictures are decoded in another
    thread, one at a time. Hidden while there is nothing to show. */
class ResultsView : public QScrollArea
{
    Q_OBJECT
public:
    static constexpr qsizetype mostResults = 50;
    static constexpr qsizetype mostCharacters = 20'000; //!< of all texts together; what is left out is said

    explicit ResultsView(QWidget *parent = nullptr);
    ~ResultsView() override;

    void setResults(const QList<RichOutput> &results);
    /*! What is shown, for tests; a picture is a line with its size. */
    QString text() const;

private:
    QLabel *addLabel(const QString &text);
    QString takeText(const RichOutput &result);
    void cancelDecodings();
    void addResult(const RichOutput &result);
    void showPicture(QLabel *label, const QByteArray &picture, const QByteArray &format);

    QWidget *m_page = nullptr;
    QVBoxLayout *m_layout = nullptr;
    qsizetype m_charactersLeft = 0;
    QList<std::function<void()>> m_decodings; // each cancels one
};

} // namespace Sandboxio::Desktop
