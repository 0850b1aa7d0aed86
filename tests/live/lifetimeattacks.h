// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/runtime/engine.h>

#include <QMap>
#include <QStringList>

#include <chrono>

namespace Sandboxio::Live {

/*! Something that is tried from inside against the end of a sandbox. */
struct LifetimeAttack
{
    QString name;
    QString script;
    QStringList refusals = {}; //!< what each try must be answered with, one of them; empty: anything
    Resources resources = {.cpu = {}, .memoryMb = {}, .diskMb = {}, .gpu = {}, .processes = 64, .waived = {}};
    std::chrono::milliseconds lifetime = std::chrono::seconds(3);
    bool onOneProcessor = false; //!< everything inside, with the first process
};

QList<LifetimeAttack> lifetimeAttacks();

/*! What an attack led to. */
struct AttackEnd
{
    qint64 endedMs = 0;         //!< after \a sandbox was handed out
    QByteArray exitCode;        //!< of the container
    QMap<QString, int> answers; //!< how often each
    bool hasRun = false;        //!< it printed something, where it prints

    QString answersText() const;
};

/*! Attacks \a sandbox, which was just made, and returns when it has ended. */
AttackEnd attackLifetime(const SandboxPtr &sandbox, const LifetimeAttack &attack);

} // namespace Sandboxio::Live
