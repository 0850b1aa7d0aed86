// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "application.h"

#include <QEvent>
#include <QLocale>
#include <QMetaEnum>
#include <QTranslator>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

QString describe(const QObject *receiver)
{
    const QString type = QString::fromLatin1(receiver->metaObject()->className());
    return receiver->objectName().isEmpty() ? type : type + u' ' + receiver->objectName();
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
    m_measuring = qEnvironmentVariableIsSet("SANDBOXIO_EVENT_TIMES");
    setQuitOnLastWindowClosed(false); // the window closes first, then the engine shuts down
}

bool Application::notify(QObject *receiver, QEvent *event)
{
    if (!m_measuring || m_depth > 0)
        return QApplication::notify(receiver, event);
    const QString name = describe(receiver); // it may be gone afterwards
    const QEvent::Type type = event->type();
    const std::chrono::nanoseconds before = threadCpuTime();
    ++m_depth;
    const bool result = QApplication::notify(receiver, event);
    --m_depth;
    const std::chrono::nanoseconds spent = threadCpuTime() - before;
    m_times.countOne();
    if (m_times.isNotable(spent)) {
        const char *key = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
        m_times.add(spent, name, key ? QString::fromLatin1(key) : u"event %1"_s.arg(int(type)));
    }
    return result;
}

} // namespace Sandboxio::Desktop
