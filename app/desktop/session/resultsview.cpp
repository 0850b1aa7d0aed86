// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "resultsview.h"

#include <sandboxio/core/handover.h>
#include <sandboxio/core/operation.h>

#include <QBuffer>
#include <QCoreApplication>
#include <QFontDatabase>
#include <QImageReader>
#include <QLabel>
#include <QPixmap>
#include <QPointer>
#include <QThreadPool>
#include <QVBoxLayout>

#include <array>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize shownPicture(1600, 1200); // larger ones are scaled down
constexpr std::array pictureFormats{"png", "jpeg"};

// A picture that the reader refuses, for its size too (QImageReader::allocationLimit()), is null.
QImage decoded(const QByteArray &data, const QByteArray &format)
{
    QBuffer buffer;
    buffer.setData(data);
    QImageReader reader(&buffer, format);
    reader.setDecideFormatFromContent(false);
    QImage image = reader.read();
    if (image.width() > shownPicture.width() || image.height() > shownPicture.height())
        image = image.scaled(shownPicture, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    image.convertTo(QImage::Format_ARGB32_Premultiplied); // as it is painted
    return image;
}

// One thread for all cells: a picture takes much memory while it is decoded.
QThreadPool *decoder()
{
    static QPointer<QThreadPool> pool;
    if (!pool) {
        pool = new QThreadPool(QCoreApplication::instance());
        pool->setMaxThreadCount(1);
    }
    return pool;
}

void decode(const QByteArray &data, const QByteArray &format, const OperationPromise<QImage> &promise)
{
    QThreadPool *pool = decoder();
    const HandOver handOver(pool);
    pool->start(takingOver(pool, [promise, data, format] {
        if (promise.isCancelRequested())
            promise.cancelled();
        else
            promise.finish(decoded(data, format));
    }));
}

} // namespace

ResultsView::ResultsView(QWidget *parent)
    : QScrollArea(parent)
{
    setObjectName(u"cellResults"_s);
    setAccessibleName(tr("Values of the cell"));
    setWidgetResizable(true);
    setBackgroundRole(QPalette::Base);
    hide();
}

ResultsView::~ResultsView()
{
    cancelDecodings();
}

void ResultsView::cancelDecodings()
{
    for (const auto &cancel : std::exchange(m_decodings, {}))
        cancel();
}

void ResultsView::setResults(const QList<RichOutput> &results)
{
    cancelDecodings();
    m_charactersLeft = mostCharacters;
    m_page = new QWidget;
    m_page->setAccessibleName(tr("Values of the cell"));
    m_layout = new QVBoxLayout(m_page);
    for (const RichOutput &result : results.first(std::min(results.size(), mostResults)))
        addResult(result);
    if (results.size() > mostResults)
        addLabel(tr("%n more value(s) are not shown", nullptr, int(results.size() - mostResults)));
    m_layout->addStretch();
    setWidget(m_page); // takes it, and deletes the one before
    setVisible(!results.isEmpty());
}

QLabel *ResultsView::addLabel(const QString &text)
{
    auto *label = new QLabel(text, m_page);
    label->setTextFormat(Qt::PlainText); // never markup: untrusted code made it
    label->setAccessibleName(tr("Value"));
    label->setAccessibleDescription(text);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_layout->addWidget(label);
    return label;
}

// The text of \a result as far as there is room for it.
QString ResultsView::takeText(const RichOutput &result)
{
    const QByteArray plain = result.bundle.value(u"text/plain"_s);
    const qsizetype mostBytes = 4 * (m_charactersLeft + 1); // of UTF-8; one more shows that there is a rest
    QString text = plain.isEmpty() ? tr("A value as %1").arg(QStringList(result.bundle.keys()).join(u", "_s))
                                   : QString::fromUtf8(plain.first(std::min(plain.size(), mostBytes)));
    const bool isCut = text.size() > m_charactersLeft;
    text.truncate(m_charactersLeft);
    m_charactersLeft -= text.size();
    if (isCut)
        text += (text.isEmpty() ? QString() : u"\n"_s) + tr("The rest is not shown.");
    return text;
}

void ResultsView::addResult(const RichOutput &result)
{
    QLabel *label = addLabel(takeText(result));
    for (const char *format : pictureFormats) {
        const QByteArray picture = result.bundle.value(u"image/"_s + QLatin1StringView(format));
        if (!picture.isEmpty()) {
            showPicture(label, picture, format);
            return;
        }
    }
    label->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
}

void ResultsView::showPicture(QLabel *label, const QByteArray &picture, const QByteArray &format)
{
    const OperationPromise<QImage> promise;
    m_decodings.append(promise.weakCancel());
    promise.operation().then(label, [label](const QImage &image) {
        if (image.isNull())
            return; // its text stays
        label->setAccessibleName(tr("Picture, %1 × %2").arg(image.width()).arg(image.height()));
        label->setPixmap(QPixmap::fromImage(image, Qt::NoOpaqueDetection));
    });
    decode(picture, format, promise);
}

QString ResultsView::text() const
{
    QStringList lines;
    const auto labels = m_page ? m_page->findChildren<QLabel *>() : QList<QLabel *>();
    for (const QLabel *label : labels)
        lines.append(label->pixmap().isNull() ? label->text() : label->accessibleName());
    return lines.join(u'\n');
}

} // namespace Sandboxio::Desktop
