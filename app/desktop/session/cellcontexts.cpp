// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cellcontexts.h"

namespace Sandboxio::Desktop {

CellContexts::CellContexts(const SandboxPtr &sandbox, QObject *parent)
    : QObject(parent)
    , m_sandbox(sandbox)
{}

CellContexts::~CellContexts()
{
    for (const std::optional<Operation<QString>> &making : std::as_const(m_making))
        making->cancel();
    for (const QString &id : std::as_const(m_ids))
        std::ignore = m_sandbox->removeContext(id);
}

Operation<QString> CellContexts::of(const QString &language)
{
    const std::optional<Operation<QString>> known = m_making.value(language);
    if (known && (!known->isEnded() || known->outcome() == OperationOutcome::Value))
        return *known;
    const Operation<QString> making = m_sandbox->createContext(language);
    m_making[language] = making;
    making.then(this, [this, language](const QString &id) {
        m_ids.insert(language, id);
        Q_EMIT changed();
    });
    return making;
}

Operation<void> CellContexts::restart(const QString &language) const
{
    return m_sandbox->restartContext(m_ids.value(language));
}

} // namespace Sandboxio::Desktop
