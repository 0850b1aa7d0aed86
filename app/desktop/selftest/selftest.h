// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "steprunner.h"

namespace Sandboxio::Desktop {

/*! The main job in the real window on the demo backend: create by the dialog, run, look at output and files,
    kill, find orphans. */
class SelfTest : public Script
{
    Q_OBJECT
public:
    explicit SelfTest(QObject *parent = nullptr);

protected:
    void prepare() override;
    void tearDown(std::function<void()> done) override;

private:
    void addCreateSteps();
    void addRunSteps();
    void addFileSteps();
    void addKillSteps();
    void addOrphanSteps();
};

} // namespace Sandboxio::Desktop
