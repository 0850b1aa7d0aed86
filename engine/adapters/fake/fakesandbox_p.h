// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fakeprovider_p.h"
#include "program_p.h"

#include <sandboxio/ports/filestoreport.h>
#include <sandboxio/ports/sandboxport.h>

namespace Sandboxio::Fake {

class Sandbox final : public SandboxPort
{
public:
    /*! \a secrets: known to the handle that created the sandbox and to nobody else. */
    Sandbox(std::shared_ptr<Provider> provider, const Record &record, const QMap<QString, Secret> &secrets);
    ~Sandbox() override;

    QString id() const override;
    SandboxDetails details() const override;
    Operation<ManagedSandbox> inspect() override;
    std::unique_ptr<ProcessPort> start(const ProcessRequest &request, ProcessEvents *events) override;
    QStringList languages() const override;
    FileSystemPort *files() override;
    Operation<void> kill() override;
    Operation<SandboxStats> stats() override;
    Operation<NetworkProbeResult> probe(const NetworkProbe &probe) override;
    Operation<QString> startBackground(const ProcessRequest &request) override;
    std::unique_ptr<ProcessPort> attach(const AttachRequest &request, ProcessEvents *events) override;
    Operation<QList<BackgroundRun>> backgroundRuns() override;
    Operation<void> removeBackgroundRun(const QString &id) override;

private:
    using Started = std::expected<std::shared_ptr<Program>, ErrorInfo>;
    Started programFor(const ProcessRequest &request) const;
    Started commandProgram(const ProcessRequest &request) const;
    Started codeProgram(const ProcessRequest &request) const;
    Surroundings surroundings(const QMap<QString, QString> &env) const;
    Call callOf(const ProcessRequest &request) const;

    std::shared_ptr<Provider> m_provider;
    SandboxDetails m_details;
    QMap<QString, QString> m_env;
    QMap<QString, Secret> m_secrets;
    std::unique_ptr<FileSystemPort> m_files;
};

/*! Ends and removes \a id as the script's faults allow. */
Operation<bool> removeSandbox(const Provider &provider, const QString &id);
std::unique_ptr<FileSystemPort> makeFileSystem(std::shared_ptr<Provider> provider, const QString &id);
/*! What \a managed has left behind. */
std::shared_ptr<StoredFilesPort> makeStoredFiles(const std::shared_ptr<Provider> &provider,
                                                 const ManagedSandbox &managed);

} // namespace Sandboxio::Fake
