// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fakeprovider_p.h"

#include <QObject>

namespace Sandboxio::Fake {

/*! One create: resolve, create, start, verify, each as long as the delay says. Deletes itself when it has
    ended; when it dies before, what it made is removed. */
class CreateJob final : public QObject
{
    Q_OBJECT
public:
    using Promise = OperationPromise<std::shared_ptr<SandboxPort>>;
    CreateJob(std::shared_ptr<Provider> provider, const CreatePlan &plan, const Promise &promise,
              QObject *parent);
    ~CreateJob() override;

Q_SIGNALS:
    void created(const QString &id);

private:
    void beginStep();
    void endStep();
    void fail(const ErrorInfo &error);
    void finish();
    void makeRecord();
    bool refuse(const Faults &faults);

    std::shared_ptr<Provider> m_provider;
    CreatePlan m_plan;
    Promise m_promise;
    int m_step = 0;
    QString m_id; // of the record while this job answers for it
    std::unique_ptr<ArmedTimer> m_timer;
};

} // namespace Sandboxio::Fake
