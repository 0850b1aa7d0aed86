// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "resultsview.h"

#include <sandboxio/core/operation.h>

#include <QBuffer>
#include <QFontDatabase>
#include <QImageReader>
#include <QLabel>
#include <QPixmap>
#include <QThreadPool>
#include <QVBoxLayout>

#include <array>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

constexpr int largestPictureMib = 256;    // decoded
constexpr QSize shownPicture(1600, 1200); // larger ones are scaled down
constexpr std::array pictureFormats{"png", "jpeg"};

// A picture that the reader refuses is null.
QImage decoded(const QByteArray &data, const QByteArray &format)
{
    QBuffer buffer;
    buffer.setData(data);
    QImageReader reader(&buffer, format);
    reader.setDecideFormatFromContent(false);
    const QSize size = reader.size();
    if (!size.isValid() || qint64(size.width()) * size.height() * 4 > qint64(largestPictureMib) * 1024 * 1024)
        return {};
    const QImage image = reader.read();
    const bool fits = image.width() <= shownPicture.width() && image.height() <= shownPicture.height();
    return fits ? image : image.scaled(shownPicture, Qt::KeepAspectRatio, Qt::SmoothTransformation);
}

Operation<QImage> decoding(const QByteArray &data, const QByteArray &format)
{
    const OperationPromise<QImage> promise;
    QThreadPool::globalInstance()->start([promise, data, format] { promise.finish(decoded(data, format)); });
    return promise.operation();
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

void ResultsView::setResults(const QList<RichOutput> &results)
{
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
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_layout->addWidget(label);
    return label;
}

void ResultsView::addResult(const RichOutput &result)
{
    const QByteArray plain = result.bundle.value(u"text/plain"_s);
    QString text = QString::fromUtf8(plain.first(std::min(plain.size(), 4 * mostCharacters)));
    const bool isCut = plain.size() > 4 * mostCharacters || text.size() > mostCharacters;
    text.truncate(mostCharacters);
    if (isCut)
        text += u'\n' + tr("The rest is not shown.");
    else if (text.isEmpty())
        text = tr("A value as %1").arg(QStringList(result.bundle.keys()).join(u", "_s));
    QLabel *label = addLabel(text);
    for (const char *format : pictureFormats) {
        const QByteArray data = result.bundle.value(u"image/"_s + QLatin1StringView(format));
        if (!data.isEmpty()) {
            showPicture(label, data, format);
            return;
        }
    }
    label->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
}

void ResultsView::showPicture(QLabel *label, const QByteArray &data, const QByteArray &format)
{
    decoding(data, format).then(label, [label](const QImage &image) {
        if (image.isNull())
            return; // its text stays
        label->setAccessibleDescription(label->text());
        label->setAccessibleName(tr("Picture, %1 × %2").arg(image.width()).arg(image.height()));
        label->setPixmap(QPixmap::fromImage(image));
    });
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
