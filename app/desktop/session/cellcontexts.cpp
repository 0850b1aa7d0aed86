// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cellcontexts.h"

#include <QCoreApplication>

namespace Sandboxio::Desktop {

CellContexts::CellContexts(const SandboxPtr &sandbox, QObject *parent)
    : QObject(parent)
    , m_sandbox(sandbox)
{}

// What is still being made may come in spite of the cancel, after this object.
CellContexts::~CellContexts()
{
    for (const std::optional<Operation<QString>> &making : std::as_const(m_making)) {
        making->then(QCoreApplication::instance(),
                     [sandbox = m_sandbox](const QString &id) { std::ignore = sandbox->removeContext(id); });
        making->cancel();
    }
}

bool CellContexts::has(const QString &language) const
{
    const std::optional<Operation<QString>> made = m_making.value(language);
    return made && made->outcome() == OperationOutcome::Value;
}

Operation<QString> CellContexts::of(const QString &language)
{
    const std::optional<Operation<QString>> known = m_making.value(language);
    if (known && (!known->isEnded() || known->outcome() == OperationOutcome::Value))
        return *known;
    const Operation<QString> making = m_sandbox->createContext(language);
    m_making[language] = making;
    making.then(this, [this](const QString &) { Q_EMIT changed(); });
    return making;
}

Operation<void> CellContexts::restart(const QString &language)
{
    Q_ASSERT(has(language));
    const OperationPromise<void> promise;
    m_making.value(language)->then(this, [this, promise](const QString &id) {
        m_sandbox->restartContext(id)
            .then(this, [promise] { promise.finish(); })
            .onError(this, [promise](const ErrorInfo &error) { promise.fail(error); })
            .onCancelled(this, [promise] { promise.cancelled(); });
    });
    return promise.operation();
}

} // namespace Sandboxio::Desktop
