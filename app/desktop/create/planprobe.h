// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/runtime/engine.h>

#include <QMap>

namespace Sandboxio::Desktop {

/*! Finds out what a target refuses, by asking for plans that differ in one thing from a plain one. Nothing is
 * created. */
class PlanProbe : public QObject
{
    Q_OBJECT
public:
    explicit PlanProbe(Engine *engine, QObject *parent = nullptr);

    /*! Asks about \a target; answers about an earlier one are dropped. */
    void probe(const Target &target);
    /*! Why the target refuses \a egress; empty when it does not, or as long as that is not known. */
    QString refusalOf(NetworkPolicy::Egress egress) const { return m_egress.value(egress); }
    /*! Why the target refuses \a cap. */
    QString refusalOf(Resources::Cap cap) const { return m_caps.value(cap); }
    /*! Why the target creates only for who accepts that nothing else than this program ends a sandbox for certain;
       empty when it does not ask that. */
    QString lifetimeDoubt() const { return m_lifetimeDoubt; }

Q_SIGNALS:
    /*! Something is known that was not. */
    void changed();

private:
    void ask(const CreateOptions &options, const std::function<void(const QString &refusal)> &found);
    void askAll();
    void askAboutLifetime();

    Engine *m_engine;
    Target m_target;
    quint64 m_generation = 0;
    QList<ErrorInfo> m_plain; // refusals of the plain plan: they are not about a choice
    QMap<NetworkPolicy::Egress, QString> m_egress;
    QMap<Resources::Cap, QString> m_caps;
    QString m_lifetimeDoubt;
};

} // namespace Sandboxio::Desktop
