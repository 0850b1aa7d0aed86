// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockersandbox.h"

#include "cellprocess.h"
#include "codelanguages.h"
#include "contexts.h"
#include "dockerapi.h"
#include "execfiles.h"
#include "execprocess.h"
#include "guestfiles.h"
#include "guestprocess.h"
#include "texts.h"

#include <sandboxio/core/path.h>

#include <algorithm>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::seconds greetingLimit(20);
constexpr quint32 executableBits = 0111;

ErrorInfo noGuest(const QString &reason)
{
    return makeError(ErrorKind::ConnectError, Text::tr("The sandbox's helper does not answer: %1.").arg(reason),
                     Text::tr("Create the sandbox again with this version of the program."));
}

} // namespace

Purpose connectPurpose()
{
    return {ErrorKind::ConnectError, Text::tr("connect to the sandbox")};
}

Capabilities guestCapabilities()
{
    return Capability::RunCommand | Capability::RunCode | Capability::Streaming | Capability::FileSystem |
           Capability::UploadDownload | Capability::Pty | Capability::ExtendLifetime |
           Capability::StatefulCode | Capability::Detach | Capability::Watch;
}

std::shared_ptr<DockerSandbox> DockerSandbox::make(std::shared_ptr<Api> api, EngineContext &context,
                                                   SandboxSetup setup)
{
    return std::shared_ptr<DockerSandbox>(new DockerSandbox(std::move(api), context, std::move(setup)));
}

DockerSandbox::DockerSandbox(std::shared_ptr<Api> api, EngineContext &context, SandboxSetup setup)
    : m_api(std::move(api))
    , m_context(context)
    , m_setup(std::move(setup))
    , m_files(std::make_unique<GuestFiles>(*this))
    , m_contexts(std::make_unique<Contexts>(*this))
    , m_pauseWatch(context.clock, [this] { return operationOf(pauseLookSteps(shared_from_this())); })
{}

DockerSandbox::~DockerSandbox() = default;

Operation<void> DockerSandbox::attachStdio(std::shared_ptr<UpgradedStream> stream)
{
    return operationOf(connectOver(shared_from_this(), std::move(stream)));
}

Operation<void> DockerSandbox::relay()
{
    return operationOf(relaySteps(shared_from_this()));
}

QCoro::Task<> DockerSandbox::relaySteps(std::shared_ptr<DockerSandbox> self)
{
    co_await connectOver(self, (co_await self->execGuest({u"relay"_s}, true)).stream);
}

QCoro::Task<> DockerSandbox::connectOver(std::shared_ptr<DockerSandbox> self,
                                         std::shared_ptr<UpgradedStream> stream)
{
    co_await self->greet(std::move(stream));
    if (self->m_setup.plainExec)
        co_await probeSteps(self);
    else
        co_await self->findLanguages();
}

Operation<StartedExec> DockerSandbox::execGuest(const QStringList &arguments, bool withInput)
{
    return operationOf(execSteps(shared_from_this(), arguments, withInput));
}

QCoro::Task<StartedExec> DockerSandbox::execSteps(std::shared_ptr<DockerSandbox> self, QStringList arguments,
                                                  bool withInput)
{
    const ExecSpec spec{.command = QStringList{QString::fromLatin1(guestProgram)} + arguments,
                        .withInput = withInput};
    const QString exec = co_await newExecSteps(self, spec, connectPurpose());
    co_return co_await startExec(self->m_api, exec, connectPurpose());
}

QCoro::Task<QString> DockerSandbox::newExecSteps(std::shared_ptr<DockerSandbox> self, ExecSpec spec,
                                                 Purpose purpose)
{
    std::optional<ErrorInfo> problem;
    try {
        co_return co_await createExec(self->m_api, self->id(), spec, purpose);
    } catch (const SandboxError &error) {
        problem = error.info();
    }
    if (isStatus(*problem, 409)) // paused by somebody else, or not running
        problem = (co_await pauseLookSteps(self)).value_or(*problem);
    problem->raise();
}

Operation<void> DockerSandbox::greet(std::shared_ptr<UpgradedStream> stream)
{
    m_greeting.emplace();
    const Operation<void> operation = m_greeting->operation();
    m_link.reset(new GuestLink(std::move(stream)));
    QObject::connect(m_link.get(), &GuestLink::ready, &m_guard, [this] { greeted(); });
    QObject::connect(m_link.get(), &GuestLink::lost, &m_guard,
                     [this](const QString &reason) { linkLost(reason); });
    m_greetingLimit = m_context.clock->arm(&m_guard, greetingLimit, [this] {
        linkLost(Text::tr("no answer within %1 s").arg(greetingLimit.count()));
    });
    m_link->start();
    return operation;
}

void DockerSandbox::greeted()
{
    const Guest::HelloReply &hello = *m_link->client().guest();
    m_greetingLimit.reset();
    m_loss.reset();
    m_uid = hello.uid;
    m_setup.details.workingDirectory = decodePath(QByteArray::fromStdString(hello.workingDirectory));
    m_setup.details.capabilities.setFlag(Capability::ExtendLifetime, hello.creator);
    if (const QString late = Text::tr("Programs inside can lower its priority: then the end may be late.");
        !hello.protectedInit && !m_setup.details.lifetimeMechanism.endsWith(late))
        m_setup.details.lifetimeMechanism += u' ' + late;
    if (m_greeting)
        std::exchange(m_greeting, {})->finish();
}

void DockerSandbox::linkLost(const QString &reason)
{
    m_greetingLimit.reset();
    m_link.reset();
    m_setup.details.capabilities.setFlag(Capability::ExtendLifetime, false);
    if (m_greeting)
        std::exchange(m_greeting, {})->fail(noGuest(reason));
}

// Looks for the interpreters where runs would find them; every question is on its way before the first answer.
Operation<void> DockerSandbox::findLanguages()
{
    const OperationPromise<void> promise;
    Guest::Client *client = guest();
    const QString searchPath = m_setup.env.value(u"PATH"_s, m_setup.searchPath);
    const auto found = std::make_shared<QStringList>();
    const auto open = std::make_shared<qsizetype>(0);
    const std::weak_ptr<DockerSandbox> weak = weak_from_this();
    for (const CodeLanguage &language : codeLanguages()) {
        for (const QByteArray &directory : searchDirectories(searchPath)) {
            if (!client)
                break;
            ++*open;
            client->stat((directory + '/' + language.program.toUtf8()).toStdString(), true,
                         [=](const std::expected<Guest::FileInfo, Guest::FileError> &info) {
                             if (info && info->fileType == Guest::FileType::Regular &&
                                 (info->mode & executableBits))
                                 found->append(language.name);
                             const auto self = weak.lock();
                             if (--*open > 0 || !self)
                                 return;
                             self->setLanguages(*found);
                             promise.finish();
                         });
        }
    }
    const Operation<void> operation = promise.operation();
    if (*open == 0)
        promise.finish();
    return operation;
}

void DockerSandbox::setLanguages(const QStringList &found)
{
    m_languages.clear();
    for (const CodeLanguage &language : codeLanguages()) {
        if (found.contains(language.name))
            m_languages.append(language.name);
    }
    Capabilities capabilities = guestCapabilities();
    capabilities.setFlag(Capability::RunCode, !m_languages.isEmpty());
    capabilities.setFlag(Capability::StatefulCode, !contextLanguages(m_languages).isEmpty());
    capabilities.setFlag(Capability::ExtendLifetime,
                         m_setup.details.capabilities.testFlag(Capability::ExtendLifetime));
    m_setup.details.capabilities.setFlag(Capability::RunCode, false);
    m_setup.details.capabilities.setFlag(Capability::StatefulCode, false);
    m_setup.details.capabilities |= capabilities;
}

Guest::Client *DockerSandbox::guest() const
{
    return m_link && m_link->isReady() && !m_paused ? &m_link->client() : nullptr;
}

Operation<void> DockerSandbox::whenUsable()
{
    if (m_gone)
        return failedOperation<void>(*m_gone);
    if (guest() || m_setup.plainExec)
        return finishedOperation();
    return operationOf(usableSteps(shared_from_this()));
}

QCoro::Task<> DockerSandbox::usableSteps(std::shared_ptr<DockerSandbox> self)
{
    if (self->m_paused) { // others may have resumed it
        if (const auto paused = co_await pauseLookSteps(self))
            paused->raise();
        if (self->guest())
            co_return;
    }
    const ErrorInfo reason = co_await self->lossReason();
    if (!self->guest())
        reason.raise();
}

RunDefaults DockerSandbox::runDefaults() const
{
    return {.env = m_setup.env, .secrets = m_setup.secrets, .uid = m_uid};
}

QString DockerSandbox::id() const
{
    return m_setup.details.managed.id;
}

QString DockerSandbox::path(const QString &action) const
{
    return u"/containers/"_s + id() + (action.isEmpty() ? QString() : u'/' + action);
}

SandboxDetails DockerSandbox::details() const
{
    return m_setup.details;
}

std::unique_ptr<ProcessPort> DockerSandbox::start(const ProcessRequest &request, ProcessEvents *events)
{
    const auto begun = [](auto process) {
        process->begin();
        return process;
    };
    if (m_setup.plainExec)
        return begun(std::make_unique<ExecProcess>(shared_from_this(), request, events));
    if (request.code && !request.codeOptions.context.isEmpty())
        return begun(std::make_unique<CellProcess>(shared_from_this(), request, events));
    return begun(std::make_unique<GuestProcess>(shared_from_this(), request, events));
}

QStringList DockerSandbox::languages() const
{
    return m_languages;
}

FileSystemPort *DockerSandbox::files()
{
    if (m_setup.plainExec)
        return m_execFiles.get();
    return m_files.get();
}

Operation<QString> DockerSandbox::writePrivateFile(const QString &name, const QByteArray &data)
{
    return m_files->writePrivate(name, data);
}

void DockerSandbox::removeQuietly(const QString &path)
{
    m_files->removeQuietly(path);
}

Operation<QString> DockerSandbox::createContext(const QString &language)
{
    return m_contexts->create(language);
}

Operation<QStringList> DockerSandbox::listContexts()
{
    return finishedOperation(m_contexts->ids());
}

Operation<void> DockerSandbox::interruptContext(const QString &context)
{
    return m_contexts->interrupt(context);
}

Operation<void> DockerSandbox::restartContext(const QString &context)
{
    return m_contexts->restart(context);
}

Operation<void> DockerSandbox::removeContext(const QString &context)
{
    return m_contexts->remove(context);
}

void *DockerSandbox::nativeHandle()
{
    return m_api.get();
}

} // namespace Sandboxio::Docker
