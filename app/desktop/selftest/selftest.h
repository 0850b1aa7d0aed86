// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "steprunner.h"

#include <QTemporaryDir>

#include <memory>

namespace Sandboxio {
class Engine;
}

namespace Sandboxio::Desktop {

class MainWindow;

/*! The main job in the real window on the demo backend: create by the dialog, run, look at output and files,
    kill, find orphans. Keeps its settings and its state in a temporary folder. */
class SelfTest : public Script
{
    Q_OBJECT
public:
    explicit SelfTest(QObject *parent = nullptr);
    ~SelfTest() override;

protected:
    void prepare() override;
    void tearDown(std::function<void()> done) override;
    QString situation() const override;

private:
    void addCreateSteps();
    void addRunSteps();
    void addFileSteps();
    void addKillSteps();
    void addOrphanSteps();

    QTemporaryDir m_folder;
    std::unique_ptr<Engine> m_engine;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace Sandboxio::Desktop
