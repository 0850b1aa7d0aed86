// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

#include <sandboxio/fake/store_p.h>

namespace Sandboxio::Broken {

using namespace Qt::StringLiterals;

namespace {

/*! Changes the rows of listings. */
class OtherRows : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    Operation<QList<ManagedSandbox>>
    listManaged(const QMap<QString, QString> &metadata,
                std::function<void(const QList<ManagedSandbox> &)> page) override
    {
        return forwarded(m_setting.io(), ForwardingBackend::listManaged(asked(metadata), std::move(page)),
                         [this](const QList<ManagedSandbox> &rows) { return shown(rows); });
    }

protected:
    virtual QMap<QString, QString> asked(QMap<QString, QString> metadata) const { return metadata; }
    virtual QList<ManagedSandbox> shown(QList<ManagedSandbox> rows) const { return rows; }
};

class LosesMetadata final : public OtherRows
{
    using OtherRows::OtherRows;
    QList<ManagedSandbox> shown(QList<ManagedSandbox> rows) const override
    {
        for (ManagedSandbox &row : rows)
            row.metadata.clear();
        return rows;
    }
};

class MatchesTheFirstPairOnly final : public OtherRows
{
    using OtherRows::OtherRows;
    QMap<QString, QString> asked(QMap<QString, QString> metadata) const override
    {
        while (metadata.size() > 1)
            metadata.erase(std::prev(metadata.end()));
        return metadata;
    }
};

class HidesEndedOnes final : public OtherRows
{
    using OtherRows::OtherRows;
    QList<ManagedSandbox> shown(QList<ManagedSandbox> rows) const override
    {
        rows.removeIf([](const ManagedSandbox &row) { return row.state == SandboxState::Stopped; });
        return rows;
    }
};

class ForgetsTheOwner final : public OtherRows
{
    using OtherRows::OtherRows;
    QList<ManagedSandbox> shown(QList<ManagedSandbox> rows) const override
    {
        for (ManagedSandbox &row : rows)
            row.owner = {};
        return rows;
    }
};

class KillsForeign final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    Operation<bool> killManaged(const QString &id) override
    {
        const std::optional<Fake::Record> record = m_setting.script->store()->find(id);
        if (!record || record->isManaged)
            return ForwardingBackend::killManaged(id);
        m_setting.script->lose(id);
        return finishedOperation(true);
    }
};

class KillOfNothingFails final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    Operation<bool> killManaged(const QString &id) override
    {
        if (m_setting.script->sandboxes().contains(id))
            return ForwardingBackend::killManaged(id);
        return failedOperation<bool>(
            makeError(ErrorKind::ConnectError, u"There is no sandbox '%1'."_s.arg(id)));
    }
};

class KillSaysWhatItLikes final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    Operation<bool> killManaged(const QString &id) override
    {
        return forwarded(m_setting.io(), ForwardingBackend::killManaged(id), [](bool) { return true; });
    }
};

/*! Says that events may have been missed, and nothing more. */
class SilentEvents final : public ForwardingBackend, public EventPort
{
public:
    using ForwardingBackend::ForwardingBackend;
    EventPort *events() override { return this; }
    std::unique_ptr<EventSubscription> subscribe(std::function<void(const BackendEvent &)> handler) override
    {
        return ForwardingBackend::events()->subscribe(
            [handler = std::move(handler)](const BackendEvent &event) {
                if (event.kind == BackendEvent::Kind::Resync)
                    handler(event);
            });
    }
};

} // namespace

QList<BrokenAdapter> brokenReapers()
{
    return {
        brokenBackend<KillsForeign>("reaping", "kills foreign sandboxes"),
        brokenBackend<LosesMetadata>("reaping", "metadata lost"),
        brokenBackend<MatchesTheFirstPairOnly>("reaping", "a listing matches some of the metadata"),
        brokenBackend<HidesEndedOnes>("reaping", "a listing hides what has ended"),
        brokenBackend<ForgetsTheOwner>("reaping", "a listing does not say whose a sandbox is"),
        brokenBackend<SilentEvents>("reaping", "changes are not reported"),
        brokenBackend<KillOfNothingFails>("reaping", "reaping what is gone fails"),
        brokenBackend<KillSaysWhatItLikes>("reaping", "reaping what is gone is a success"),
    };
}

} // namespace Sandboxio::Broken
