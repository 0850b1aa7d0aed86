// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "forwardingsandbox.h"

namespace Sandboxio::Broken {

class ForwardingReader : public FileReaderPort
{
public:
    explicit ForwardingReader(std::shared_ptr<FileReaderPort> inner);
    ~ForwardingReader() override;
    std::optional<qint64> size() const override;
    Operation<QByteArray> read(qint64 maximum) override;

protected:
    std::shared_ptr<FileReaderPort> m_inner;
};

class ForwardingWriter : public FileWriterPort
{
public:
    explicit ForwardingWriter(std::shared_ptr<FileWriterPort> inner);
    ~ForwardingWriter() override;
    Operation<void> write(const QByteArray &data) override;
    Operation<void> commit() override;
    Operation<void> abort() override;

protected:
    std::shared_ptr<FileWriterPort> m_inner;
};

class ForwardingWatch : public FileWatchPort
{
public:
    explicit ForwardingWatch(std::shared_ptr<FileWatchPort> inner);
    ~ForwardingWatch() override;
    Operation<QList<FileChange>> next() override;

protected:
    std::shared_ptr<FileWatchPort> m_inner;
};

/*! Files that are those of another sandbox. */
class ForwardingFiles : public FileSystemPort
{
public:
    ForwardingFiles(const Setting &setting, const std::shared_ptr<SandboxPort> &sandbox);
    ~ForwardingFiles() override;

    Operation<FileInfo> stat(const QString &path) override;
    Operation<QList<FileInfo>> list(const QString &path) override;
    Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) override;
    Operation<std::shared_ptr<FileWriterPort>> openWrite(const QString &path,
                                                         std::optional<quint32> mode) override;
    Operation<void> makeDirectory(const QString &path, bool parents) override;
    Operation<void> remove(const QString &path, bool recursive) override;
    Operation<void> move(const QString &from, const QString &to) override;
    Operation<void> changeMode(const QString &path, quint32 mode) override;
    Operation<std::shared_ptr<FileWatchPort>> watch(const QString &path, bool recursive) override;

protected:
    FileSystemPort &inner() const { return *m_sandbox->files(); }

    Setting m_setting;
    std::shared_ptr<SandboxPort> m_sandbox;
};

/*! A sandbox whose files are of the class \a Port. */
template <typename Port>
class WithFiles final : public ForwardingSandbox
{
public:
    WithFiles(const Setting &setting, const std::shared_ptr<SandboxPort> &sandbox)
        : ForwardingSandbox(setting, sandbox)
        , m_files(std::make_unique<Port>(setting, sandbox))
    {}
    FileSystemPort *files() override { return m_files.get(); }

private:
    std::unique_ptr<Port> m_files;
};

} // namespace Sandboxio::Broken
