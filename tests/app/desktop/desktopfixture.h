// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "shell/desktopoptions.h"
#include "shell/mainwindow.h"

#include <sandboxio/runtime/engine.h>

#include <QTemporaryDir>

/*! An engine, a window on the in-memory backend and a folder for everything they write. */
class DesktopFixture
{
public:
    /*! \a outputDirectory: where output is spooled; empty: in the folder. */
    explicit DesktopFixture(
        Sandboxio::Desktop::DesktopOptions::AtQuit atQuit = Sandboxio::Desktop::DesktopOptions::AtQuit::Keep,
        const QString &outputDirectory = {});
    /*! Closes the window and waits for the engine. */
    ~DesktopFixture();
    Q_DISABLE_COPY_MOVE(DesktopFixture)

    Sandboxio::Desktop::MainWindow &window() { return *m_window; }
    Sandboxio::Engine &engine() { return *m_engine; }
    Sandboxio::Target target() const { return m_target; }
    /*! Creates a sandbox in the window and returns its session; null when that failed. */
    Sandboxio::Desktop::SessionPage *createSession(const Sandboxio::CreateOptions &options = {});

private:
    QTemporaryDir m_folder;
    Sandboxio::Target m_target;
    std::unique_ptr<Sandboxio::Engine> m_engine;
    std::unique_ptr<Sandboxio::Desktop::MainWindow> m_window;
    bool m_finished = false;
};
