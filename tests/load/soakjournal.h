// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/runtime/engine.h>

#include <QElapsedTimer>
#include <QMap>

#include <memory>

namespace Sandboxio::Load {

/*! A sandbox of the soak, with what was done to it that explains errors. Times are the journal's. */
struct SoakBox
{
    static constexpr qint64 never = std::numeric_limits<qint64>::max();

    SandboxPtr sandbox;
    qint64 killedAt = never;
    qint64 expiresAt = never;
    qint64 lostAt = never; // its daemon was restarted
    qint64 pausedAt = never;
    qint64 resumedAt = 0;
    QStringList contexts;

    bool isUsable() const { return killedAt == never && lostAt == never; }
    bool isPaused() const { return pausedAt != never && resumedAt < pausedAt; }
};
using SoakBoxPtr = std::shared_ptr<SoakBox>;

/*! One operation of the soak. */
struct SoakOperation
{
    QString kind;
    qint64 step = 0;
    qint64 startedAt = 0;
    SoakBoxPtr box;
    bool cancelled = false;    // its cancellation was asked for
    QList<ErrorKind> expected; // errors that it is made to have
    int ends = 0;
};
using SoakOperationPtr = std::shared_ptr<SoakOperation>;

/*! Every operation of a soak with its end, and whether a fault explains that. */
class SoakJournal
{
public:
    explicit SoakJournal(quint32 seed);

    qint64 now() const { return m_clock.elapsed(); }
    SoakOperationPtr begin(const QString &kind, const SoakBoxPtr &box);
    void succeeded(const SoakOperationPtr &operation, bool isRight, const QString &what);
    void failed(const SoakOperationPtr &operation, const ErrorInfo &error);
    void cancelled(const SoakOperationPtr &operation);

    /*! Between the two the daemon may be away. */
    void outageBegins() { m_outages.append({now(), SoakBox::never}); }
    void outageEnds() { m_outages.last().second = now(); }
    bool isOutage() const { return !m_outages.isEmpty() && m_outages.last().second == SoakBox::never; }
    qsizetype outages() const { return m_outages.size(); }

    qsizetype open() const { return m_open.size(); }
    QStringList openKinds() const;
    QStringList problems() const { return m_problems; }
    /*! How many ended how. */
    QString summary() const;

private:
    void end(const SoakOperationPtr &operation, const QString &outcome);
    void complain(const SoakOperation &operation, const QString &what);
    bool wasDuringOutage(const SoakOperation &operation) const;
    bool isExplained(const SoakOperation &operation, ErrorKind kind) const;

    const quint32 m_seed;
    QElapsedTimer m_clock;
    qint64 m_steps = 0;
    QList<SoakOperationPtr> m_open;
    QList<std::pair<qint64, qint64>> m_outages;
    QMap<QString, qint64> m_outcomes;
    QStringList m_problems;
};

} // namespace Sandboxio::Load
