// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "application.h"

#include <QEvent>
#include <QLocale>
#include <QMetaEnum>
#include <QTranslator>

#include <ctime>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

std::chrono::nanoseconds threadTime()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

} // namespace

Application::Application(int &argc, char **argv)
    : QApplication(argc, argv)
{
    setOrganizationName(u"sandboxio"_s);
    setApplicationName(u"sandboxio-desktop"_s);
    setApplicationDisplayName(tr("Sandboxio"));
    setApplicationVersion(QStringLiteral(SANDBOXIO_VERSION));
    setDesktopFileName(u"io.sandboxio.Sandboxio"_s);
    const QString translations = u":/sandboxio/translations"_s;
    auto *translator = new QTranslator(this);
    // English has plurals to read, and it is what is shown where there is no translation.
    if (translator->load(QLocale(), u"sandboxio"_s, u"_"_s, translations) ||
        translator->load(u"sandboxio_en"_s, translations))
        installTranslator(translator);
    setQuitOnLastWindowClosed(false); // the window closes first, then the engine shuts down
}

bool Application::notify(QObject *receiver, QEvent *event)
{
    if (!m_measuring || m_depth > 0)
        return QApplication::notify(receiver, event);
    const QString name = QString::fromLatin1(receiver->metaObject()->className());
    const QEvent::Type type = event->type();
    const std::chrono::nanoseconds before = threadTime();
    ++m_depth;
    const bool result = QApplication::notify(receiver, event);
    --m_depth;
    const std::chrono::nanoseconds spent = threadTime() - before;
    if (spent > m_longest) {
        m_longest = spent;
        m_longestName =
            u"%1 of %2"_s.arg(QLatin1StringView(QMetaEnum::fromType<QEvent::Type>().valueToKey(type)), name);
    }
    return result;
}

} // namespace Sandboxio::Desktop
