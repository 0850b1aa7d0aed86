// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <expected>
#include <optional>

namespace Sandboxio::Docker {

/*! What `GET /images/{name}/json` says, as far as we need it. */
struct ImageFacts
{
    QString id = {};
    QString user = {}; //!< empty: root
    QString workingDirectory = {};
    QString searchPath = {};   //!< PATH of its environment; empty: none set
    QString architecture = {}; //!< "amd64"
    QString operatingSystem = {};
    QStringList entrypoint = {};
    QStringList volumes = {}; //!< paths at which it declares volumes
    bool operator==(const ImageFacts &) const = default;
};
ImageFacts imageFacts(const QJsonObject &inspected);

/*! The name of an image in its parts, as pulling wants them. */
struct ImageReference
{
    QString name = {}; //!< "python", "host:5000/team/app"
    QString tag = {};  //!< "latest" when none was given; "sha256:…" for a digest
    bool operator==(const ImageReference &) const = default;
};
/*! Splits \a reference; absent when it is no name of an image. */
std::optional<ImageReference> parseImageReference(const QString &reference);

/*! Numeric ids of a user. */
struct UserIds
{
    qint64 user = 0;
    qint64 group = 0;
    bool operator==(const UserIds &) const = default;
};
/*! Whether \a user can be resolved without the image's files: empty, "root", "0", "1000:1000". */
std::optional<UserIds> numericUser(const QString &user);
/*! The ids of the USER \a user ("1000", "app", "app:staff", …) by the image's \a passwd and \a group, as Docker
    finds them; CreationError when it has no such user or group. */
std::expected<UserIds, ErrorInfo> resolveUser(const QString &user, const QByteArray &passwd,
                                              const QByteArray &group);

} // namespace Sandboxio::Docker
