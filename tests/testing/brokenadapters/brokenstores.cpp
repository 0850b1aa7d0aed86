// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

#include <sandboxio/fake/store_p.h>

namespace Sandboxio::Broken {

using namespace Qt::StringLiterals;

namespace {

using FilesPort = std::shared_ptr<StoredFilesPort>;

/*! Opens what \a id names as if \a disguise had been done to it before. */
class Disguising : public ForwardingBackend, public FileStorePort
{
public:
    using ForwardingBackend::ForwardingBackend;
    FileStorePort *fileStore() override { return this; }
    Operation<FilesPort> open(const QString &id) override
    {
        const std::optional<Fake::Record> before = m_setting.script->store()->find(id);
        m_setting.script->store()->with(id, [this](Fake::Record &record) { disguise(record); });
        const Operation<FilesPort> opened = m_inner->fileStore()->open(id);
        m_setting.script->store()->with(id, [&](Fake::Record &record) {
            record.isManaged = before->isManaged;
            record.managed.state = before->managed.state;
        });
        return opened;
    }

private:
    virtual void disguise(Fake::Record &record) const = 0;
};

class OpensForeign final : public Disguising
{
    using Disguising::Disguising;
    void disguise(Fake::Record &record) const override
    {
        if (record.isManaged)
            return;
        record.isManaged = true;
        record.managed.state = SandboxState::Stopped;
    }
};

class OpensRunning final : public Disguising
{
    using Disguising::Disguising;
    void disguise(Fake::Record &record) const override { record.managed.state = SandboxState::Stopped; }
};

/*! Files that are those which another adapter opened. */
class ForwardingStoredFiles : public StoredFilesPort
{
public:
    ForwardingStoredFiles(const Setting &setting, FilesPort inner)
        : m_setting(setting)
        , m_inner(std::move(inner))
    {}
    ManagedSandbox managed() const override { return m_inner->managed(); }
    Operation<FileInfo> stat(const QString &path) override { return m_inner->stat(path); }
    Operation<QList<FileInfo>> list(const QString &path) override { return m_inner->list(path); }
    Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) override
    {
        return m_inner->openRead(path);
    }

protected:
    Setting m_setting;
    FilesPort m_inner;
};

template <typename Files>
class WithStoredFiles final : public ForwardingBackend, public FileStorePort
{
public:
    using ForwardingBackend::ForwardingBackend;
    FileStorePort *fileStore() override { return this; }
    Operation<FilesPort> open(const QString &id) override
    {
        return forwarded(m_setting.io(), m_inner->fileStore()->open(id),
                         [setting = m_setting](const FilesPort &files) -> FilesPort {
                             return std::make_shared<Files>(setting, files);
                         });
    }
};
template <typename Files>
BrokenAdapter brokenStore(const char *name)
{
    return brokenBackend<WithStoredFiles<Files>>("storedfiles", name);
}

class WakesIt final : public ForwardingStoredFiles
{
public:
    using ForwardingStoredFiles::ForwardingStoredFiles;
    Operation<FileInfo> stat(const QString &path) override
    {
        m_setting.script->store()->with(m_inner->managed().id, [](Fake::Record &record) {
            record.managed.state = SandboxState::Running;
            record.end.reset();
        });
        return ForwardingStoredFiles::stat(path);
    }
};

class RemovesIt final : public ForwardingStoredFiles
{
public:
    using ForwardingStoredFiles::ForwardingStoredFiles;
    ~RemovesIt() override
    {
        if (m_wasRead)
            m_setting.script->lose(m_inner->managed().id);
    }
    Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) override
    {
        m_wasRead = true;
        return ForwardingStoredFiles::openRead(path);
    }

private:
    bool m_wasRead = false;
};

class ListsWhatIsBelow final : public ForwardingStoredFiles
{
public:
    using ForwardingStoredFiles::ForwardingStoredFiles;
    Operation<QList<FileInfo>> list(const QString &path) override
    {
        return forwarded(m_setting.io(), ForwardingStoredFiles::list(path), [](QList<FileInfo> entries) {
            for (const FileInfo &entry : QList<FileInfo>(entries)) {
                if (entry.name != u"below"_s)
                    continue;
                FileInfo deeper = entry;
                deeper.name = u"below/file"_s;
                entries.append(deeper);
            }
            return entries;
        });
    }
};

class MissingIsEmpty final : public ForwardingStoredFiles
{
public:
    using ForwardingStoredFiles::ForwardingStoredFiles;
    Operation<QList<FileInfo>> list(const QString &path) override
    {
        const Operation<QList<FileInfo>> listing = ForwardingStoredFiles::list(path);
        const bool isMissing =
            listing.outcome() == OperationOutcome::Error && listing.error().kind == ErrorKind::PathNotFound;
        return isMissing ? finishedOperation(QList<FileInfo>()) : listing;
    }
};

class CutReader final : public ForwardingReader
{
public:
    using ForwardingReader::ForwardingReader;
    Operation<QByteArray> read(qint64 maximum) override
    {
        constexpr qint64 longest = 1024 * 1024;
        if (m_done >= longest)
            return finishedOperation(QByteArray());
        m_done += maximum;
        return ForwardingReader::read(maximum);
    }

private:
    qint64 m_done = 0;
};

class EndsEarly final : public ForwardingStoredFiles
{
public:
    using ForwardingStoredFiles::ForwardingStoredFiles;
    Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) override
    {
        return forwarded(m_setting.io(), ForwardingStoredFiles::openRead(path),
                         [](const auto &reader) -> std::shared_ptr<FileReaderPort> {
                             return std::make_shared<CutReader>(reader);
                         });
    }
};

class ForgetsTheLabels final : public ForwardingStoredFiles
{
public:
    using ForwardingStoredFiles::ForwardingStoredFiles;
    ManagedSandbox managed() const override
    {
        ManagedSandbox managed = ForwardingStoredFiles::managed();
        managed.metadata.clear();
        return managed;
    }
};

} // namespace

QList<BrokenAdapter> brokenStores()
{
    return {
        brokenBackend<OpensForeign>("storedfiles", "files of foreign sandboxes are read"),
        brokenBackend<OpensRunning>("storedfiles", "what is mounted in a running sandbox is missed"),
        brokenStore<WakesIt>("looking at the files of an ended sandbox wakes it"),
        brokenStore<RemovesIt>("reading the files of an ended sandbox removes it"),
        brokenStore<ListsWhatIsBelow>("a listing of stored files goes deeper than asked"),
        brokenStore<MissingIsEmpty>("a missing stored directory is an empty one"),
        brokenStore<EndsEarly>("a large stored file ends early"),
        brokenStore<ForgetsTheLabels>("a record of stored files lacks the labels"),
    };
}

} // namespace Sandboxio::Broken
