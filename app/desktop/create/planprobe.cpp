// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "planprobe.h"

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

CreateOptions optionsWith(NetworkPolicy::Egress egress)
{
    CreateOptions options;
    options.network.egress = egress;
    if (egress == NetworkPolicy::Egress::AllowList || egress == NetworkPolicy::Egress::Learn)
        options.network.allow = {u"example.org"_s};
    return options;
}

CreateOptions optionsWith(Resources::Cap cap)
{
    CreateOptions options;
    switch (cap) {
    case Resources::Cap::Cpu:
        options.resources.cpu = 1;
        break;
    case Resources::Cap::Memory:
        options.resources.memoryMb = 512;
        break;
    case Resources::Cap::Disk:
        options.resources.diskMb = 1024;
        break;
    case Resources::Cap::Processes:
        options.resources.processes = 256;
        break;
    }
    return options;
}

} // namespace

PlanProbe::PlanProbe(Engine *engine, QObject *parent)
    : QObject(parent)
    , m_engine(engine)
{}

void PlanProbe::probe(const Target &target)
{
    m_target = target;
    m_target.templateId.clear();
    m_egress.clear();
    m_caps.clear();
    m_plain.clear();
    m_lifetimeDoubt.clear();
    const quint64 generation = ++m_generation;
    Q_EMIT changed();
    m_engine->plan(m_target).then(this, [this, generation](const CreatePlan &plan) {
        if (generation != m_generation)
            return;
        m_plain = plan.refusals;
        askAll();
        askAboutLifetime();
    });
}

void PlanProbe::askAll()
{
    for (const auto egress : {NetworkPolicy::Egress::Deny, NetworkPolicy::Egress::AllowList,
                              NetworkPolicy::Egress::Learn, NetworkPolicy::Egress::Open})
        ask(optionsWith(egress), [this, egress](const QString &refusal) { m_egress.insert(egress, refusal); });
    for (const auto cap :
         {Resources::Cap::Cpu, Resources::Cap::Memory, Resources::Cap::Disk, Resources::Cap::Processes})
        ask(optionsWith(cap), [this, cap](const QString &refusal) { m_caps.insert(cap, refusal); });
}

void PlanProbe::ask(const CreateOptions &options, const std::function<void(const QString &refusal)> &found)
{
    const quint64 generation = m_generation;
    m_engine->plan(m_target, options).then(this, [this, generation, found](const CreatePlan &plan) {
        if (generation != m_generation)
            return;
        QString refusal;
        for (const ErrorInfo &error : plan.refusals) {
            if (refusal.isEmpty() && !m_plain.contains(error))
                refusal = error.hint.isEmpty() ? error.message : error.message + u'\n' + error.hint;
        }
        found(refusal);
        Q_EMIT changed();
    });
}

void PlanProbe::askAboutLifetime()
{
    if (m_plain.isEmpty())
        return;
    CreateOptions options;
    options.acceptClientSideLifetime = true;
    const quint64 generation = m_generation;
    m_engine->plan(m_target, options).then(this, [this, generation](const CreatePlan &plan) {
        if (generation != m_generation)
            return;
        for (const ErrorInfo &error : std::as_const(m_plain)) {
            if (m_lifetimeDoubt.isEmpty() && !plan.refusals.contains(error))
                m_lifetimeDoubt = error.message;
        }
        Q_EMIT changed();
    });
}

} // namespace Sandboxio::Desktop
