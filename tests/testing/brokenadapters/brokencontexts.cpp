// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

#include <csignal>
#include <map>
#include <set>

namespace Sandboxio::Broken {

using namespace Qt::StringLiterals;

namespace {

/*! Contexts that keep what the suite's `remember` keeps. The fake has none, so there is something to break. */
class Contexts : public Declares<Capability::StatefulCode>
{
public:
    using Declares::Declares;
    std::unique_ptr<ProcessPort> start(const ProcessRequest &request, ProcessEvents *events) override;
    Operation<QString> createContext(const QString &) override
    {
        const QString id = u"context-%1"_s.arg(++m_serial);
        m_contexts.insert({id, {}});
        return finishedOperation(id);
    }
    Operation<QStringList> listContexts() override
    {
        QStringList ids;
        for (const auto &[id, kept] : m_contexts)
            ids.append(id);
        return finishedOperation(ids);
    }
    Operation<void> interruptContext(const QString &context) override
    {
        if (!m_contexts.contains(context))
            return failedOperation<void>(unknown(context));
        interrupt(context);
        return finishedOperation();
    }
    Operation<void> restartContext(const QString &context) override
    {
        if (!m_contexts.contains(context))
            return failedOperation<void>(unknown(context));
        restart(context);
        return finishedOperation();
    }
    Operation<void> removeContext(const QString &context) override
    {
        if (!m_contexts.contains(context))
            return failedOperation<void>(unknown(context));
        remove(context);
        return finishedOperation();
    }

protected:
    class Process;
    static ErrorInfo unknown(const QString &context)
    {
        return makeError(ErrorKind::ConfigurationError, u"There is no context '%1'."_s.arg(context));
    }
    /*! The place where \a context keeps its value. */
    virtual QString place(const QString &context) const { return context; }
    virtual void restart(const QString &context) { m_contexts[place(context)].clear(); }
    virtual void remove(const QString &context) { m_contexts.erase(context); }
    virtual void interrupt(const QString &context);
    /*! The code that does in the fake's Python what \a request asks for. */
    ProcessRequest translated(const ProcessRequest &request);

    std::map<QString, QString> m_contexts; // what each keeps
    std::set<Process *> m_running;
    int m_serial = 0;
};

class Contexts::Process final : public ForwardingProcess
{
public:
    Process(Contexts &contexts, const Setting &setting, const ProcessRequest &request, ProcessEvents *events)
        : ForwardingProcess(setting, request, events)
        , m_contexts(&contexts)
    {
        m_contexts->m_running.insert(this);
    }
    ~Process() override { m_contexts->m_running.erase(this); }
    QString context() const { return m_request.codeOptions.context; }

private:
    ProcessRequest adjusted(const ProcessRequest &request) override { return m_contexts->translated(request); }
    Contexts *m_contexts; // the runtime keeps it longer than its processes
};

/*! For a context that does not exist. */
class NoProcess final : public ProcessPort
{
public:
    void acknowledge(OutputStream, qint64) override {}
    Operation<void> write(const QByteArray &) override { return finishedOperation(); }
    Operation<void> closeWrite() override { return finishedOperation(); }
    Operation<void> resize(TerminalSize) override { return finishedOperation(); }
    Operation<void> signal(int) override { return finishedOperation(); }
    Operation<void> killTree() override { return finishedOperation(); }
};

std::unique_ptr<ProcessPort> Contexts::start(const ProcessRequest &request, ProcessEvents *events)
{
    const QString context = request.codeOptions.context;
    if (request.code && !context.isEmpty() && !m_contexts.contains(context)) {
        QMetaObject::invokeMethod(
            m_setting.io(), [events, context] { events->failed(unknown(context)); }, Qt::QueuedConnection);
        return std::make_unique<NoProcess>();
    }
    auto process = std::make_unique<Process>(*this, m_setting, request, events);
    process->begin(*m_inner);
    return process;
}

void Contexts::interrupt(const QString &context)
{
    for (Process *process : m_running) {
        if (process->context() == context)
            std::ignore = process->signal(SIGINT);
    }
}

ProcessRequest Contexts::translated(const ProcessRequest &request)
{
    ProcessRequest other = request;
    if (!request.code)
        return other;
    const QString context = std::exchange(other.codeOptions.context, QString());
    const QString code = QString::fromUtf8(*request.code);
    const QString kept = context.isEmpty() ? QString() : m_contexts[place(context)];
    if (code.startsWith("contract_kept = "_L1) && !context.isEmpty()) {
        m_contexts[place(context)] = code.section(u'\'', 1, 1);
        other.code = "1"_ba;
    } else if (code == "print(contract_kept)"_L1) {
        other.code =
            (kept.isEmpty() ? u"raise NameError('contract_kept')"_s : u"print('%1')"_s.arg(kept)).toUtf8();
    }
    return other;
}

class OneContextForAll final : public Contexts
{
    using Contexts::Contexts;
    QString place(const QString &) const override { return u"context-1"_s; }
};

class RestartKeeps final : public Contexts
{
    using Contexts::Contexts;
    void restart(const QString &) override {}
};

class RemovedContextsStay final : public Contexts
{
    using Contexts::Contexts;
    void remove(const QString &) override {}
};

class InterruptingForgets final : public Contexts
{
    using Contexts::Contexts;
    void interrupt(const QString &context) override
    {
        Contexts::interrupt(context);
        restart(context);
    }
};

class ForgetfulContexts final : public Contexts
{
    using Contexts::Contexts;
    std::unique_ptr<ProcessPort> start(const ProcessRequest &request, ProcessEvents *events) override
    {
        if (m_contexts.contains(request.codeOptions.context))
            restart(request.codeOptions.context);
        return Contexts::start(request, events);
    }
};

} // namespace

QList<BrokenAdapter> brokenContexts()
{
    return {
        passes(brokenSandbox<Contexts>("", "contexts that work"),
               "the contexts that the others break are right"),
        brokenSandbox<ForgetfulContexts>("contexts", "contexts that forget"),
        brokenSandbox<OneContextForAll>("contexts", "all contexts are one"),
        brokenSandbox<RestartKeeps>("contexts", "a restarted context remembers"),
        brokenSandbox<RemovedContextsStay>("contexts", "a removed context stays"),
        brokenSandbox<InterruptingForgets>("contexts", "an interrupted context forgets"),
        alsoFails(brokenSandbox<Declares<Capability::StatefulCode>>("capabilities",
                                                                    "declared and not working: contexts"),
                  "contexts"),
    };
}

} // namespace Sandboxio::Broken
