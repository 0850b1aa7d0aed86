// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shell/desktopoptions.h"
#include "steprunner.h"

namespace Sandboxio::Desktop {

/*! Measures a cell that prints much: the real window on the real backend, one sandbox, one run for each kind of
    output. Prints the time, how much the memory grew at most, and whether all of it is there. */
class OutputScript : public Script
{
    Q_OBJECT
public:
    explicit OutputScript(const DesktopOptions &options, QObject *parent = nullptr);

protected:
    void prepare() override;

private:
    void addRun(const QString &name, const QString &commandLine);
    void report(const QString &name);

    DesktopOptions m_options;
    QElapsedTimer m_elapsed;
    qint64 m_memoryBefore = 0;
    qint64 m_memoryMost = 0;
};

} // namespace Sandboxio::Desktop
