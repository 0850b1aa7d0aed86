// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "soak.h"

namespace Sandboxio::Load {

/*! \a check says what is wrong with the value; nothing when it is right. */
template <typename T>
SoakOperationPtr Soak::follow(const QString &kind, const SoakBoxPtr &box, const Operation<T> &operation,
                              std::type_identity_t<std::function<QString(const T &)>> check)
{
    const SoakOperationPtr entry = m_journal.begin(kind, box);
    operation
        .then(this,
              [this, entry, check = std::move(check)](const T &value) {
                  const QString wrong = check(value);
                  m_journal.succeeded(entry, wrong.isEmpty(), wrong);
              })
        .onError(this, [this, entry](const ErrorInfo &error) { m_journal.failed(entry, error); })
        .onCancelled(this, [this, entry] { m_journal.cancelled(entry); });
    return entry;
}

inline SoakOperationPtr Soak::follow(const QString &kind, const SoakBoxPtr &box,
                                     const Operation<void> &operation, const std::function<void()> &done)
{
    const SoakOperationPtr entry = m_journal.begin(kind, box);
    operation
        .then(this,
              [this, entry, done] {
                  m_journal.succeeded(entry, true, {});
                  if (done)
                      done();
              })
        .onError(this, [this, entry](const ErrorInfo &error) { m_journal.failed(entry, error); })
        .onCancelled(this, [this, entry] { m_journal.cancelled(entry); });
    return entry;
}

template <typename T>
void Soak::cancelSoon(const SoakOperationPtr &entry, const Operation<T> &operation)
{
    later(random(400), [entry, operation] {
        entry->cancelled = true;
        operation.cancel();
    });
}

} // namespace Sandboxio::Load
