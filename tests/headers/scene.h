// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
// What the examples in the doc comments of public headers take for granted. Compiled, never run.
#pragma once

#include <sandboxio/models/orphanmodel.h>
#include <sandboxio/models/outputlog.h>
#include <sandboxio/runtime/engine.h>
#include <sandboxio/runtime/process.h>
#include <sandboxio/runtime/sandbox.h>

#include <sandboxio/testing/contractsubject.h>

#include <QCoreApplication>
#include <QCoroTask>
#include <QDebug>
#include <QObject>
#include <QTest>

#include <chrono>
#include <tuple>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

struct Provider
{
    void remove(const QString &id);
};

class MessageBar : public QObject
{
public:
    void showError(const ErrorInfo &);
};

class TransferBar : public QObject
{
public:
    void update();
};

#define SCENE                                                                                                  \
    Engine &engine, SandboxPtr sandbox, Process *process, OutputLog *log, MessageBar *bar,                     \
        TransferBar *transferBar, Command command, QString name, QString local, QString remote,                \
        OrphanModel &model, TargetListing &listing, ContractProbes &probes, Provider *provider
