// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "creation.h"

#include "containerrequest.h"
#include "dockerplan.h"
#include "dockersandbox.h"
#include "jsonvalues.h"
#include "pullprogress.h"
#include "steps.h"
#include "texts.h"

#include <sandboxio/transport/tararchive.h>

#include <array>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr auto pullIdleLimit = std::chrono::seconds(60);
// Never shorter than any step: the step decides, the request is let end.
constexpr auto shieldedLimit = std::chrono::minutes(10);
constexpr int directoryMode = 0755;

Purpose creating(const QString &what)
{
    return {ErrorKind::CreationError, what};
}

Call shielded(const QString &what)
{
    return {.purpose = creating(what), .limit = shieldedLimit};
}

/*! create() has its own classes of errors. */
ErrorInfo asCreationError(ErrorInfo error)
{
    if (error.kind == ErrorKind::SandboxGone || error.kind == ErrorKind::ConnectError)
        error.kind = ErrorKind::CreationError;
    return error;
}

} // namespace

Creation::Creation(std::shared_ptr<Api> api, std::shared_ptr<GuestVolume> volume, GuestBinary guest,
                   EngineContext *engine, CreatePlan plan, Promise promise)
    : m_api(std::move(api))
    , m_volume(std::move(volume))
    , m_guest(std::move(guest))
    , m_engine(engine)
    , m_plan(std::move(plan))
    , m_promise(std::move(promise))
{
    m_promise.onCancelRequested(&m_receiver, [gate = m_cancelGate] { gate.finish(); });
}

QCoro::Task<std::shared_ptr<SandboxPort>> Creation::run(Self self)
{
    std::exception_ptr problem;
    try {
        co_return co_await steps(self);
    } catch (const QException &) {
        problem = std::current_exception();
    }
    if (self->m_createSent)
        co_await cleanUp(self);
    std::rethrow_exception(problem);
}

QCoro::Task<std::shared_ptr<SandboxPort>> Creation::steps(Self self)
{
    self->report(Text::tr("Looking at the image"));
    co_await resolveImage(self);
    self->report(Text::tr("Creating the container"));
    co_await createContainer(self);
    self->report(Text::tr("Starting the container"));
    auto sandbox = co_await startContainer(self);
    if (self->m_promise.isCancelRequested())
        throw OperationCancelled();
    co_return sandbox;
}

void Creation::report(const QString &text) const
{
    m_promise.reportProgress({.done = 0, .total = {}, .step = text});
}

void Creation::raiseTimeout(Step step) const
{
    static constexpr std::array names{"resolve"_L1, "create"_L1, "start"_L1, "verify"_L1};
    const QString name = names.at(static_cast<size_t>(step));
    ErrorInfo error = makeError(ErrorKind::CreateTimeout,
                                Text::tr("The step '%1' of creating took longer than %2 s.")
                                    .arg(name)
                                    .arg(static_cast<double>(m_plan.options.createLimit.count()) / 1000));
    error.step = name;
    error.raise();
}

/*! Runs one request under the create limit. What a cancel or the limit leaves behind is remembered, not
 * aborted. */
template <typename T>
QCoro::Task<T> Creation::step(Self self, Step step, std::function<Operation<T>()> begin)
{
    if (self->m_promise.isCancelRequested())
        throw OperationCancelled();
    const Operation<T> operation = begin();
    if (co_await endsWithin(self->m_engine, operation, self->m_plan.options.createLimit, self->m_cancelled))
        co_return co_await operation;
    operation.cancel(); // ends what only reads; what changes something goes on
    self->m_inFlight = settled(operation, self->m_engine->ioObject);
    if (self->m_promise.isCancelRequested())
        throw OperationCancelled();
    self->raiseTimeout(step);
}

QString Creation::containerPath(const QString &action) const
{
    return u"/containers/"_s + m_containerId + (action.isEmpty() ? QString() : u'/' + action);
}

QCoro::Task<> Creation::resolveImage(Self self)
{
    const Call look{.purpose = creating(Text::tr("look at the image '%1'").arg(self->m_plan.templateId))};
    const auto inspect = [self, look] {
        return self->m_api->get(u"/images/%1/json"_s.arg(self->m_plan.templateId), {}, look);
    };
    QByteArray body;
    bool missing = false;
    try {
        body = co_await step<QByteArray>(self, Step::Resolve, inspect);
    } catch (const SandboxError &error) {
        if (!isStatus(error.info(), 404))
            throw;
        missing = true;
    }
    if (missing) {
        self->report(Text::tr("Pulling the image"));
        co_await pullImage(self);
        body = co_await step<QByteArray>(self, Step::Resolve, inspect);
    }
    self->m_image = imageFacts(objectOf(body, look.purpose));
}

QCoro::Task<> Creation::pullImage(Self self)
{
    const auto reference = parseImageReference(self->m_plan.templateId);
    const Call pull{.purpose = creating(Text::tr("pull the image '%1'").arg(self->m_plan.templateId)),
                    .limit = pullIdleLimit};
    const QUrlQuery query{{u"fromImage"_s, reference->name}, {u"tag"_s, reference->tag}};
    const OperationPromise<void> done;
    const auto progress = std::make_shared<PullProgress>();
    const auto takeLine = [done, progress, pull, promise = self->m_promise](const QByteArray &line) {
        if (const auto now = progress->feed(line, pull.purpose))
            promise.reportProgress(*now);
        else
            done.fail(now.error());
    };
    const auto end = [done](const std::optional<ErrorInfo> &error) {
        error ? done.fail(*error) : done.finish();
    };
    // Going out of scope ends the request, and with it the pull at the daemon.
    const auto stream =
        self->m_api->streamLines("POST"_ba, u"/images/create"_s, query, {{}, takeLine, end}, pull);
    const Operation<void> pulled = done.operation();
    if (!co_await endsWithin(self->m_engine, pulled, std::nullopt, self->m_cancelled))
        throw OperationCancelled();
    co_await pulled;
}

QCoro::Task<> Creation::createContainer(Self self)
{
    const auto exist = [self] {
        return self->m_volume->ensureExists(self->m_guest);
    };
    const QString volume = co_await step<QString>(self, Step::Create, exist);
    const Call make = shielded(Text::tr("create the container"));
    const auto create = [self, make, volume] {
        const QUrlQuery query{{u"name"_s, self->m_plan.name}};
        self->m_createSent = self->m_createUnsure = true;
        return self->m_api->post(u"/containers/create"_s, query,
                                 containerRequest(self->m_plan, self->m_engine->owner, volume), make);
    };
    QByteArray answer;
    try {
        answer = co_await step<QByteArray>(self, Step::Create, create);
        self->m_createUnsure = false;
    } catch (const SandboxError &error) {
        self->m_createUnsure = !error.info().cause || !error.info().cause->status;
        throw;
    }
    const QJsonObject made = objectOf(answer, make.purpose);
    self->m_containerId = made.value("Id"_L1).toString();
    if (self->m_containerId.isEmpty())
        malformedAnswer(u"no id"_s, make.purpose).raise();
    self->refuseWarnings(stringList(made.value("Warnings"_L1)));
    co_await step<void>(self, Step::Create, [self] {
        return self->m_volume->ensureFilled(self->m_guest, self->m_containerId,
                                            fillRequest(self->m_plan, self->m_engine->owner,
                                                        self->m_guest.volumeName(), self->m_guest.version));
    });
    co_await prepareWorkDirectory(self);
}

void Creation::refuseWarnings(const QStringList &warnings) const
{
    if (warnings.isEmpty())
        return;
    makeError(ErrorKind::ConfigurationError, Text::tr("The Docker host drops something that was asked for."),
              Text::tr("Enable what the daemon names on the Docker host, or waive that cap in so many words."),
              ErrorCause{std::nullopt, warnings.join(u'\n')})
        .raise();
}

/*! A file of the container; empty when there is none. */
QCoro::Task<QByteArray> Creation::readSmallFile(Self self, QString path)
{
    const Call read{.purpose = creating(Text::tr("read %1 of the image").arg(path))};
    try {
        const QByteArray archive = co_await step<QByteArray>(self, Step::Create, [self, read, path] {
            return self->m_api->get(self->containerPath(u"archive"_s), QUrlQuery{{u"path"_s, path}}, read);
        });
        const auto entries = tarEntries(archive);
        co_return entries && !entries->isEmpty() ? entries->first().data : QByteArray();
    } catch (const SandboxError &error) {
        if (!isStatus(error.info(), 404))
            throw;
    }
    co_return QByteArray();
}

QCoro::Task<UserIds> Creation::findUser(Self self)
{
    if (const auto ids = numericUser(self->m_image->user))
        co_return *ids;
    const QByteArray passwd = co_await readSmallFile(self, u"/etc/passwd"_s);
    const QByteArray group = co_await readSmallFile(self, u"/etc/group"_s);
    const auto ids = resolveUser(self->m_image->user, passwd, group);
    if (!ids)
        ids.error().raise();
    co_return *ids;
}

/*! A volume made by Docker is root's: gives it to the image's user. */
QCoro::Task<> Creation::prepareWorkDirectory(Self self)
{
    const UserIds ids = co_await findUser(self);
    if (ids == UserIds{})
        co_return;
    const Call prepare = shielded(Text::tr("prepare the working directory"));
    const auto archive = tarOf({TarEntry{.path = QByteArray(workDirectory).sliced(1),
                                         .type = TarEntry::Type::Directory,
                                         .mode = directoryMode,
                                         .userId = ids.user,
                                         .groupId = ids.group}});
    if (!archive)
        malformedAnswer(archive.error().text, prepare.purpose).raise();
    co_await step<QByteArray>(self, Step::Create, [self, prepare, tar = *archive] {
        return self->m_api->put(self->containerPath(u"archive"_s), QUrlQuery{{u"path"_s, u"/"_s}}, tar,
                                prepare);
    });
}

QCoro::Task<std::shared_ptr<SandboxPort>> Creation::startContainer(Self self)
{
    const QUrlQuery streams{
        {u"stream"_s, u"1"_s}, {u"stdin"_s, u"1"_s}, {u"stdout"_s, u"1"_s}, {u"stderr"_s, u"1"_s}};
    using Stream = std::shared_ptr<UpgradedStream>;
    const Stream stream = co_await step<Stream>(self, Step::Start, [self, streams] {
        return self->m_api->hijack(self->containerPath(u"attach"_s), streams, {},
                                   shielded(Text::tr("attach to the container")));
    });
    co_await step<QByteArray>(self, Step::Start, [self] {
        return self->m_api->post(self->containerPath(u"start"_s), {}, {},
                                 shielded(Text::tr("start the container")));
    });
    self->report(Text::tr("Checking the container"));
    const ContainerFacts facts = co_await verify(self);
    const auto sandbox = DockerSandbox::make(self->m_api, *self->m_engine,
                                             {.details = self->sandboxDetails(facts),
                                              .env = self->m_plan.options.env,
                                              .secrets = self->m_plan.options.secrets,
                                              .searchPath = facts.env.value(u"PATH"_s),
                                              .plainExec = wantsPlainExec(self->m_plan.target),
                                              .tier = self->m_plan.tier});
    std::optional<ErrorInfo> problem;
    try {
        co_await step<void>(self, Step::Start, [sandbox, stream] { return sandbox->attachStdio(stream); });
        if (sandbox->isKept()) { // before anything of the user's runs inside
            co_await step<void>(self, Step::Start, [self, sandbox] {
                return sandbox->startLifetimeKeeper(self->m_plan.options.timeout);
            });
        }
    } catch (const CreateTimeout &) {
        throw;
    } catch (const SandboxError &error) {
        problem = asCreationError(error.info());
    }
    if (problem)
        problem->raise();
    co_return sandbox;
}

QCoro::Task<ContainerFacts> Creation::verify(Self self)
{
    const Call look{.purpose = creating(Text::tr("check the container"))};
    const QByteArray body = co_await step<QByteArray>(self, Step::Verify, [self, look] {
        return self->m_api->get(self->containerPath(u"json"_s), {}, look);
    });
    const auto facts = containerFacts(objectOf(body, look.purpose));
    if (!facts)
        malformedAnswer(u"no id"_s, look.purpose).raise();
    if (const auto mismatch = findMismatch(self->m_plan, *self->m_image, *facts))
        mismatch->raise();
    co_return *facts;
}

SandboxDetails Creation::sandboxDetails(const ContainerFacts &facts) const
{
    SandboxDetails details;
    details.managed = managedSandbox(facts, m_plan.target, m_engine->clock->wallTime());
    details.capabilities = daemonCapabilities(*m_api, wantsPlainExec(m_plan.target));
    details.resources = m_plan.options.resources;
    details.tierSource = m_plan.tierSource;
    details.lifetimeMechanism = m_plan.lifetimeMechanism;
    details.workingDirectory = QString::fromLatin1(workDirectory);
    details.native = {
        {u"containerId"_s, facts.id}, {u"runtime"_s, facts.runtime}, {u"networkMode"_s, facts.networkMode}};
    return details;
}

namespace {

QCoro::Task<> removeSteps(std::shared_ptr<Api> api, EngineContext *engine, QString name, bool mayAppear)
{
    constexpr auto pause = std::chrono::milliseconds(300);
    constexpr int looksForLateOne = 5;
    const Call call{.purpose = {ErrorKind::ConnectError, Text::tr("remove the container '%1'").arg(name)},
                    .limit = shieldedLimit};
    const QUrlQuery query{{u"force"_s, u"1"_s}, {u"v"_s, u"1"_s}};
    for (int look = 0;; ++look) {
        std::optional<ErrorInfo> problem;
        try {
            co_await api->remove(u"/containers/"_s + name, query, call);
            co_return;
        } catch (const SandboxError &error) {
            problem = error.info();
        }
        const bool gone = isStatus(*problem, 404);
        const bool beingRemoved = isStatus(*problem, 409);
        if (gone && (!mayAppear || look >= looksForLateOne))
            co_return;
        if (!gone && !beingRemoved)
            problem->raise();
        co_await pauseFor(engine, pause);
    }
}

QCoro::Task<> letGoOnSteps(std::shared_ptr<Api> api, QString id)
{
    try {
        co_await api->post(u"/containers/%1/unpause"_s.arg(id), {}, {},
                           {.purpose = {ErrorKind::ConnectError, Text::tr("resume the sandbox")}});
    } catch (const SandboxError &) {
        // it is not paused, or gone
    }
}

QCoro::Task<> removeAfter(std::optional<Operation<void>> before, std::shared_ptr<Api> api,
                          EngineContext *engine, QString name, bool mayAppear)
{
    if (before)
        co_await *before;
    co_await removeSteps(api, engine, name, mayAppear);
}

} // namespace

Operation<void> letGoOn(const std::shared_ptr<Api> &api, const QString &id)
{
    return operationOf(letGoOnSteps(api, id));
}

Operation<void> removeContainer(const std::shared_ptr<Api> &api, EngineContext *engine, const QString &name,
                                bool mayAppear)
{
    return operationOf(removeSteps(api, engine, name, mayAppear));
}

/*! Not cancellable, bounded by the grace; goes on in the background when that is over. */
QCoro::Task<> Creation::cleanUp(Self self)
{
    self->report(Text::tr("Removing what was made"));
    const Operation<void> removal = operationOf(
        removeAfter(self->m_inFlight, self->m_api, self->m_engine, self->m_plan.name, self->m_createUnsure));
    const bool ended =
        co_await endsWithin(self->m_engine, removal, self->m_engine->teardownGrace, std::nullopt);
    if (ended && removal.outcome() == OperationOutcome::Value)
        co_return;
    EngineWarning warning{
        .kind = EngineWarning::Kind::OrphanedSandbox,
        .message = Text::tr("The container '%1' may be left on the Docker host; `sandboxio reap` finds it.")
                       .arg(self->m_plan.name),
        .target = self->m_plan.target,
        .sandboxId = self->m_plan.name,
        .metadata = self->m_plan.options.metadata};
    if (self->m_engine->warn)
        self->m_engine->warn(warning);
}

} // namespace Sandboxio::Docker
