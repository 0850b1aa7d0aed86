// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "desktopfixture.h"

#include "errors/messagearea.h"

#include <QEventLoop>
#include <QPushButton>
#include <QTest>
#include <QTimer>

using namespace Sandboxio;
using namespace Sandboxio::Desktop;
using namespace Qt::StringLiterals;

DesktopFixture::DesktopFixture(DesktopOptions::AtQuit atQuit, const QString &outputDirectory)
    : m_target(Target::fromDsn(u"fake://?store=desktop"_s))
{
    EngineOptions engineOptions;
    engineOptions.stateDirectory = m_folder.filePath(u"state"_s);
    m_engine = std::make_unique<Engine>(engineOptions);
    DesktopOptions options;
    options.targets = {m_target};
    options.atQuit = atQuit;
    options.settingsFile = m_folder.filePath(u"settings.ini"_s);
    options.outputDirectory = outputDirectory.isEmpty() ? m_folder.filePath(u"output"_s) : outputDirectory;
    m_window = std::make_unique<MainWindow>(m_engine.get(), options);
    QObject::connect(m_window.get(), &MainWindow::finished, m_window.get(), [this] { m_finished = true; });
    m_window->show();
}

DesktopFixture::~DesktopFixture()
{
    if (m_finished)
        return;
    // A loop of its own: waiting with Qt Test gives up at once after a failure.
    QEventLoop loop;
    QObject::connect(m_window.get(), &MainWindow::finished, &loop, &QEventLoop::quit, Qt::QueuedConnection);
    QTimer::singleShot(15000, &loop, &QEventLoop::quit);
    m_window->close();
    if (m_window->isVisible()) // it asks
        m_window->messages()->bars().last()->findChild<QPushButton *>()->click();
    loop.exec();
    if (!m_finished)
        qFatal("the window did not finish");
}

SessionPage *DesktopFixture::createSession(const CreateOptions &options)
{
    const qsizetype before = m_window->sessions().size();
    m_window->createSandbox(m_target, options);
    if (!QTest::qWaitFor([&] { return m_window->sessions().size() > before; }, 10000))
        return nullptr;
    return m_window->sessions().last();
}
