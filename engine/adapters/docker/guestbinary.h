// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <expected>

namespace Sandboxio::Docker {

/*! Names the folder that holds <architecture>/sandboxio-guest; wins over the places beside this plugin. */
inline constexpr const char *guestDirectoryVariable = "SANDBOXIO_GUEST_DIR";

/*! The guest's program for one architecture. A plain value. */
struct GuestBinary
{
    QByteArray data = {};
    QString architecture = {}; //!< "amd64", "arm64"
    QString version = {};      //!< first 12 hex digits of its SHA-256

    /*! The volume that delivers it: another program is another volume. */
    QString volumeName() const;
};

/*! This plugin, or the program that it is linked into. */
QString adapterPath();
/*! Where \a file of `libexec/sandboxio/` may be: in each folder above \a pluginPath, first the best. */
QStringList helperCandidates(const QString &pluginPath, const QString &file);
/*! Where the guest may be for this plugin, first the best: `libexec/sandboxio/guest/<architecture>/` in each
    folder above
    \a pluginPath, or only in \a overrideDirectory when it is not empty. */
QStringList guestCandidates(const QString &pluginPath, const QString &overrideDirectory,
                            const QString &architecture);
/*! Reads the guest for \a architecture; CreationError when there is none. */
std::expected<GuestBinary, ErrorInfo> loadGuest(const QStringList &candidates, const QString &architecture);
/*! The two together for this process. */
std::expected<GuestBinary, ErrorInfo> loadGuest(const QString &architecture);

} // namespace Sandboxio::Docker
