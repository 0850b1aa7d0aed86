// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "forwardingfiles.h"

namespace Sandboxio::Broken {

ForwardingReader::ForwardingReader(std::shared_ptr<FileReaderPort> inner)
    : m_inner(std::move(inner))
{}

ForwardingReader::~ForwardingReader() = default;

std::optional<qint64> ForwardingReader::size() const
{
    return m_inner->size();
}

Operation<QByteArray> ForwardingReader::read(qint64 maximum)
{
    return m_inner->read(maximum);
}

ForwardingWriter::ForwardingWriter(std::shared_ptr<FileWriterPort> inner)
    : m_inner(std::move(inner))
{}

ForwardingWriter::~ForwardingWriter() = default;

Operation<void> ForwardingWriter::write(const QByteArray &data)
{
    return m_inner->write(data);
}

Operation<void> ForwardingWriter::commit()
{
    return m_inner->commit();
}

Operation<void> ForwardingWriter::abort()
{
    return m_inner->abort();
}

ForwardingFiles::ForwardingFiles(const Setting &setting, const std::shared_ptr<SandboxPort> &sandbox)
    : m_setting(setting)
    , m_sandbox(sandbox)
{}

ForwardingFiles::~ForwardingFiles() = default;

Operation<FileInfo> ForwardingFiles::stat(const QString &path)
{
    return inner().stat(path);
}

Operation<QList<FileInfo>> ForwardingFiles::list(const QString &path)
{
    return inner().list(path);
}

Operation<std::shared_ptr<FileReaderPort>> ForwardingFiles::openRead(const QString &path)
{
    return inner().openRead(path);
}

Operation<std::shared_ptr<FileWriterPort>> ForwardingFiles::openWrite(const QString &path,
                                                                      std::optional<quint32> mode)
{
    return inner().openWrite(path, mode);
}

Operation<void> ForwardingFiles::makeDirectory(const QString &path, bool parents)
{
    return inner().makeDirectory(path, parents);
}

Operation<void> ForwardingFiles::remove(const QString &path, bool recursive)
{
    return inner().remove(path, recursive);
}

Operation<void> ForwardingFiles::move(const QString &from, const QString &to)
{
    return inner().move(from, to);
}

Operation<void> ForwardingFiles::changeMode(const QString &path, quint32 mode)
{
    return inner().changeMode(path, mode);
}

Operation<std::shared_ptr<FileWatchPort>> ForwardingFiles::watch(const QString &path, bool recursive)
{
    return inner().watch(path, recursive);
}

ForwardingWatch::ForwardingWatch(std::shared_ptr<FileWatchPort> inner)
    : m_inner(std::move(inner))
{}

ForwardingWatch::~ForwardingWatch() = default;

Operation<QList<FileChange>> ForwardingWatch::next()
{
    return m_inner->next();
}

} // namespace Sandboxio::Broken
