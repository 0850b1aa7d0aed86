// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

namespace Sandboxio::Broken {

using namespace Qt::StringLiterals;

namespace {

using Kind = FileChange::Kind;

/*! Files whose watches are of the class \a Port. */
template <typename Port>
class WithWatch : public ForwardingFiles
{
public:
    using ForwardingFiles::ForwardingFiles;
    Operation<std::shared_ptr<FileWatchPort>> watch(const QString &path, bool recursive) override
    {
        return forwarded(m_setting.io(), ForwardingFiles::watch(path, recursive),
                         [this](const auto &inner) -> std::shared_ptr<FileWatchPort> {
                             return std::make_shared<Port>(m_setting, inner);
                         });
    }
};

class BrokenWatch : public ForwardingWatch
{
public:
    BrokenWatch(const Setting &setting, std::shared_ptr<FileWatchPort> inner)
        : ForwardingWatch(std::move(inner))
        , m_setting(setting)
    {}

protected:
    Setting m_setting;
};

class CallsRemovedCreated final : public BrokenWatch
{
public:
    using BrokenWatch::BrokenWatch;
    Operation<QList<FileChange>> next() override
    {
        return forwarded(m_setting.io(), m_inner->next(), [](QList<FileChange> changes) {
            for (FileChange &change : changes)
                change.kind = change.kind == Kind::Removed ? Kind::Created : change.kind;
            return changes;
        });
    }
};

class TellsTheFirstOnly final : public BrokenWatch
{
public:
    using BrokenWatch::BrokenWatch;
    Operation<QList<FileChange>> next() override
    {
        return forwarded(m_setting.io(), m_inner->next(),
                         [](const QList<FileChange> &changes) { return changes.first(1); });
    }
};

/*! Waits for ever where the inner one has ended. */
class NeverEnds final : public BrokenWatch
{
public:
    using BrokenWatch::BrokenWatch;
    Operation<QList<FileChange>> next() override
    {
        m_waiting = {};
        wire(m_setting.io(), m_inner->next(), m_waiting, finishing(m_waiting), [](const ErrorInfo &) {});
        return m_waiting.operation();
    }

private:
    OperationPromise<QList<FileChange>> m_waiting;
};

class OneLevelOnly final : public ForwardingFiles
{
public:
    using ForwardingFiles::ForwardingFiles;
    Operation<std::shared_ptr<FileWatchPort>> watch(const QString &path, bool) override
    {
        return ForwardingFiles::watch(path, false);
    }
};

class AllLevelsAlways final : public ForwardingFiles
{
public:
    using ForwardingFiles::ForwardingFiles;
    Operation<std::shared_ptr<FileWatchPort>> watch(const QString &path, bool) override
    {
        return ForwardingFiles::watch(path, true);
    }
};

} // namespace

QList<BrokenAdapter> brokenWatches()
{
    return {
        brokenFiles<WithWatch<CallsRemovedCreated>>("watches", "a watch calls removals something else"),
        brokenFiles<WithWatch<TellsTheFirstOnly>>("watches", "a watch drops changes that come together"),
        brokenFiles<WithWatch<NeverEnds>>("watches", "a watch goes silent where it ends"),
        brokenFiles<OneLevelOnly>("watches", "a recursive watch sees one level"),
        brokenFiles<AllLevelsAlways>("watches", "a watch of one level sees all below it"),
    };
}

} // namespace Sandboxio::Broken
