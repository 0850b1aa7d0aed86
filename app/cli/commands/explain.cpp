// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "explain.h"

#include "../exitcode.h"
#include "../translation.h"

#include <sandboxio/core/errortable.h>

#include <QJsonArray>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

CommandSyntax explainSyntax()
{
    return {u"explain"_s,
            Text::tr("Explain an error code; without one, all of them."),
            u"[options] [CODE]"_s,
            {u"explain SBX_E1302"_s, u"explain --json"_s},
            {}};
}

QJsonObject rowJson(const ErrorTableRow &row)
{
    ErrorInfo info;
    info.kind = row.kind;
    return {{u"code"_s, QLatin1StringView(row.code)},
            {u"kind"_s, QLatin1StringView(row.className)},
            {u"hint"_s, QCoreApplication::translate("Sandboxio::Error", row.hint)},
            {u"documentation"_s, QCoreApplication::translate("Sandboxio::Error", row.documentation)},
            {u"url"_s, info.url()}};
}

QStringList knownCodes()
{
    QStringList codes;
    for (const ErrorTableRow &row : errorTable()) {
        if (*row.code)
            codes.append(QLatin1StringView(row.code));
    }
    return codes;
}

} // namespace

Parsed<QString> parseExplain(const QStringList &arguments)
{
    ArgumentParser parser(explainSyntax());
    if (!parser.parse(arguments))
        return parser.finish(QString());
    parser.expectPositional(0, 1);
    return parser.finish(parser.positional().value(0));
}

QJsonObject explainPayload(const QString &code)
{
    QJsonArray errors;
    if (code.isEmpty()) {
        for (const ErrorTableRow &row : errorTable()) {
            if (*row.code)
                errors.append(rowJson(row));
        }
    } else if (const ErrorTableRow *row = errorTableRow(code)) {
        errors.append(rowJson(*row));
    }
    return {{u"errors"_s, errors}};
}

QString renderExplain(const QJsonObject &payload, const Style &style)
{
    QStringList texts;
    for (const QJsonValue value : payload.value("errors"_L1).toArray()) {
        const QJsonObject row = value.toObject();
        texts.append(style.paint(row.value("code"_L1).toString(), Tone::Strong) + u"  "_s +
                     row.value("kind"_L1).toString() + u'\n' + row.value("documentation"_L1).toString() +
                     u'\n' + Text::tr("Fix: %1").arg(row.value("hint"_L1).toString()) + u'\n');
    }
    return texts.join(u'\n');
}

QCoro::Task<int> executeExplain(Session &session, QStringList arguments)
{
    const Parsed<QString> code = parseExplain(arguments);
    if (!code)
        co_return session.stop(code.error());
    const QJsonObject payload = explainPayload(*code);
    if (payload.value("errors"_L1).toArray().isEmpty())
        co_return session.fail(makeError(
            ErrorKind::ConfigurationError, Text::tr("There is no error code '%1'.").arg(*code),
            Text::tr("Use one of %1; `sandboxio explain` shows them all.").arg(knownCodes().join(u", "_s))));
    session.console().show(payload, renderExplain);
    co_return ExitCode::success;
}

} // namespace Sandboxio::Cli
