// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "target.h"

#include "dsn.h"

#include <QUrl>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

QString joined(const QString &backend, const QString &templateId, const QMap<QString, QString> &parameters)
{
    QString text = backend + u"://"_s + QString::fromLatin1(QUrl::toPercentEncoding(templateId, "/:@"_ba));
    QChar separator = u'?';
    for (const auto &[name, value] : parameters.asKeyValueRange()) {
        text += separator + name + u'=' + QString::fromLatin1(QUrl::toPercentEncoding(value, "/:@"_ba));
        separator = u'&';
    }
    return text;
}

} // namespace

Target Target::fromDsn(const QString &dsn)
{
    const std::variant<Target, ErrorInfo> result = parseDsn(dsn);
    if (const auto *error = std::get_if<ErrorInfo>(&result))
        error->raise();
    return std::get<Target>(result);
}

QString Target::toDsn() const
{
    return joined(backend, templateId, parameters);
}

QString Target::identity() const
{
    QMap<QString, QString> place;
    for (const auto &[name, value] : parameters.asKeyValueRange()) {
        if (!isCreateParameter(name))
            place.insert(name, value);
    }
    return joined(backend, {}, place);
}

bool isCreateParameter(const QString &name)
{
    return name == "timeout"_L1 || name == "runtime"_L1 || name == "gpu"_L1;
}

} // namespace Sandboxio
