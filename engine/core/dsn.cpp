// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dsn.h"

#include "redactor.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QUrl>

#include <cmath>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

QString dsnText(const char *text)
{
    return QCoreApplication::translate("Sandboxio::Dsn", text);
}

ErrorInfo malformed(const QString &message)
{
    return makeError(
        ErrorKind::ConfigurationError, message,
        dsnText(QT_TRANSLATE_NOOP("Sandboxio::Dsn", "Write it as backend://template?name=value&name=value.")));
}

std::optional<ErrorInfo> parseParameter(const QString &item, QMap<QString, QString> &parameters)
{
    const qsizetype equals = item.indexOf(u'=');
    const QString name = equals < 0 ? item : item.left(equals);
    static const QRegularExpression validName(u"^[a-z][a-zA-Z0-9_-]*$"_s);
    if (looksLikeCredential(name)) {
        return makeError(
            ErrorKind::ConfigurationError,
            dsnText(QT_TRANSLATE_NOOP("Sandboxio::Dsn", "The DSN parameter '%1' looks like a credential."))
                .arg(name),
            dsnText(QT_TRANSLATE_NOOP("Sandboxio::Dsn",
                                      "Take it out of the DSN; `sandboxio doctor` names the environment "
                                      "variable that each backend reads.")));
    }
    if (equals < 0 || !validName.match(name).hasMatch())
        return malformed(
            dsnText(QT_TRANSLATE_NOOP("Sandboxio::Dsn", "'%1' is not a DSN parameter.")).arg(name));
    if (parameters.contains(name))
        return malformed(
            dsnText(QT_TRANSLATE_NOOP("Sandboxio::Dsn", "The DSN parameter '%1' is given twice.")).arg(name));
    const QString value = QUrl::fromPercentEncoding(item.sliced(equals + 1).toUtf8());
    if (value.isEmpty())
        return malformed(
            dsnText(QT_TRANSLATE_NOOP("Sandboxio::Dsn", "The DSN parameter '%1' is empty.")).arg(name));
    parameters.insert(name, value);
    return std::nullopt;
}

} // namespace

std::variant<Target, ErrorInfo> parseDsn(const QString &dsn)
{
    static const QRegularExpression shape(u"^([a-zA-Z][a-zA-Z0-9+.-]*)://([^?#]*)(?:\\?([^#]*))?$"_s);
    const QRegularExpressionMatch match = shape.match(dsn);
    if (!match.hasMatch() || dsn.contains(u'\n'))
        return malformed(dsnText(QT_TRANSLATE_NOOP("Sandboxio::Dsn", "This is not a DSN.")));
    Target target;
    target.backend = match.captured(1).toLower();
    target.templateId = QUrl::fromPercentEncoding(match.captured(2).toUtf8());
    if (target.templateId.contains(u'@') && target.templateId.section(u'@', 0, 0).contains(u':') &&
        !target.templateId.contains(u"@sha"_s)) {
        return makeError(
            ErrorKind::ConfigurationError,
            dsnText(QT_TRANSLATE_NOOP("Sandboxio::Dsn", "The DSN carries a user name and a password.")),
            dsnText(
                QT_TRANSLATE_NOOP("Sandboxio::Dsn", "Take them out; credentials come from the environment.")));
    }
    const QString query = match.captured(3);
    for (const QString &item : query.split(u'&', Qt::SkipEmptyParts)) {
        if (const std::optional<ErrorInfo> error = parseParameter(item, target.parameters))
            return *error;
    }
    return target;
}

std::optional<qint64> parseSecondsAsMilliseconds(const QString &text)
{
    bool ok = false;
    const double seconds = text.toDouble(&ok);
    constexpr double limit = 100.0 * 365 * 86400;
    if (!ok || !std::isfinite(seconds) || std::abs(seconds) > limit)
        return std::nullopt;
    return std::llround(seconds * 1000);
}

} // namespace Sandboxio
