// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestvolume.h"

#include "labels.h"
#include "steps.h"
#include "texts.h"

#include <sandboxio/transport/tararchive.h>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr auto helperPause = std::chrono::milliseconds(100);
constexpr auto helperLife = std::chrono::seconds(15); // longer than anybody alive needs it
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

QCoro::Task<QString> GuestVolume::existSteps(Self self, GuestBinary guest)
{
    const QString name = guest.volumeName();
    const QString label = QString::fromLatin1(guestLabel);
    const Call look = call(Text::tr("look for the guest's volume"));
    QJsonObject found;
    try {
        found = objectOf(co_await self->m_api->get(u"/volumes/"_s + name, {}, look), look.purpose);
    } catch (const SandboxError &error) {
        if (!isStatus(error.info(), 404))
            throw;
    }
    if (found.value("Labels"_L1).toObject().contains(label))
        co_return name;
    self->m_filled.remove(name);
    const Call make = call(Text::tr("create the guest's volume"));
    if (!found.isEmpty()) // made by the daemon as a side effect of a mount: without our label
        co_await self->m_api->remove(u"/volumes/"_s + name, {}, make);
    const QJsonObject body{{"Name"_L1, name}, {"Labels"_L1, QJsonObject{{label, guest.version}}}};
    co_await self->m_api->post(u"/volumes/create"_s, {}, body, make);
    co_return name;
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
    if (self->m_filled.contains(name))
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
    self->m_filled.insert(name);
}

} // namespace Sandboxio::Docker
