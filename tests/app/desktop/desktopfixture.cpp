// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "desktopfixture.h"

#include <QSignalSpy>
#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Desktop;
using namespace Qt::StringLiterals;

DesktopFixture::DesktopFixture()
    : m_target(Target::fromDsn(u"fake://"_s))
{
    EngineOptions engineOptions;
    engineOptions.stateDirectory = m_folder.filePath(u"state"_s);
    m_engine = std::make_unique<Engine>(engineOptions);
    DesktopOptions options;
    options.targets = {m_target};
    options.settingsFile = m_folder.filePath(u"settings.ini"_s);
    options.outputDirectory = m_folder.filePath(u"output"_s);
    m_window = std::make_unique<MainWindow>(m_engine.get(), options);
    m_window->show();
}

DesktopFixture::~DesktopFixture()
{
    QSignalSpy finished(m_window.get(), &MainWindow::finished);
    m_window->close();
    if (finished.isEmpty() && !finished.wait(15000))
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
