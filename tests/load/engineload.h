// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "awaitingframe.h"

#include <sandboxio/runtime/engine.h>

#include <QObject>
#include <QRandomGenerator>

namespace Sandboxio::Load {

/*! Loads an engine with more than anybody waits for and ends it in every way there is. What is left afterwards, at the
    provider or in this process, is a failure. Derived once per backend.

    Moments are random; their seed is printed, and SANDBOXIO_LOAD_SEED repeats it. */
class EngineLoadTest : public QObject
{
    Q_OBJECT
public:
    EngineLoadTest();
    ~EngineLoadTest() override;

protected:
    virtual QString unavailable() { return {}; }
    virtual std::unique_ptr<Engine> makeEngine() = 0;
    virtual Target target() const = 0;
    virtual CreateOptions options() const = 0;
    /*! Everything at the provider that our sandboxes are made of. */
    virtual QStringList atProvider() const = 0;
    /*! What runs in the sandbox \a id. */
    virtual QStringList runningIn(const QString &id) const = 0;
    /*! About how long a create takes; creates are cancelled within that time. */
    virtual std::chrono::milliseconds createTime() const = 0;

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void cancelledAtRandomMomentsNothingIsLeft();
    void manyRunsCancelledAtOnceEndSoon();
    void anEngineDestroyedWithAHundredInFlightLeavesNothing_data();
    void anEngineDestroyedWithAHundredInFlightLeavesNothing();

private:
    struct Follower;
    enum class End { Cancelled, ReceiverDies, FrameDestroyed };

    std::chrono::milliseconds randomUntil(std::chrono::milliseconds limit);
    End randomEnd() { return static_cast<End>(m_random.bounded(3)); }
    void later(std::chrono::milliseconds time, std::function<void()> action);
    template <typename T>
    std::shared_ptr<Follower> follow(const Operation<T> &operation, End how);
    void letGo(const std::shared_ptr<Follower> &follower);
    void startRun(std::chrono::milliseconds spread);
    void startCreate();
    void startEverything(std::vector<std::unique_ptr<Process>> &processes);
    void take(const SandboxPtr &sandbox) { m_taken.append(sandbox); }
    template <typename T>
    void take(const T &)
    {}
    void endEverythingTaken();
    void expectNothingLeft();

    QRandomGenerator m_random;
    std::unique_ptr<Engine> m_engine;
    SandboxPtr m_shared;
    std::vector<std::shared_ptr<Follower>> m_followers;
    std::vector<std::function<bool()>> m_ended; // of everything that somebody still holds
    QList<SandboxPtr> m_taken;
    QStringList m_warnings;
    QStringList m_errors;
    int m_pending = 0; // actions that are still to come
    qsizetype m_threads = 0;
    QStringList m_descriptors;
};

} // namespace Sandboxio::Load
