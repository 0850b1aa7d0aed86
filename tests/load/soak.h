// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "smalldaemon.h"
#include "soakjournal.h"

#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTimer>

namespace Sandboxio::Load {

/*! Does at random what a program does with sandboxes for days, while its daemon is restarted now and then. */
class Soak : public QObject
{
    Q_OBJECT
public:
    Soak(Engine &engine, Live::SmallDaemon &daemon, quint32 seed);
    ~Soak() override;

    /*! Begins; nothing new begins after \a duration. */
    void start(std::chrono::milliseconds duration);
    /*! Whether everything that was begun has ended. */
    bool isOver() const { return m_isStopping && m_journal.open() == 0 && m_delayed == 0 && !m_isRestarting; }
    /*! Begins the end of every sandbox that is left. */
    void killAll();
    const SoakJournal &journal() const { return m_journal; }
    qsizetype sandboxes() const;
    /*! Ids and names that the engine said it could not remove, by a warning or by the error of a kill. */
    QStringList orphans() const { return m_orphans; }

private:
    using Action = void (Soak::*)(const SoakBoxPtr &box);
    struct Choice
    {
        int weight;
        Action action;
    };
    static const QList<Choice> &choices();

    void step();
    void restartDaemon();
    SoakBoxPtr anyBox();
    QByteArray randomBytes(qsizetype limit);
    int random(int limit) { return static_cast<int>(m_random.bounded(limit)); }
    void later(int milliseconds, std::function<void()> action);

    template <typename T>
    SoakOperationPtr follow(const QString &kind, const SoakBoxPtr &box, const Operation<T> &operation,
                            std::type_identity_t<std::function<QString(const T &)>> check);
    SoakOperationPtr follow(const QString &kind, const SoakBoxPtr &box, const Operation<void> &operation,
                            const std::function<void()> &done = {});
    /*! Cancels \a operation at a random moment. */
    template <typename T>
    void cancelSoon(const SoakOperationPtr &entry, const Operation<T> &operation);

    void create();
    void kill(const SoakBoxPtr &box);
    void killRandomly(const SoakBoxPtr &box);
    void run(const SoakBoxPtr &box);
    void runWithMuchOutput(const SoakBoxPtr &box);
    void runPastItsLimit(const SoakBoxPtr &box);
    void runAndCancel(const SoakBoxPtr &box);
    void streamAndDrop(const SoakBoxPtr &box);
    void cell(const SoakBoxPtr &box);
    void cellPastItsLimit(const SoakBoxPtr &box);
    void createContext(const SoakBoxPtr &box);
    void removeContext(const SoakBoxPtr &box);
    void writeAndRead(const SoakBoxPtr &box);
    void uploadAndDownload(const SoakBoxPtr &box);
    void uploadAndCancel(const SoakBoxPtr &box);
    void look(const SoakBoxPtr &box);
    void pause(const SoakBoxPtr &box);

    Engine &m_engine;
    Live::SmallDaemon &m_daemon;
    QRandomGenerator m_random;
    SoakJournal m_journal;
    QTemporaryDir m_files;
    QTimer m_steps;
    QTimer m_restarts;
    QList<SoakBoxPtr> m_boxes;
    QStringList m_orphans;
    std::vector<std::shared_ptr<Process>> m_processes;
    int m_creating = 0;
    int m_delayed = 0; // actions that are still to come
    qint64 m_number = 0;
    bool m_isStopping = false;
    bool m_isRestarting = false;
};

} // namespace Sandboxio::Load
