// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ls.h"

#include "../exitcode.h"
#include "../format.h"
#include "../json.h"
#include "../sandboxchoice.h"
#include "../translation.h"

#include <sandboxio/core/path.h>

#include <QJsonArray>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

CommandSyntax lsSyntax()
{
    return {u"ls"_s,
            Text::tr("List a directory inside a sandbox, or of one that has ended and was not removed yet; "
                     "relative paths start where runs start."),
            u"[options] ID[:PATH]"_s,
            {u"ls 4f2a"_s, u"ls 4f2a:/etc"_s, u"ls --json 4f2a:results | jq -r '.entries[].name'"_s},
            {}};
}

QString pathText(const QJsonObject &object, QLatin1StringView name)
{
    QString value = object.value(name).toString();
    if (!object.value(name + u"IsBase64"_s).toBool())
        return value;
    return decodePath(QByteArray::fromBase64(value.toLatin1()));
}

QString typeLetter(const QString &type)
{
    if (type == "directory"_L1)
        return u"d"_s;
    if (type == "symbolicLink"_L1)
        return u"l"_s;
    return type == "file"_L1 ? u"-"_s : u"?"_s;
}

QCoro::Task<QList<FileInfo>> entriesOf(Session &session, ManagedSandbox row, QString path)
{
    if (hasEnded(row.state))
        co_return co_await session.interruptible(session.engine().storedFiles(row.target, row.id).ls(path));
    const SandboxPtr sandbox = co_await connectSandbox(session, row);
    co_return co_await session.interruptible(sandbox->files().ls(path));
}

} // namespace

Parsed<LsArguments> parseLs(const QStringList &arguments)
{
    ArgumentParser parser(lsSyntax());
    addTargets(parser);
    LsArguments result;
    if (!parser.parse(arguments))
        return parser.finish(result);
    parser.expectPositional(1, 1);
    const QString place = parser.positional().value(0);
    result.path = parseRemotePath(place).value_or(RemotePath{place, {}});
    if (result.path.path.isEmpty())
        result.path.path = u"."_s;
    result.targets = parser.targets(u"target"_s);
    return parser.finish(result);
}

QString renderLs(const QJsonObject &payload, const Style &style)
{
    Table table({Text::tr("TYPE"), Text::tr("MODE"), Text::tr("OWNER"), Text::tr("SIZE"), Text::tr("MODIFIED"),
                 Text::tr("NAME")});
    for (const QJsonValue value : payload.value("entries"_L1).toArray()) {
        const QJsonObject entry = value.toObject();
        const QString type = entry.value("type"_L1).toString();
        QString name = pathText(entry, "name"_L1);
        if (!entry.value("linkTarget"_L1).isNull())
            name += u" -> "_s + pathText(entry, "linkTarget"_L1);
        table.addRow({{typeLetter(type)},
                      {entry.value("mode"_L1).toString(u"-"_s)},
                      {entry.value("owner"_L1).toString()},
                      {formatBytes(entry.value("sizeBytes"_L1).toDouble())},
                      {entry.value("modifiedAt"_L1).toString().left(16).replace(u'T', u' ')},
                      {name, type == "directory"_L1 ? Tone::Strong : Tone::Plain}});
    }
    return table.toText(style);
}

QCoro::Task<int> executeLs(Session &session, QStringList arguments)
{
    const Parsed<LsArguments> parsed = parseLs(arguments);
    if (!parsed)
        co_return session.stop(parsed.error());
    const ManagedSandbox row = co_await findSandbox(session, parsed->path.sandbox, parsed->targets);
    const QList<FileInfo> files = co_await entriesOf(session, row, parsed->path.path);
    QJsonArray entries;
    for (const FileInfo &file : files)
        entries.append(fileJson(file));
    QJsonObject payload{{u"sandbox"_s, row.id}, {u"target"_s, row.target.identity()}, {u"entries"_s, entries}};
    insertBytes(payload, u"path"_s, encodePath(parsed->path.path));
    session.console().show(payload, renderLs);
    co_return ExitCode::success;
}

} // namespace Sandboxio::Cli
