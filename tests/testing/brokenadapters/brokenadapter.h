// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "forwardingfiles.h"
#include "forwardingprocess.h"

namespace Sandboxio::Broken {

/*! An adapter that breaks one promise, made by wrapping one that keeps all. */
struct BrokenAdapter
{
    using Wrap = std::function<std::unique_ptr<BackendPort>(const Setting &, std::unique_ptr<BackendPort>)>;
    /*! What it does wrong. */
    QString name;
    /*! The family of the contract suite that must catch it; empty when it does no harm and the suite must pass. */
    QString family;
    /*! Why it does no harm, for example what in the runtime stands between. */
    QString harmlessBecause;
    Wrap wrap;
    /*! Other families that hold the same promise; each must fail too. */
    QStringList also;
    /*! Environment variables without which it creates nothing. */
    QStringList credentials;
};

template <typename Backend>
BrokenAdapter brokenBackend(const char *family, const char *name)
{
    return {QString::fromUtf8(name),
            QString::fromUtf8(family),
            {},
            [](const Setting &setting, std::unique_ptr<BackendPort> inner) -> std::unique_ptr<BackendPort> {
                return std::make_unique<Backend>(setting, std::move(inner));
            },
            {},
            {}};
}
template <typename Sandbox>
BrokenAdapter brokenSandbox(const char *family, const char *name)
{
    return brokenBackend<WithSandbox<Sandbox>>(family, name);
}
template <typename Process>
BrokenAdapter brokenProcess(const char *family, const char *name)
{
    return brokenSandbox<WithProcess<Process>>(family, name);
}
template <typename Files>
BrokenAdapter brokenFiles(const char *family, const char *name)
{
    return brokenSandbox<WithFiles<Files>>(family, name);
}
/*! An adapter that the suite must pass because of \a why: something prevents its harm, or it is right and a control. */
inline BrokenAdapter passes(BrokenAdapter adapter, const char *why)
{
    adapter.harmlessBecause = QString::fromUtf8(why);
    return adapter;
}
/*! For a promise that two families of the suite hold. */
inline BrokenAdapter alsoFails(BrokenAdapter adapter, const char *family)
{
    adapter.also.append(QString::fromUtf8(family));
    return adapter;
}

QList<BrokenAdapter> brokenBackends();
QList<BrokenAdapter> brokenBackground();
QList<BrokenAdapter> brokenCreates();
QList<BrokenAdapter> brokenFileSystems();
QList<BrokenAdapter> brokenPolicies();
QList<BrokenAdapter> brokenReapers();
QList<BrokenAdapter> brokenRecords();
QList<BrokenAdapter> brokenRuns();
QList<BrokenAdapter> brokenCode();
QList<BrokenAdapter> brokenCredentials();
QList<BrokenAdapter> brokenContexts();
QList<BrokenAdapter> brokenStores();
QList<BrokenAdapter> brokenStreams();
QList<BrokenAdapter> brokenTimeouts();
QList<BrokenAdapter> brokenWatches();
QList<BrokenAdapter> harmlessAdapters();

} // namespace Sandboxio::Broken
