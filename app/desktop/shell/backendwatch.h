// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/models/sandboxlistmodel.h>
#include <sandboxio/runtime/engine.h>

namespace Sandboxio::Desktop {

/*! Which targets the window shows, their live list, and why they do not answer. */
class BackendWatch : public QObject
{
    Q_OBJECT
public:
    /*! Follows \a targets; empty: every usable backend except the demo. */
    BackendWatch(Engine *engine, const QList<Target> &targets, QObject *parent = nullptr);

    SandboxListModel *model() const { return m_model; }
    QList<Target> targets() const { return m_targets; }
    /*! Whether there is a demo that is not shown yet. */
    bool canAddDemo() const;
    /*! Shows the built-in demo backend as well. */
    void addDemo();
    /*! Asks every target for its list again. */
    void refresh();
    /*! Starts a diagnosis, unless one runs; diagnosed() follows. */
    void diagnose();

Q_SIGNALS:
    void targetsChanged();
    void capabilitiesKnown(const Sandboxio::Target &target, Sandboxio::Capabilities capabilities);
    void diagnosed(const Sandboxio::DoctorReport &report);
    /*! A sandbox ceased to exist. */
    void sandboxRemoved(const Sandboxio::Target &target, const QString &id);

private:
    void follow(const QList<Target> &targets);
    void askCapabilities(const Target &target);

    Engine *m_engine;
    QList<Target> m_targets;
    SandboxListModel *m_model;
    QList<SandboxWatcher *> m_watchers;
    bool m_diagnosing = false;
};

} // namespace Sandboxio::Desktop
