// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <QTemporaryFile>

namespace Sandboxio {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/*! What is declared does not refuse, and what is not declared does: never a silent success, never an imitation. */
class CapabilityContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void declaredCapabilitiesWorkAndOthersRefuse_data();
    void declaredCapabilitiesWorkAndOthersRefuse();
    void aSizeIsRefusedWhereThereIsNoTerminal();
    void everyHandleOfASandboxDeclaresTheSame();

private:
    /*! The error of one use of \a capability, absent when it worked. */
    std::optional<ErrorInfo> use(Capability capability);
    template <typename T>
    std::optional<ErrorInfo> outcome(const Operation<T> &operation)
    {
        ended(operation);
        return operation.outcome() == OperationOutcome::Error ? std::optional(operation.error()) : std::nullopt;
    }
    std::optional<ErrorInfo> useContext();
    std::optional<ErrorInfo> useStream();
    std::optional<ErrorInfo> useTransfer();
    std::optional<ErrorInfo> useWatch();
    std::optional<ErrorInfo> useDetach();
};

void CapabilityContract::declaredCapabilitiesWorkAndOthersRefuse_data()
{
    QTest::addColumn<Capability>("capability");
    for (quint32 bit = 1; bit <= static_cast<quint32>(Capability::Detach); bit <<= 1) {
        const auto capability = static_cast<Capability>(bit);
        QTest::newRow(qPrintable(capabilityName(capability))) << capability;
    }
}

void CapabilityContract::declaredCapabilitiesWorkAndOthersRefuse()
{
    QFETCH(Capability, capability);
    const bool isDeclared = sandbox()->capabilities().testFlag(capability);
    const std::optional<ErrorInfo> error = use(capability);
    if (isDeclared) {
        check(!error, u"it is declared and refuses: "_s + error.value_or(ErrorInfo()).toText());
        return;
    }
    check(error.has_value(), u"it is not declared and seems to work"_s);
    check(error->kind == ErrorKind::CapabilityNotSupported,
          u"refused as %1: %2"_s.arg(kindName(error->kind), error->toText()));
    check(!error->hint.isEmpty(), u"the refusal has no hint"_s);
    QCOMPARE(error->code(), u"SBX_E1101"_s);
}

std::optional<ErrorInfo> CapabilityContract::use(Capability capability)
{
    switch (capability) {
    case Capability::RunCommand:
        return outcome(sandbox()->run(print(u"x"_s)));
    case Capability::RunCode:
        return outcome(sandbox()->runCode(need(subject.code.print, "code `print`")(u"x"_s)));
    case Capability::StatefulCode:
        return useContext();
    case Capability::Streaming:
        return useStream();
    case Capability::FileSystem:
        return outcome(sandbox()->files().ls());
    case Capability::UploadDownload:
        return useTransfer();
    case Capability::Pty: {
        RunOptions with;
        with.pty = TerminalSize{};
        return outcome(sandbox()->run(print(u"x"_s), with));
    }
    case Capability::PauseResume: {
        const SandboxPtr own = create();
        const auto paused = outcome(own->pause());
        return paused ? paused : outcome(own->resume());
    }
    case Capability::Gpu: {
        CreateOptions with = options();
        with.resources.gpu = u"T4"_s;
        const Operation<SandboxPtr> creation = engine().create(target(), with);
        const auto refused = outcome(creation);
        if (!refused)
            removeLater(creation.result());
        return refused;
    }
    case Capability::NetworkPolicy:
        return outcome(sandbox()->verifyPolicy());
    case Capability::Stats:
        return outcome(sandbox()->stats());
    case Capability::ExtendLifetime:
        return outcome(create()->extend(400s));
    case Capability::Watch:
        return useWatch();
    case Capability::Detach:
        return useDetach();
    default:
        check(!sandbox()->capabilities().testFlag(capability),
              u"it is declared, and the API has no member to use it by"_s);
        skip(u"the API has no member for %1 yet"_s.arg(capabilityName(capability)));
    }
}

std::optional<ErrorInfo> CapabilityContract::useTransfer()
{
    QTemporaryFile local;
    check(local.open(), local.errorString());
    const FileSystem files = sandbox()->files();
    if (const auto refused = outcome(files.upload(local.fileName(), u"/tmp/capability"_s))) {
        failsAs(ErrorKind::CapabilityNotSupported, files.download(u"/tmp/capability"_s, local.fileName()));
        return refused;
    }
    return outcome(files.download(u"/tmp/capability"_s, local.fileName()));
}

std::optional<ErrorInfo> CapabilityContract::useWatch()
{
    std::optional<ErrorInfo> refused;
    bool isInForce = false;
    const auto watcher = sandbox()->files().watch(u"/"_s);
    connect(watcher.get(), &FileWatcher::started, this, [&] { isInForce = true; });
    connect(watcher.get(), &FileWatcher::failed, this, [&](const ErrorInfo &error) { refused = error; });
    eventually([&] { return isInForce || refused; }, u"the watch is in force or refused"_s);
    return refused;
}

std::optional<ErrorInfo> CapabilityContract::useDetach()
{
    const Operation<QString> started = sandbox()->startBackground(print(u"x"_s));
    if (const auto refused = outcome(started)) {
        // The other ways in must refuse as well.
        failsAs(ErrorKind::CapabilityNotSupported, sandbox()->backgroundRuns());
        failsAs(ErrorKind::CapabilityNotSupported, sandbox()->removeBackgroundRun(u"x"_s));
        try {
            std::ignore = sandbox()->attach(u"x"_s);
            fail(u"an attachment is not refused"_s);
        } catch (const CapabilityNotSupported &) {
        }
        return refused;
    }
    return outcome(sandbox()->removeBackgroundRun(value(started)));
}

std::optional<ErrorInfo> CapabilityContract::useContext()
{
    const Operation<QString> made = sandbox()->createContext(subject.code.language);
    if (const auto refused = outcome(made)) {
        // The other ways in must refuse as well.
        RunCodeOptions with;
        with.context = u"context"_s;
        failsAs(ErrorKind::CapabilityNotSupported, sandbox()->runCode(u"1"_s, with));
        failsAs(ErrorKind::CapabilityNotSupported, sandbox()->listContexts());
        failsAs(ErrorKind::CapabilityNotSupported, sandbox()->removeContext(u"context"_s));
        return refused;
    }
    return outcome(sandbox()->removeContext(value(made)));
}

std::optional<ErrorInfo> CapabilityContract::useStream()
{
    try {
        const auto process = sandbox()->stream(print(u"x"_s));
        return outcome(process->start(Process::ConsumerMode::Discard));
    } catch (const SandboxError &error) {
        return error.info();
    }
}

void CapabilityContract::aSizeIsRefusedWhereThereIsNoTerminal()
{
    needCapability(Capability::Streaming);
    needCapability(Capability::RunCommand);
    const auto process = sandbox()->stream(hang());
    value(process->start(Process::ConsumerMode::Discard));
    const ErrorInfo error = errorOf(process->resize({30, 100}));
    check(error.kind == ErrorKind::CapabilityNotSupported || error.kind == ErrorKind::ConfigurationError,
          u"refused as "_s + kindName(error.kind));
    value(process->close());
}

void CapabilityContract::everyHandleOfASandboxDeclaresTheSame()
{
    const Capabilities declared = sandbox()->capabilities();
    const auto second = anotherEngine();
    Capabilities seen = value(second->connectTo(target(), sandbox()->id()))->capabilities();
    if (declared.testFlag(Capability::ExtendLifetime))
        seen.setFlag(Capability::ExtendLifetime); // it may be the creator's alone
    QCOMPARE(capabilityNames(seen), capabilityNames(declared));
    QCOMPARE(sandbox()->languages().isEmpty(), !declared.testFlag(Capability::RunCode));
    if (declared.testFlag(Capability::StatefulCode))
        QVERIFY(declared.testFlag(Capability::RunCode));
    if (declared.testFlag(Capability::Pty))
        QVERIFY(declared.testFlag(Capability::RunCommand));
}

std::unique_ptr<ContractFamily> makeCapabilityContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<CapabilityContract>(subject, label);
}

} // namespace Sandboxio

#include "capabilities.moc"
