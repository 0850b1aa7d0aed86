// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

// Adapters write no records. What a record says of its sandbox is what SandboxPort::details() says at that time.
namespace Sandboxio::Broken {

namespace {

/*! Says something else of itself after the first run; \a change (void(ManagedSandbox &)) makes it so. */
template <auto change>
class OtherOnceItHasRun final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    SandboxDetails details() const override
    {
        SandboxDetails details = ForwardingSandbox::details();
        if (m_hasRun)
            change(details.managed);
        return details;
    }
    std::unique_ptr<ProcessPort> start(const ProcessRequest &request, ProcessEvents *events) override
    {
        m_hasRun = true;
        return ForwardingSandbox::start(request, events);
    }

private:
    bool m_hasRun = false;
};

using ForgetsItsLabels = OtherOnceItHasRun<[](ManagedSandbox &managed) {
    managed.metadata.remove(QStringLiteral("tenant"));
}>;
using ForgetsItsTier = OtherOnceItHasRun<[](ManagedSandbox &managed) {
    managed.tier = IsolationTier::Unknown;
}>;
using ForgetsItsTarget = OtherOnceItHasRun<[](ManagedSandbox &managed) {
    managed.target.backend.clear();
}>;

} // namespace

QList<BrokenAdapter> brokenRecords()
{
    return {
        brokenSandbox<ForgetsItsLabels>("records", "a sandbox that has run forgets a label"),
        brokenSandbox<ForgetsItsTier>("records", "a sandbox that has run forgets its tier"),
        alsoFails(brokenSandbox<ForgetsItsTarget>("records", "a sandbox that has run forgets its target"),
                  "teardown"),
    };
}

} // namespace Sandboxio::Broken
