// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"
#include "forwardedoperation.h"

#include <QSet>
#include <QTimer>

namespace Sandboxio::Broken {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/*! A sandbox whose attachments are of the class \a Port. */
template <typename Port>
class WithAttachment final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    std::unique_ptr<ProcessPort> attach(const AttachRequest &request, ProcessEvents *events) override
    {
        auto process = std::make_unique<Port>(m_setting, ProcessRequest(), events);
        process->attachTo(*m_inner, request);
        return process;
    }
};

class BackgroundEndsWithItsClient final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    ~BackgroundEndsWithItsClient() override
    {
        for (const QString &id : *m_started)
            std::ignore = m_inner->removeBackgroundRun(id);
    }
    Operation<QString> startBackground(const ProcessRequest &request) override
    {
        const Operation<QString> start = m_inner->startBackground(request);
        start.then(m_setting.io(), [started = m_started](const QString &id) { started->append(id); });
        return start;
    }

private:
    const std::shared_ptr<QStringList> m_started = std::make_shared<QStringList>();
};

class AttachesFromTheBeginning final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    std::unique_ptr<ProcessPort> attach(const AttachRequest &request, ProcessEvents *events) override
    {
        AttachRequest other = request;
        other.from = {};
        return m_inner->attach(other, events);
    }
};

class SilentGaps final : public ForwardingProcess
{
public:
    using ForwardingProcess::ForwardingProcess;

private:
    void outputLost(OutputStream, qint64) override {}
};

class LettingGoKillsTheRun final : public ForwardingProcess
{
public:
    using ForwardingProcess::ForwardingProcess;
    ~LettingGoKillsTheRun() override { std::ignore = m_inner->killTree(); }
};

class RemovalOnlyForgets final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    std::unique_ptr<ProcessPort> attach(const AttachRequest &request, ProcessEvents *events) override
    {
        AttachRequest other = request;
        if (m_removed->contains(request.id))
            other.id = u"forgotten"_s;
        return m_inner->attach(other, events);
    }
    Operation<QList<BackgroundRun>> backgroundRuns() override
    {
        const OperationPromise<QList<BackgroundRun>> promise;
        wire(
            m_setting.io(), m_inner->backgroundRuns(), promise,
            [promise, removed = m_removed](QList<BackgroundRun> runs) {
                runs.removeIf([&](const BackgroundRun &run) { return removed->contains(run.id); });
                promise.finish(runs);
            },
            [promise](const ErrorInfo &error) { promise.fail(error); });
        return promise.operation();
    }
    Operation<void> removeBackgroundRun(const QString &id) override
    {
        const OperationPromise<void> promise;
        wire(
            m_setting.io(), m_inner->backgroundRuns(), promise,
            [promise, removed = m_removed, id, inner = m_inner](const QList<BackgroundRun> &runs) {
                if (std::ranges::find(runs, id, &BackgroundRun::id) == runs.end()) {
                    promise.fail(makeError(ErrorKind::ConfigurationError, u"There is no run '%1'."_s.arg(id)));
                    return;
                }
                removed->insert(id);
                promise.finish();
            },
            [promise](const ErrorInfo &error) { promise.fail(error); });
        return promise.operation();
    }

private:
    const std::shared_ptr<QSet<QString>> m_removed = std::make_shared<QSet<QString>>();
};

class CancelledStartStays final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    Operation<QString> startBackground(const ProcessRequest &request) override
    {
        const OperationPromise<QString> promise;
        const auto start = [io = m_setting.io(), inner = m_inner, request, promise] {
            report(
                io, inner->startBackground(request), promise,
                [promise](const QString &id) {
                    promise.isCancelRequested() ? promise.cancelled() : promise.finish(id);
                },
                [promise](const ErrorInfo &error) { promise.fail(error); });
        };
        QTimer::singleShot(20ms, m_setting.io(), start); // so that the cancel comes before the start
        return promise.operation();
    }
};

} // namespace

QList<BrokenAdapter> brokenBackground()
{
    return {
        brokenSandbox<BackgroundEndsWithItsClient>("background", "a background run ends with who started it"),
        brokenSandbox<AttachesFromTheBeginning>("background", "an attachment reads from the beginning always"),
        brokenSandbox<WithAttachment<SilentGaps>>("background", "output that is not kept is skipped silently"),
        brokenSandbox<WithAttachment<LettingGoKillsTheRun>>("background",
                                                            "letting go of a background run kills it"),
        brokenSandbox<RemovalOnlyForgets>("background", "a removed background run goes on unseen"),
        brokenSandbox<CancelledStartStays>("background", "a background run whose start was cancelled stays"),
    };
}

} // namespace Sandboxio::Broken
