// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakebackend_p.h"
#include "texts_p.h"

#include <sandboxio/core/policychecks.h>

#include <QUuid>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 defaultDiskMb = 256;

// The fake refuses what a local container backend refuses, so that programs meet the refusals before they meet
// it.
QList<ErrorInfo> refusalsOf(const CreateOptions &options)
{
    QList<ErrorInfo> refusals;
    if (const std::optional<ErrorInfo> wrong = checkCreateOptions(options))
        refusals.append(*wrong);
    const NetworkPolicy::Egress egress = options.network.egress;
    if (egress == NetworkPolicy::Egress::AllowList || egress == NetworkPolicy::Egress::Learn) {
        refusals.append(
            makeError(ErrorKind::CapabilityNotSupported,
                      Text::tr("The in-memory backend cannot enforce egress '%1'.").arg(egressName(egress)),
                      Text::tr("Use egress 'deny' or 'open', or a backend whose plan "
                               "accepts an allow list.")));
    }
    if (!options.network.ingressPorts.isEmpty()) {
        refusals.append(makeError(ErrorKind::CapabilityNotSupported,
                                  Text::tr("The in-memory backend cannot publish ports."),
                                  Text::tr("Leave ingressPorts empty.")));
    }
    if (options.resources.gpu) {
        refusals.append(makeError(ErrorKind::CapabilityNotSupported,
                                  Text::tr("The in-memory backend has no GPU."),
                                  Text::tr("Leave the gpu parameter out.")));
    }
    if (options.requireIsolation && !satisfies(IsolationTier::Container, *options.requireIsolation)) {
        refusals.append(makeError(
            ErrorKind::ConfigurationError,
            Text::tr("The isolation %1 is required and this backend has %2.")
                .arg(isolationTierName(*options.requireIsolation), isolationTierName(IsolationTier::Container)),
            Text::tr("Require less, or choose a backend that `sandboxio doctor` lists with it.")));
    }
    return refusals;
}

} // namespace

CreatePlan planFor(const Provider &provider, const CreateOptions &options)
{
    CreatePlan plan;
    plan.target = provider.target;
    plan.options = options;
    plan.name = u"sandboxio-"_s + QUuid::createUuid().toString(QUuid::WithoutBraces);
    const QString &fromTarget = provider.target.templateId;
    plan.templateId = !options.templateId.isEmpty() ? options.templateId
                      : !fromTarget.isEmpty()       ? fromTarget
                                                    : u"base"_s;
    plan.options.templateId = plan.templateId;
    plan.options.resources.diskMb = options.resources.diskMb.value_or(defaultDiskMb);
    plan.runtime = u"memory"_s;
    plan.tier = IsolationTier::Container;
    plan.tierSource = Text::tr("In memory: nothing runs, nothing escapes.");
    plan.lifetimeMechanism = Text::tr("It is gone when this program is gone.");
    plan.refusals = refusalsOf(options);
    if (provider.script->faults().clientSideLifetime && !options.acceptClientSideLifetime) {
        plan.refusals.append(makeError(
            ErrorKind::ConfigurationError,
            Text::tr(
                "Code inside may stop what ends the sandbox, and only this program can end it from outside."),
            Text::tr("Accept it by CreateOptions::acceptClientSideLifetime, or choose another backend.")));
    }
    plan.remarks.append(
        Text::tr("Nothing runs: the in-memory backend answers from a script and knows a few programs."));
    if (options.network.egress == NetworkPolicy::Egress::Open)
        plan.remarks.append(Text::tr("There is no network to be open."));
    return plan;
}

} // namespace Sandboxio::Fake
