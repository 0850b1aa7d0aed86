// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "operationwatcher.h"

namespace Sandboxio {

OperationWatcher::OperationWatcher(std::function<void()> cancelOperation, QObject *parent)
    : QObject(parent)
    , m_cancel(std::move(cancelOperation))
{}

OperationWatcher::~OperationWatcher() = default;

void OperationWatcher::cancel()
{
    m_cancel();
}

void OperationWatcher::report(OperationOutcome outcome, const ErrorInfo &error)
{
    if (outcome == OperationOutcome::Value)
        Q_EMIT succeeded();
    else if (outcome == OperationOutcome::Error)
        Q_EMIT failed(error);
    else
        Q_EMIT cancelled();
    Q_EMIT ended();
}

} // namespace Sandboxio
