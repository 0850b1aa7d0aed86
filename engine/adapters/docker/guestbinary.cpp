// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestbinary.h"

#include "guestvolume.h"
#include "texts.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <dlfcn.h>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype versionDigits = 12;
constexpr int foldersAbove = 6; // lib/<multiarch>/sandboxio/adapters and one more
constexpr qint64 largestGuest = 16 * 1024 * 1024;

} // namespace

QString adapterPath()
{
    Dl_info info = {};
    if (dladdr(reinterpret_cast<const void *>(&adapterPath), &info) == 0 || !info.dli_fname)
        return {};
    return QFileInfo(QFile::decodeName(info.dli_fname)).absoluteFilePath();
}

QStringList helperCandidates(const QString &pluginPath, const QString &file)
{
    QStringList candidates;
    QString folder = QFileInfo(pluginPath).path();
    for (int i = 0; i < foldersAbove && folder != "/"_L1 && folder != "."_L1; ++i) {
        candidates.append(folder + u"/libexec/sandboxio/"_s + file);
        folder = QFileInfo(folder).path();
    }
    return candidates;
}

QString GuestBinary::volumeName() const
{
    return u"%1%2-%3"_s.arg(QLatin1StringView(guestVolumePrefix), version, architecture);
}

QStringList guestCandidates(const QString &pluginPath, const QString &overrideDirectory,
                            const QString &architecture)
{
    const QString file = u"/%1/sandboxio-guest"_s.arg(architecture);
    if (!overrideDirectory.isEmpty())
        return {overrideDirectory + file};
    return helperCandidates(pluginPath, u"guest"_s + file);
}

std::expected<GuestBinary, ErrorInfo> loadGuest(const QStringList &candidates, const QString &architecture)
{
    for (const QString &path : candidates) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly) || file.size() > largestGuest)
            continue;
        GuestBinary guest{.data = file.readAll(), .architecture = architecture, .version = {}};
        const QByteArray hash = QCryptographicHash::hash(guest.data, QCryptographicHash::Sha256).toHex();
        guest.version = QString::fromLatin1(hash.first(versionDigits));
        if (!guest.data.isEmpty())
            return guest;
    }
    return std::unexpected(makeError(
        ErrorKind::CreationError,
        Text::tr("The guest program for the architecture '%1' is missing.").arg(architecture),
        Text::tr("Build or install sandboxio for it, or set %1 to the folder that holds %2/sandboxio-guest.")
            .arg(QLatin1StringView(guestDirectoryVariable), architecture)));
}

std::expected<GuestBinary, ErrorInfo> loadGuest(const QString &architecture)
{
    return loadGuest(guestCandidates(adapterPath(), qEnvironmentVariable(guestDirectoryVariable), architecture),
                     architecture);
}

} // namespace Sandboxio::Docker
