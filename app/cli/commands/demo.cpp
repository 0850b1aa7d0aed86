// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "demo.h"

#include "../exitcode.h"
#include "../format.h"
#include "../json.h"
#include "../sandboxchoice.h"
#include "../translation.h"

#include <QElapsedTimer>
#include <QJsonArray>

#include <functional>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

CommandSyntax demoSyntax()
{
    return {u"demo"_s,
            Text::tr(
                "Show the main job: create a sandbox, run code in it, prove that it cannot reach the network,\n"
                "use its files, remove it; each step with its time."),
            u"[options]"_s,
            {u"demo"_s, u"demo --image debian:13"_s, u"demo --json"_s},
            Text::tr("Exit codes: 0 when every step worked and the network policy is proven to be enforced, 1 "
                     "when not.\n")};
}

/*! The steps of one demo, shown as they end. */
class Demo
{
public:
    explicit Demo(Session &session)
        : m_session(session)
    {
        m_timer.start();
    }

    QCoro::Task<> play(CreateArguments arguments);
    QJsonObject payload() const;
    bool succeeded() const { return m_succeeded; }

private:
    using Body = std::function<QCoro::Task<QString>()>;
    QCoro::Task<> step(QString name, QString title, Body body);
    QCoro::Task<> steps();
    void record(const QString &name, const QString &title, double durationMs, const QString &detail,
                const std::optional<ErrorInfo> &error);

    QCoro::Task<QString> create(CreateArguments arguments);
    QCoro::Task<QString> runCode();
    QCoro::Task<QString> stream();
    QCoro::Task<QString> verifyEgress();
    QCoro::Task<QString> useFiles();
    QCoro::Task<QString> remove();

    Session &m_session;
    SandboxPtr m_sandbox;
    QElapsedTimer m_timer;
    QJsonArray m_steps;
    QString m_verdict = u"inconclusive"_s;
    QJsonValue m_policy;
    bool m_succeeded = true;
};

[[noreturn]] void unexpected(const QString &what, const ExecResult &result)
{
    makeError(ErrorKind::ExecutionError, what,
              Text::tr("The program said: %1").arg(lastLines(result.standardError, 400)))
        .raise();
}

QCoro::Task<> Demo::play(CreateArguments arguments)
{
    co_await step(u"create"_s, Text::tr("Create a sandbox"), [this, arguments] { return create(arguments); });
    if (!m_sandbox)
        co_return;
    std::exception_ptr cancelled;
    try {
        co_await steps();
    } catch (const OperationCancelled &) {
        cancelled = std::current_exception();
    }
    co_await step(u"remove"_s, Text::tr("Remove the sandbox"), [this] { return remove(); });
    if (cancelled)
        std::rethrow_exception(cancelled);
}

QCoro::Task<> Demo::steps()
{
    co_await step(u"code"_s, Text::tr("Run code"), [this] { return runCode(); });
    co_await step(u"stream"_s, Text::tr("Stream output"), [this] { return stream(); });
    co_await step(u"egress"_s, Text::tr("Try to reach the network"), [this] { return verifyEgress(); });
    co_await step(u"files"_s, Text::tr("Write and read files"), [this] { return useFiles(); });
}

QCoro::Task<> Demo::step(QString name, QString title, Body body)
{
    QElapsedTimer timer;
    timer.start();
    QString detail;
    std::optional<ErrorInfo> failure;
    try {
        detail = co_await body();
    } catch (const SandboxError &error) {
        failure = error.info();
    }
    record(name, title, double(timer.nsecsElapsed()) / 1e6, detail, failure);
}

void Demo::record(const QString &name, const QString &title, double durationMs, const QString &detail,
                  const std::optional<ErrorInfo> &error)
{
    const QJsonObject step{
        {u"name"_s, name},     {u"title"_s, title},
        {u"ok"_s, !error},     {u"durationMs"_s, durationMs},
        {u"detail"_s, detail}, {u"error"_s, error ? QJsonValue(errorJson(*error)) : QJsonValue()}};
    m_steps.append(step);
    m_succeeded = m_succeeded && !error;
    if (!m_session.console().isJson())
        m_session.console().print(renderDemoStep(step, m_session.console().outputStyle()));
}

QJsonObject Demo::payload() const
{
    return {{u"ok"_s, m_succeeded},
            {u"verdict"_s, m_verdict},
            {u"policy"_s, m_policy},
            {u"durationMs"_s, double(m_timer.nsecsElapsed()) / 1e6},
            {u"sandbox"_s, m_sandbox ? QJsonValue(m_sandbox->id()) : QJsonValue()},
            {u"target"_s, m_sandbox ? QJsonValue(m_sandbox->target().identity()) : QJsonValue()},
            {u"steps"_s, m_steps}};
}

QCoro::Task<QString> Demo::create(CreateArguments arguments)
{
    m_sandbox = co_await createSandbox(m_session, arguments);
    co_return Text::tr("%1, isolation %2, egress %3")
        .arg(shortId(m_sandbox->id()), isolationTierName(m_sandbox->isolation()),
             egressName(arguments.options.network.egress));
}

QCoro::Task<QString> Demo::runCode()
{
    const QString code = u"print(6 * 7)\n"_s;
    const ExecResult result = co_await m_session.interruptible(m_sandbox->runCode(code));
    if (!result.succeeded() || result.text().trimmed() != "42"_L1)
        unexpected(Text::tr("The code did not print 42."), result);
    co_return Text::tr("%1 printed %2").arg(code.trimmed(), result.text().trimmed());
}

QCoro::Task<QString> Demo::stream()
{
    RunOptions options;
    options.timeout = 10s;
    options.standardInput = QByteArray();
    const std::shared_ptr<Process> process =
        m_sandbox->stream(Command::shell(u"echo first; sleep 0.2; echo second"_s), options);
    co_await m_session.interruptible(process->start(Process::ConsumerMode::Pull));
    QByteArray output;
    QList<std::chrono::nanoseconds> arrivals;
    while (true) {
        const std::optional<OutputChunk> chunk = co_await m_session.interruptible(process->nextChunk());
        if (!chunk)
            break;
        output += chunk->data;
        arrivals.append(chunk->arrival);
    }
    const ExecResult result = co_await process->wait();
    if (!result.succeeded() || output != "first\nsecond\n")
        unexpected(Text::tr("The stream did not carry what was printed."), result);
    // Both lines in one piece would mean that the output was held back until the end.
    if (arrivals.size() < 2 || arrivals.last() - arrivals.first() < 100ms)
        unexpected(Text::tr("The output did not arrive while the program ran."), result);
    co_return Text::tr("2 lines, %1 apart")
        .arg(formatDuration(toMilliseconds(arrivals.last() - arrivals.first())));
}

QCoro::Task<QString> Demo::verifyEgress()
{
    const PolicyReport report = co_await m_session.interruptible(m_sandbox->verifyPolicy());
    m_verdict = verdictName(report.verdict);
    m_policy = report.toJson();
    if (const std::optional<ErrorInfo> failure = policyFailure(report))
        failure->raise();
    QStringList ways;
    for (const PolicyCheck &check : report.checks)
        ways.append(check.way);
    co_return Text::tr("%1: %2").arg(m_verdict, ways.join(u", "_s));
}

QCoro::Task<QString> Demo::useFiles()
{
    const FileSystem files = m_sandbox->files();
    const QString name = u"sandboxio-demo.bin"_s;
    QByteArray content("written from outside\n");
    content.append('\0').append('\xff');
    co_await m_session.interruptible(files.write(name, content));
    const QByteArray back = co_await m_session.interruptible(files.read(name));
    const QList<FileInfo> entries = co_await m_session.interruptible(files.ls());
    bool listed = false;
    for (const FileInfo &entry : entries)
        listed = listed || entry.name == name;
    if (back != content || !listed)
        makeError(ErrorKind::FileSystemError, Text::tr("A file did not come back as it was written.")).raise();
    co_return Text::tr("%1 there and back").arg(formatBytes(double(content.size())));
}

QCoro::Task<QString> Demo::remove()
{
    co_await m_sandbox->kill();
    m_session.setRemainder({});
    co_return QString();
}

// Says which other backends there are; choosing one is left to the person.
void proposeOthers(Session &session)
{
    const Target used = session.engine().defaultTarget();
    for (const BackendDescription &backend : session.engine().backends()) {
        if (backend.name != used.backend && backend.problem.isEmpty())
            session.console().notice(
                Text::tr("Also installed: %1. To see the demo there: sandboxio demo --target %2://")
                    .arg(backend.title, backend.name));
    }
}

} // namespace

Parsed<CreateArguments> parseDemo(const QStringList &arguments)
{
    ArgumentParser parser(demoSyntax());
    addCreateArguments(parser, u"lifetime"_s);
    CreateArguments result;
    if (!parser.parse(arguments))
        return parser.finish(result);
    parser.expectPositional(0, 0);
    result = readCreateArguments(parser, u"lifetime"_s);
    return parser.finish(result);
}

std::optional<ErrorInfo> policyFailure(const PolicyReport &report)
{
    if (report.verdict == PolicyReport::Verdict::Enforced)
        return std::nullopt;
    QStringList reasons;
    for (const PolicyCheck &check : report.checks) {
        if (check.insideReached)
            reasons.append(Text::tr("%1 got through").arg(check.way));
        else if (!check.controlReached)
            reasons.append(Text::tr("%1 has no positive control (%2)").arg(check.way, check.detail));
    }
    if (report.checks.isEmpty())
        reasons.append(Text::tr("this host has no address to try"));
    const QString why = reasons.join(u"; "_s);
    if (report.verdict == PolicyReport::Verdict::Violated)
        return makeError(ErrorKind::NetworkPolicyViolation,
                         Text::tr("The network policy is violated: %1.").arg(why));
    return makeError(
        ErrorKind::NetworkPolicyViolation,
        Text::tr("Whether the policy is enforced is inconclusive: %1.").arg(why),
        Text::tr("Give this host a network address that its own programs can reach, then repeat."));
}

QString renderDemoStep(const QJsonObject &step, const Style &style)
{
    const bool ok = step.value("ok"_L1).toBool();
    const QString mark =
        ok ? style.paint(Text::tr("ok"), Tone::Good) + u"    "_s : style.paint(Text::tr("FAILED"), Tone::Bad);
    constexpr int titleWidth = 26;
    QString text =
        u"%1  %2  %3"_s.arg(mark, step.value("title"_L1).toString().leftJustified(titleWidth),
                            formatDuration(step.value("durationMs"_L1).toDouble()).rightJustified(8));
    if (!step.value("detail"_L1).toString().isEmpty())
        text += u"  "_s + step.value("detail"_L1).toString();
    text += u'\n';
    const QJsonObject error = step.value("error"_L1).toObject();
    if (!error.isEmpty())
        text += u"        [%1] %2\n        "_s.arg(error.value("code"_L1).toString(),
                                                   error.value("message"_L1).toString()) +
                Text::tr("Fix: %1").arg(error.value("hint"_L1).toString()) + u'\n';
    return text;
}

QString renderDemoSummary(const QJsonObject &payload, const Style &style)
{
    const bool ok = payload.value("ok"_L1).toBool();
    const QString total = formatDuration(payload.value("durationMs"_L1).toDouble());
    return u'\n' +
           (ok ? style.paint(Text::tr("Everything worked, in %1; egress is %2.")
                                 .arg(total, payload.value("verdict"_L1).toString()),
                             Tone::Good)
               : style.paint(Text::tr("Not everything worked, in %1.").arg(total), Tone::Bad)) +
           u'\n';
}

QCoro::Task<int> executeDemo(Session &session, QStringList arguments)
{
    const Parsed<CreateArguments> parsed = parseDemo(arguments);
    if (!parsed)
        co_return session.stop(parsed.error());
    Demo demo(session);
    co_await demo.play(*parsed);
    const QJsonObject payload = demo.payload();
    session.console().show(payload, renderDemoSummary);
    if (payload.value("sandbox"_L1).isNull() && !parsed->target)
        proposeOthers(session);
    co_return demo.succeeded() ? ExitCode::success : ExitCode::negative;
}

} // namespace Sandboxio::Cli
