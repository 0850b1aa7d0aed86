// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandboxchoice.h"

#include "format.h"
#include "translation.h"

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

QString progressText(const OperationProgress &progress)
{
    if (!progress.total || *progress.total <= 0)
        return progress.step;
    return Text::tr("%1: %2 of %3")
        .arg(progress.step, formatBytes(double(progress.done)), formatBytes(double(*progress.total)));
}

QString remainderOf(const Sandbox &sandbox)
{
    return Text::tr("Sandbox %1 stays until its lifetime ends. Remove it: sandboxio kill %1 --target '%2'")
        .arg(sandbox.id(), sandbox.target().identity());
}

// A failing teardown never replaces what the command has to say.
QCoro::Task<> removeSandbox(Session &session, SandboxPtr sandbox)
{
    try {
        co_await sandbox->kill();
        session.setRemainder({});
    } catch (const SandboxError &error) {
        session.console().notice(renderError(error.info(), session.console().errorStyle()).trimmed());
        session.console().notice(remainderOf(*sandbox));
    } catch (const OperationCancelled &) {
        session.console().notice(remainderOf(*sandbox));
    }
}

} // namespace

void addSandboxChoice(ArgumentParser &parser)
{
    parser.addValue({u"sandbox"_s}, u"ID"_s,
                    Text::tr("Use this sandbox; without, a new one is made and removed."));
    parser.addFlag({u"keep"_s}, Text::tr("Let the new sandbox live on and show its id on standard error."));
    addCreateArguments(parser, u"lifetime"_s);
}

SandboxChoice readSandboxChoice(ArgumentParser &parser)
{
    SandboxChoice choice;
    choice.id = parser.text(u"sandbox"_s);
    choice.keep = parser.isSet(u"keep"_s);
    choice.create = readCreateArguments(parser, u"lifetime"_s);
    if (!parser.isSet(u"sandbox"_s))
        return choice;
    if (choice.id.isEmpty())
        parser.reject(Text::tr("--sandbox needs an id."));
    for (const QString &name :
         {u"keep"_s, u"image"_s, u"lifetime"_s, u"network"_s, u"cpu"_s, u"memory"_s, u"pids"_s, u"label"_s,
          u"require-isolation"_s, u"accept-client-side-lifetime"_s}) {
        if (parser.isSet(name))
            parser.reject(Text::tr("--%1 is for a new sandbox; it cannot be used with --sandbox.").arg(name),
                          Text::tr("Leave out --%1 or --sandbox.").arg(name));
    }
    return choice;
}

std::expected<ManagedSandbox, ErrorInfo> matchSandbox(const ManagedListing &listing, const QString &id)
{
    QList<ManagedSandbox> candidates;
    for (const ManagedSandbox &row : listing.rows()) {
        if (row.id == id || row.name == id)
            return row;
        if (!id.isEmpty() && row.id.startsWith(id))
            candidates.append(row);
    }
    if (candidates.size() == 1)
        return candidates.first();
    if (candidates.size() > 1) {
        QStringList ids;
        for (const ManagedSandbox &candidate : std::as_const(candidates))
            ids.append(candidate.id);
        return std::unexpected(makeError(
            ErrorKind::ConnectError, Text::tr("'%1' is the start of %n ids.", nullptr, int(ids.size())).arg(id),
            Text::tr("Write more of the id: %1.").arg(ids.join(u", "_s))));
    }
    if (listing.targets.size() == 1 && listing.targets.first().error)
        return std::unexpected(*listing.targets.first().error);
    QString message = Text::tr("There is no managed sandbox '%1'.").arg(id);
    for (const TargetListing &target : listing.targets) {
        if (target.error)
            message += u' ' + Text::tr("%1 did not answer.").arg(target.target.identity());
    }
    return std::unexpected(makeError(ErrorKind::ConnectError, message));
}

QCoro::Task<QList<ManagedSandbox>> findSandboxes(Session &session, QStringList ids, QList<Target> targets)
{
    ListOptions options;
    options.targets = targets;
    const ManagedListing listing = co_await session.interruptible(session.engine().listManaged(options));
    QList<ManagedSandbox> rows;
    for (const QString &id : ids) {
        const std::expected<ManagedSandbox, ErrorInfo> row = matchSandbox(listing, id);
        if (!row)
            row.error().raise();
        rows.append(*row);
    }
    co_return rows;
}

QCoro::Task<ManagedSandbox> findSandbox(Session &session, QString id, QList<Target> targets)
{
    const QList<ManagedSandbox> rows = co_await findSandboxes(session, {id}, targets);
    co_return ManagedSandbox(rows.first());
}

QCoro::Task<SandboxPtr> connectSandbox(Session &session, QString id, QList<Target> targets)
{
    co_return co_await connectSandbox(session, co_await findSandbox(session, id, targets));
}

QCoro::Task<SandboxPtr> connectSandbox(Session &session, ManagedSandbox row)
{
    co_return co_await session.interruptible(session.engine().connectTo(row.target, row.id));
}

QCoro::Task<SandboxPtr> createSandbox(Session &session, CreateArguments arguments)
{
    Engine &engine = session.engine();
    const Target target = arguments.target ? *arguments.target : engine.defaultTarget();
    session.setRemainder(Text::tr("A sandbox may have been created at %1. See: sandboxio reap --target '%1'")
                             .arg(target.identity()));
    const Operation<SandboxPtr> operation = engine.create(target, arguments.options);
    QObject guard;
    operation.onProgress(&guard, [&session](const OperationProgress &progress) {
        session.console().showProgress(progressText(progress));
    });
    SandboxPtr sandbox = co_await session.interruptible(operation);
    session.console().showProgress({});
    session.setRemainder(remainderOf(*sandbox));
    co_return sandbox;
}

QCoro::Task<int> withSandbox(Session &session, SandboxChoice choice,
                             std::function<QCoro::Task<int>(SandboxPtr)> body)
{
    if (!choice.id.isEmpty()) {
        const QList<Target> targets = choice.create.target ? QList{*choice.create.target} : QList<Target>();
        const SandboxPtr sandbox = co_await connectSandbox(session, choice.id, targets);
        co_return co_await body(sandbox);
    }
    if (choice.keep)
        session.setKeepsSandboxes();
    const SandboxPtr sandbox = co_await createSandbox(session, choice.create);
    int code = 0;
    std::exception_ptr failure;
    try {
        code = co_await body(sandbox);
    } catch (...) {
        failure = std::current_exception();
    }
    if (choice.keep)
        session.console().notice(sandbox->id());
    else
        co_await removeSandbox(session, sandbox);
    if (failure)
        std::rethrow_exception(failure);
    co_return code;
}

} // namespace Sandboxio::Cli
