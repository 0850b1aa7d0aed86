// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "measurement.h"

#include "../sandboxchoice.h"

#include <sandboxio/core/command.h>

#include <array>

namespace Sandboxio::Cli {

/*! The jobs of a sandbox beside the same jobs done by its provider's own tools at the same daemon. */
class Benchmarks
{
public:
    /*! \a sandbox is of the target in \a create, with which more are made. \a rounds: how often each row is measured;
        absent: as often as its figures need. */
    Benchmarks(Session &session, SandboxPtr sandbox, CreateArguments create, std::optional<int> rounds);
    Q_DISABLE_COPY_MOVE(Benchmarks)

    /*! The names of the rows, in the order in which they are measured. */
    static QStringList names();
    /*! Measures the row called \a name, which is one of names(). */
    QCoro::Task<Measurement> measure(const QString &name);

private:
    using Time = std::function<QCoro::Task<double>()>; // one round, seconds
    struct Contest
    {
        Measurement row;
        int rounds = 1;
        Time ours;
        Time peer;
    };

    struct Row
    {
        QLatin1StringView name;
        QCoro::Task<Measurement> (Benchmarks::*measure)();
    };
    static const std::array<Row, 7> &rows();

    QCoro::Task<Measurement> compare(Contest contest);
    QCoro::Task<Measurement> runTrue();
    QCoro::Task<Measurement> runTrueWithDockerPy();
    QCoro::Task<Measurement> manyRuns();
    QCoro::Task<Measurement> create();
    QCoro::Task<Measurement> stream();
    QCoro::Task<Measurement> upload() { return transfer(true); }
    QCoro::Task<Measurement> download() { return transfer(false); }
    QCoro::Task<Measurement> transfer(bool isUpload);

    QCoro::Task<double> timedRun();
    QCoro::Task<double> timedDocker(const QStringList &arguments);
    QCoro::Task<double> timedRuns();
    QCoro::Task<double> timedPrograms();
    QCoro::Task<double> timedCreate();
    QCoro::Task<double> timedStream();
    Operation<void> docker(const QStringList &arguments) const;
    QString dockerHost() const;
    void noteGrowth(const std::optional<qint64> &bytes) { m_growth = std::max(m_growth, bytes); }
    QString withGrowth(const QString &how) const;

    Session &m_session;
    SandboxPtr m_sandbox;
    CreateArguments m_create;
    std::optional<int> m_rounds;
    std::optional<qint64> m_growth; // bytes, of all rounds of a row; absent: the system does not tell
};

} // namespace Sandboxio::Cli
