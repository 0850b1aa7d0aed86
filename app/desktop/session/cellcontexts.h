// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/runtime/sandbox.h>

#include <QMap>
#include <QObject>

namespace Sandboxio::Desktop {

/*! The persistent interpreters of one cell, one for each language, made when they are first asked for. They end with
    this object. */
class CellContexts : public QObject
{
    Q_OBJECT
public:
    explicit CellContexts(const SandboxPtr &sandbox, QObject *parent = nullptr);
    ~CellContexts() override;

    /*! The context for \a language; one that could not be made is tried again. */
    Operation<QString> of(const QString &language);
    bool has(const QString &language) const;
    /*! Ends the interpreter for \a language, which has one, and starts it again without its state. */
    Operation<void> restart(const QString &language);

Q_SIGNALS:
    void changed();

private:
    SandboxPtr m_sandbox;
    QMap<QString, std::optional<Operation<QString>>> m_making;
};

} // namespace Sandboxio::Desktop
