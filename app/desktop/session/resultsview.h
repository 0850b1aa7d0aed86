// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/execresult.h>

#include <QScrollArea>

class QLabel;
class QVBoxLayout;

namespace Sandboxio::Desktop {

/*! The values that a cell made, one below the other: the picture of a value where it has one, else its text. They come
    from inside a sandbox, so nothing of them is interpreted as markup, and pictures are decoded in another thread.
    Hidden while there is nothing to show. */
class ResultsView : public QScrollArea
{
    Q_OBJECT
public:
    static constexpr qsizetype mostResults = 50;
    static constexpr qsizetype mostCharacters = 20'000; //!< of one text; what is left out is said

    explicit ResultsView(QWidget *parent = nullptr);

    void setResults(const QList<RichOutput> &results);
    /*! What is shown, for people who do not see it and for tests; a picture is a line with its size. */
    QString text() const;

private:
    QLabel *addLabel(const QString &text);
    void addResult(const RichOutput &result);
    void showPicture(QLabel *label, const QByteArray &data, const QByteArray &format);

    QWidget *m_page = nullptr;
    QVBoxLayout *m_layout = nullptr;
};

} // namespace Sandboxio::Desktop
