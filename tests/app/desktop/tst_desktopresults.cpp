// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "session/resultsview.h"
#include "support/testprogram.h"

#include <QAccessible>
#include <QBuffer>
#include <QImage>
#include <QImageReader>
#include <QLabel>
#include <QScopeGuard>
#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Desktop;
using namespace Qt::StringLiterals;

/*! The view of what a cell made, without a sandbox. */
class DesktopResultsTest : public QObject
{
    Q_OBJECT

    static RichOutput text(const QString &text)
    {
        RichOutput output;
        output.bundle.insert(u"text/plain"_s, text.toUtf8());
        return output;
    }
    static RichOutput picture(const QSize &size, const QString &plain)
    {
        QImage image(size, QImage::Format_RGB32);
        image.fill(Qt::blue);
        QBuffer png;
        if (!png.open(QIODevice::WriteOnly) || !image.save(&png, "PNG"))
            qFatal("no PNG");
        RichOutput output = text(plain);
        output.bundle.insert(u"image/png"_s, png.data());
        return output;
    }

private Q_SLOTS:
    void aScreenReaderIsToldTheText()
    {
        ResultsView view;
        view.setResults({text(u"forty-two"_s)});
        const QAccessibleInterface *label = QAccessible::queryAccessibleInterface(view.findChild<QLabel *>());
        QCOMPARE(label->text(QAccessible::Name), u"Value"_s);
        QCOMPARE(label->text(QAccessible::Description), u"forty-two"_s);
    }

    void aPictureIsToldBySizeAndText()
    {
        ResultsView view;
        view.setResults({picture({30, 20}, u"a plot"_s)});
        QTRY_COMPARE(view.text(), u"Picture, 30 × 20"_s);
        const auto *label = view.findChild<QLabel *>();
        QCOMPARE(label->accessibleDescription(), u"a plot"_s);
        QCOMPARE(label->pixmap().toImage().pixelColor(5, 5), QColor(Qt::blue));
    }

    void aLargePictureIsScaledDown()
    {
        ResultsView view;
        view.setResults({picture({3200, 100}, u"wide"_s)});
        QTRY_COMPARE(view.text(), u"Picture, 1600 × 50"_s);
    }

    void allTextsTogetherAreLimited()
    {
        ResultsView view;
        const QString most(15'000, u'x');
        view.setResults({text(most), text(most), text(u"last"_s)});
        const auto labels = view.findChildren<QLabel *>();
        QCOMPARE(labels.size(), 3);
        QCOMPARE(labels[0]->text(), most);
        QCOMPARE(labels[1]->text(), QString(5'000, u'x') + u"\nThe rest is not shown."_s);
        QCOMPARE(labels[2]->text(), u"The rest is not shown."_s);
        view.setResults({text(most)}); // of each run anew
        QCOMPARE(view.text(), most);
    }

    void charactersOfManyBytesAreCutAlike()
    {
        ResultsView view;
        view.setResults({text(QString(ResultsView::mostCharacters, u'€'))});
        QCOMPARE(view.text(), QString(ResultsView::mostCharacters, u'€'));
        view.setResults({text(QString(ResultsView::mostCharacters + 1, u'€'))});
        QVERIFY(view.text().endsWith(u"€\nThe rest is not shown."_s));
    }

    void aPictureThatTheReaderRefusesIsShownByItsText()
    {
        const auto restore =
            qScopeGuard([limit = QImageReader::allocationLimit()] { QImageReader::setAllocationLimit(limit); });
        QImageReader::setAllocationLimit(1); // MiB
        ResultsView view;
        view.setResults({picture({1000, 1000}, u"too large"_s), picture({10, 10}, u"small"_s)});
        QTRY_COMPARE(view.text(), u"too large\nPicture, 10 × 10"_s); // they are decoded one after the other
    }

    void picturesOfTheRunBeforeAreGone()
    {
        ResultsView view;
        view.setResults({picture({3000, 3000}, u"first"_s), picture({10, 10}, u"second"_s)});
        view.setResults({picture({20, 20}, u"third"_s)});
        QTRY_COMPARE(view.text(), u"Picture, 20 × 20"_s);
    }

    void moreValuesThanAreShownAreCounted()
    {
        ResultsView view;
        view.setResults(QList<RichOutput>(ResultsView::mostResults + 2, text(u"x"_s)));
        const auto labels = view.findChildren<QLabel *>();
        QCOMPARE(labels.size(), ResultsView::mostResults + 1);
        QVERIFY2(labels.last()->text().startsWith(u"2 more"_s), qPrintable(labels.last()->text()));
    }
};

SANDBOXIO_WIDGETS_TEST(DesktopResultsTest)
#include "tst_desktopresults.moc"
