// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestvolume.h"

#include "labels.h"
#include "steps.h"
#include "texts.h"

#include <sandboxio/transport/tararchive.h>

#include <QJsonArray>
#include <QJsonDocument>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr auto helperPause = std::chrono::milliseconds(100);
constexpr auto helperLife = std::chrono::seconds(15); // longer than anybody alive needs it
constexpr auto youngest = std::chrono::minutes(1);
constexpr int executableMode = 0755;
constexpr QLatin1StringView programName = "sandboxio-guest"_L1;

Call call(const QString &what)
{
    return {.purpose = {ErrorKind::CreationError, what}};
}

QString archivePath(const QString &container)
{
    return u"/containers/%1/archive"_s.arg(container);
}

} // namespace

GuestVolume::GuestVolume(std::shared_ptr<Api> api, EngineContext *engine)
    : m_api(std::move(api))
    , m_engine(engine)
{}

Operation<QString> GuestVolume::ensureExists(const GuestBinary &guest)
{
    return operationOf(existSteps(shared_from_this(), guest));
}

Operation<void> GuestVolume::ensureFilled(const GuestBinary &guest, const QString &container,
                                          const QJsonObject &helper)
{
    return operationOf(fillSteps(shared_from_this(), guest, container, helper));
}

/*! The volume \a name as the daemon describes it; empty when there is none. */
QCoro::Task<QJsonObject> GuestVolume::inspectVolume(Self self, QString name)
{
    const Call look = call(Text::tr("look for the guest's volume"));
    try {
        co_return objectOf(co_await self->m_api->get(u"/volumes/"_s + name, {}, look), look.purpose);
    } catch (const SandboxError &error) {
        if (!isStatus(error.info(), 404))
            throw;
    }
    co_return QJsonObject();
}

QCoro::Task<QString> GuestVolume::existSteps(Self self, GuestBinary guest)
{
    const QString name = guest.volumeName();
    const QString label = QString::fromLatin1(guestLabel);
    const QJsonObject found = co_await inspectVolume(self, name);
    if (found.value("Labels"_L1).toObject().contains(label))
        co_return name;
    self->m_filled.remove(name);
    const Call make = call(Text::tr("create the guest's volume"));
    if (!found.isEmpty()) { // made by the daemon as a side effect of a mount: without our label
        try {
            co_await self->m_api->remove(u"/volumes/"_s + name, {}, make);
        } catch (const SandboxError &error) {
            if (!isStatus(error.info(), 409))
                throw;
            co_return name; // in use: what it holds is looked at
        }
    }
    const QJsonObject body{{"Name"_L1, name}, {"Labels"_L1, QJsonObject{{label, guest.version}}}};
    co_await self->m_api->post(u"/volumes/create"_s, {}, body, make);
    std::ignore = operationOf(removeUnusedSteps(self, name)); // in the background
    co_return name;
}

QCoro::Task<> GuestVolume::removeUnusedSteps(Self self, QString keep)
{
    const Call look = call(Text::tr("list the guest's volumes"));
    const QJsonObject filters{{"dangling"_L1, QJsonArray{u"true"_s}},
                              {"label"_L1, QJsonArray{QString::fromLatin1(guestLabel)}}};
    const QUrlQuery query{
        {u"filters"_s, QString::fromUtf8(QJsonDocument(filters).toJson(QJsonDocument::Compact))}};
    const QByteArray listing = co_await self->m_api->get(u"/volumes"_s, query, look);
    const QStringList names =
        unusedGuestVolumes(objectOf(listing, look.purpose), keep, self->m_engine->clock->wallTime());
    for (const QString &name : names) {
        try {
            co_await self->m_api->remove(u"/volumes/"_s + name, {},
                                         call(Text::tr("remove an old guest's volume")));
        } catch (const SandboxError &error) {
            if (!isStatus(error.info(), 404) && !isStatus(error.info(), 409)) // gone, or in use meanwhile
                throw;
        }
    }
}

QStringList unusedGuestVolumes(const QJsonObject &listing, const QString &keep, const QDateTime &now)
{
    QStringList names;
    const QJsonArray volumes = listing.value("Volumes"_L1).toArray();
    for (const QJsonValue volume : volumes) {
        const QString name = volume["Name"_L1].toString();
        const bool isOurs = name.startsWith(QLatin1StringView(guestVolumePrefix)) &&
                            volume["Labels"_L1].toObject().contains(QLatin1StringView(guestLabel));
        const auto created = QDateTime::fromString(volume["CreatedAt"_L1].toString(), Qt::ISODate);
        if (isOurs && name != keep && created.isValid() && created.addDuration(youngest) < now)
            names.append(name);
    }
    return names;
}

QCoro::Task<bool> GuestVolume::holds(Self self, GuestBinary guest, QString container)
{
    const QString path = u"%1/%2"_s.arg(QLatin1StringView(guestDirectory), programName);
    const QUrlQuery query{{u"path"_s, path}};
    try {
        const QByteArray archive = co_await self->m_api->get(archivePath(container), query,
                                                             call(Text::tr("look at the guest's volume")));
        const auto entries = tarEntries(archive);
        co_return entries && entries->size() == 1 && entries->first().data == guest.data &&
            (entries->first().mode & executableMode) == executableMode;
    } catch (const SandboxError &error) {
        if (!isStatus(error.info(), 404))
            throw;
    }
    co_return false;
}

QCoro::Task<> GuestVolume::putGuest(Self self, GuestBinary guest, QString container)
{
    const TarEntry program{
        .path = QByteArray(programName.data(), programName.size()), .mode = executableMode, .data = guest.data};
    const Call fill = call(Text::tr("fill the guest's volume"));
    const auto archive = tarOf({program});
    if (!archive)
        malformedAnswer(archive.error().text, fill.purpose).raise();
    const QUrlQuery query{{u"path"_s, QString::fromLatin1(guestDirectory)}};
    co_await self->m_api->put(archivePath(container), query, *archive, fill);
}

/*! Creates the helper container once nobody else has it. */
QCoro::Task<QString> GuestVolume::takeHelper(Self self, GuestBinary guest, QJsonObject helper)
{
    const QString name = guest.volumeName() + u"-fill"_s;
    const Call make = call(Text::tr("create the container that fills the guest's volume"));
    const auto begin = self->m_engine->clock->now();
    while (true) {
        std::optional<ErrorInfo> problem;
        try {
            const QUrlQuery query{{u"name"_s, name}};
            const QByteArray made = co_await self->m_api->post(u"/containers/create"_s, query, helper, make);
            co_return objectOf(made, make.purpose).value("Id"_L1).toString();
        } catch (const SandboxError &error) {
            problem = error.info();
        }
        if (!isStatus(*problem, 409))
            problem->raise();
        if (self->m_engine->clock->now() - begin > helperLife)
            co_await removeHelper(self, name); // whoever made it is dead
        co_await pauseFor(self->m_engine, helperPause);
    }
}

QCoro::Task<> GuestVolume::removeHelper(Self self, QString container)
{
    const Call remove = call(Text::tr("remove the container that filled the guest's volume"));
    try {
        co_await self->m_api->remove(u"/containers/"_s + container, QUrlQuery{{u"force"_s, u"1"_s}}, remove);
    } catch (const SandboxError &error) {
        if (!isStatus(error.info(), 404) && !isStatus(error.info(), 409))
            throw;
    }
}

QCoro::Task<> GuestVolume::fillSteps(Self self, GuestBinary guest, QString container, QJsonObject helper)
{
    const QString name = guest.volumeName();
    // The container holds it from now on. Another engine may have removed it before, and the daemon made an empty one.
    const QString created = (co_await inspectVolume(self, name)).value("CreatedAt"_L1).toString();
    if (!created.isEmpty() && self->m_filled.value(name) == created)
        co_return;
    if (!co_await holds(self, guest, container)) {
        const QString filler = co_await takeHelper(self, guest, helper);
        std::exception_ptr problem;
        try {
            if (!co_await holds(self, guest, filler)) // the one before us may have done it
                co_await putGuest(self, guest, filler);
        } catch (const QException &) {
            problem = std::current_exception();
        }
        co_await removeHelper(self, filler);
        if (problem)
            std::rethrow_exception(problem);
    }
    self->m_filled.insert(name, created);
}

} // namespace Sandboxio::Docker
