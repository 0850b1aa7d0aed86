// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "imagefacts.h"

#include "jsonvalues.h"
#include "texts.h"

#include <QRegularExpression>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

std::optional<qint64> number(QByteArrayView text)
{
    bool ok = false;
    const qint64 value = text.toLongLong(&ok);
    return ok && value >= 0 ? std::optional(value) : std::nullopt;
}

/*! The fields of the line of \a database in which field \a column is \a value. */
QList<QByteArray> findLine(const QByteArray &database, int column, const QByteArray &value)
{
    for (const QByteArray &line : database.split('\n')) {
        const QList<QByteArray> fields = line.trimmed().split(':');
        if (fields.size() > 2 && fields.at(column) == value)
            return fields;
    }
    return {};
}

std::unexpected<ErrorInfo> unknownUser(const QString &name)
{
    return std::unexpected(makeError(ErrorKind::CreationError,
                                     Text::tr("The image has no user or group '%1'.").arg(name),
                                     Text::tr("Correct USER of the image, or choose another image.")));
}

} // namespace

ImageFacts imageFacts(const QJsonObject &inspected)
{
    const QJsonObject config = inspected.value("Config"_L1).toObject();
    ImageFacts facts;
    facts.id = inspected.value("Id"_L1).toString();
    facts.user = config.value("User"_L1).toString();
    facts.workingDirectory = config.value("WorkingDir"_L1).toString();
    facts.architecture = inspected.value("Architecture"_L1).toString();
    facts.operatingSystem = inspected.value("Os"_L1).toString();
    facts.entrypoint = stringList(config.value("Entrypoint"_L1));
    facts.volumes = config.value("Volumes"_L1).toObject().keys();
    const QStringList environment = stringList(config.value("Env"_L1));
    for (const QString &assignment : environment) {
        if (assignment.startsWith("PATH="_L1))
            facts.searchPath = assignment.sliced(5);
    }
    return facts;
}

std::optional<ImageReference> parseImageReference(const QString &reference)
{
    static const QRegularExpression pattern(
        u"^(?<name>(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?/)?"
        "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*)*)"
        "(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?\\z"_s);
    const QRegularExpressionMatch match = pattern.match(reference);
    if (!match.hasMatch())
        return std::nullopt;
    const QString digest = match.captured(u"digest"_s);
    const QString tag = match.captured(u"tag"_s);
    return ImageReference{match.captured(u"name"_s), !digest.isEmpty() ? digest
                                                     : tag.isEmpty()   ? u"latest"_s
                                                                       : tag};
}

std::optional<UserIds> numericUser(const QString &user)
{
    if (user.isEmpty() || user == "root"_L1 || user == "0"_L1 || user == "root:root"_L1)
        return UserIds{};
    const QByteArray text = user.toUtf8();
    const qsizetype colon = text.indexOf(':');
    if (colon < 0)
        return std::nullopt;
    const auto uid = number(QByteArrayView(text).first(colon));
    const auto gid = number(QByteArrayView(text).sliced(colon + 1));
    return uid && gid ? std::optional(UserIds{*uid, *gid}) : std::nullopt;
}

std::expected<UserIds, ErrorInfo> resolveUser(const QString &user, const QByteArray &passwd,
                                              const QByteArray &group)
{
    if (const auto ids = numericUser(user))
        return *ids;
    const QByteArray text = user.toUtf8();
    const QByteArray userName = text.split(':').value(0);
    const QByteArray groupName = text.split(':').value(1);
    const QList<QByteArray> byName = findLine(passwd, 0, userName);
    const QList<QByteArray> line = byName.isEmpty() ? findLine(passwd, 2, userName) : byName;
    UserIds ids;
    const auto uid = line.isEmpty() ? number(userName) : number(line.value(2));
    if (!uid)
        return unknownUser(QString::fromUtf8(userName));
    ids.user = *uid;
    ids.group = number(line.value(3)).value_or(0);
    if (groupName.isEmpty())
        return ids;
    const QList<QByteArray> groupLine = findLine(group, 0, groupName);
    const auto gid = groupLine.isEmpty() ? number(groupName) : number(groupLine.value(2));
    if (!gid)
        return unknownUser(QString::fromUtf8(groupName));
    ids.group = *gid;
    return ids;
}

} // namespace Sandboxio::Docker
