// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "reap.h"

#include "kill.h"
#include "list.h"

#include "../exitcode.h"
#include "../format.h"
#include "../json.h"
#include "../translation.h"

#include <QJsonArray>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

CommandSyntax reapSyntax()
{
    return {
        u"reap"_s,
        Text::tr("List the sandboxes that nobody owns any more, with the evidence; remove them with --kill."),
        u"[options]"_s,
        {u"reap"_s, u"reap --kill"_s, u"reap --kill --include-unknown --label task=42"_s},
        Text::tr(
            "Reaped are sandboxes whose owner ran on this host and is provably dead, and what has ended.\n"
            "Orphans that are only likely are listed; --kill leaves them alone without --include-unknown.\n"
            "What is in use is never reaped; `sandboxio kill` ends it by its id.\n")};
}

QJsonObject reapEntry(const ManagedSandbox &row, const Ownership &ownership)
{
    QJsonObject entry = managedJson(row, QDateTime::currentDateTimeUtc());
    entry.insert(u"ownership"_s, ownershipJson(ownership));
    entry.insert(u"removed"_s, false);
    entry.insert(u"error"_s, QJsonValue());
    return entry;
}

bool isLikelyOnly(const QJsonObject &ownership)
{
    return ownership.value("confidence"_L1).toString() == confidenceName(Ownership::Confidence::Likely);
}

QString actionText(const QJsonObject &entry, const Style &style)
{
    if (!entry.value("error"_L1).isNull())
        return style.paint(Text::tr("not removed"), Tone::Bad);
    if (entry.value("removed"_L1).toBool())
        return style.paint(Text::tr("removed"), Tone::Good);
    return Text::tr("was gone already");
}

QString verdictText(const QJsonObject &ownership)
{
    const QString verdict = ownership.value("verdict"_L1).toString();
    return isLikelyOnly(ownership) ? verdict + u' ' + Text::tr("(likely)") : verdict;
}

bool needsIncludeUnknown(const QJsonObject &ownership)
{
    return isLikelyOnly(ownership) ||
           ownership.value("verdict"_L1).toString() == verdictName(Ownership::Verdict::Unknown);
}

// How to remove \a selected listed rows, \a uncertain of which --kill alone leaves.
QString removalText(qsizetype selected, qsizetype uncertain)
{
    if (uncertain == 0)
        return Text::tr("Remove them with --kill.");
    if (uncertain == selected)
        return Text::tr("None of them is certain: remove them with --kill --include-unknown.");
    return Text::tr("Remove what is certain with --kill; the others need --include-unknown too.");
}

QString summaryText(const QJsonObject &payload, qsizetype selected, qsizetype uncertain)
{
    const int skipped = payload.value("skipped"_L1).toInt();
    QString text;
    if (selected == 0)
        text += Text::tr("Nothing to reap.") + u'\n';
    else if (!payload.value("killed"_L1).toBool())
        text += removalText(selected, uncertain) + u'\n';
    if (skipped > 0)
        text += Text::tr("%n other sandbox(es) in use, only likely orphans or of unknown owner left alone.",
                         nullptr, skipped) +
                u'\n';
    return text;
}

} // namespace

Parsed<ReapArguments> parseReap(const QStringList &arguments)
{
    ArgumentParser parser(reapSyntax());
    addTargets(parser);
    parser.addFlag({u"kill"_s}, Text::tr("Remove what is listed."));
    parser.addFlag({u"include-unknown"_s},
                   Text::tr("Also those that are only likely orphans or whose owner cannot be told."));
    parser.addValue({u"label"_s}, u"KEY=VALUE"_s, Text::tr("Only sandboxes with this label; can be repeated."));
    ReapArguments result;
    if (!parser.parse(arguments))
        return parser.finish(result);
    parser.expectPositional(0, 0);
    result.targets = parser.targets(u"target"_s);
    result.labels = parser.pairs(u"label"_s);
    result.kill = parser.isSet(u"kill"_s);
    result.includeUnknown = parser.isSet(u"include-unknown"_s);
    return parser.finish(result);
}

bool isReaped(const Ownership &ownership, bool includeUnknown)
{
    switch (ownership.verdict) {
    case Ownership::Verdict::Ended:
    case Ownership::Verdict::Orphan:
        return includeUnknown || ownership.confidence == Ownership::Confidence::Certain;
    case Ownership::Verdict::Unknown:
        return includeUnknown;
    case Ownership::Verdict::InUse:
        break;
    }
    return false;
}

QString renderReap(const QJsonObject &payload, const Style &style)
{
    QString text;
    qsizetype selected = 0;
    qsizetype uncertain = 0;
    for (const QJsonValue value : payload.value("sandboxes"_L1).toArray()) {
        const QJsonObject entry = value.toObject();
        const QJsonObject ownership = entry.value("ownership"_L1).toObject();
        ++selected;
        uncertain += needsIncludeUnknown(ownership) ? 1 : 0;
        text += style.paint(shortId(entry.value("id"_L1).toString()), Tone::Strong) + u"  "_s +
                entry.value("backend"_L1).toString() + u"  "_s + entry.value("state"_L1).toString() + u"  "_s +
                style.paint(verdictText(ownership), Tone::Caution);
        if (payload.value("killed"_L1).toBool())
            text += u"  "_s + actionText(entry, style);
        text += u'\n';
        for (const QJsonValue evidence : ownership.value("evidence"_L1).toArray())
            text += u"    "_s + evidence.toString() + u'\n';
    }
    return text + summaryText(payload, selected, uncertain);
}

QCoro::Task<int> executeReap(Session &session, QStringList arguments)
{
    const Parsed<ReapArguments> parsed = parseReap(arguments);
    if (!parsed)
        co_return session.stop(parsed.error());
    ListOptions options;
    options.targets = parsed->targets;
    options.metadata = parsed->labels;
    const ManagedListing listing = co_await session.interruptible(session.engine().listManaged(options));
    QJsonArray entries;
    int skipped = 0;
    bool failed = false;
    const QList<ManagedSandbox> rows = listing.rows();
    for (const ManagedSandbox &row : rows) {
        const Ownership ownership = session.engine().ownershipOf(row);
        // What is only likely an orphan is shown, and left alone unless that was asked for.
        const bool isTaken = isReaped(ownership, parsed->includeUnknown);
        if (!isTaken && (parsed->kill || ownership.verdict != Ownership::Verdict::Orphan)) {
            ++skipped;
            continue;
        }
        if (session.interruption().signal())
            throw OperationCancelled();
        QJsonObject entry = reapEntry(row, ownership);
        if (parsed->kill) {
            const QJsonObject outcome = co_await killRow(session, row);
            entry.insert(u"removed"_s, outcome.value("removed"_L1));
            entry.insert(u"error"_s, outcome.value("error"_L1));
            failed = failed || !outcome.value("error"_L1).isNull();
        }
        entries.append(entry);
    }
    const QJsonObject payload{
        {u"sandboxes"_s, entries},
        {u"skipped"_s, skipped},
        {u"killed"_s, parsed->kill},
        {u"targets"_s, listPayload(listing, QDateTime::currentDateTimeUtc()).value("targets"_L1)}};
    session.console().show(payload, renderReap);
    const int code = reportTargets(session, listing);
    co_return failed ? ExitCode::engineFailure : code;
}

} // namespace Sandboxio::Cli
