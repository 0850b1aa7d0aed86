// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

#include <QFile>
#include <QTimer>

namespace Sandboxio::Broken {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr qint64 largestRead = 4 * 1024 * 1024;

class HostReader final : public FileReaderPort
{
public:
    explicit HostReader(const QString &path)
        : m_file(path)
    {
        m_file.open(QIODevice::ReadOnly);
    }
    std::optional<qint64> size() const override { return m_file.size(); }
    Operation<QByteArray> read(qint64 maximum) override { return finishedOperation(m_file.read(maximum)); }

private:
    QFile m_file;
};

class ReadsTheHost final : public ForwardingFiles
{
public:
    using ForwardingFiles::ForwardingFiles;
    Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) override
    {
        if (path.startsWith(u'/') && QFile::exists(path))
            return finishedOperation<std::shared_ptr<FileReaderPort>>(std::make_shared<HostReader>(path));
        return ForwardingFiles::openRead(path);
    }
};

class RelativeElsewhere final : public ForwardingFiles
{
public:
    using ForwardingFiles::ForwardingFiles;
    static QString elsewhere(const QString &path) { return path.startsWith(u'/') ? path : u"/tmp/"_s + path; }
    Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) override
    {
        return ForwardingFiles::openRead(elsewhere(path));
    }
    Operation<std::shared_ptr<FileWriterPort>> openWrite(const QString &path,
                                                         std::optional<quint32> mode) override
    {
        return ForwardingFiles::openWrite(elsewhere(path), mode);
    }
};

class TextWriter final : public ForwardingWriter
{
public:
    using ForwardingWriter::ForwardingWriter;
    Operation<void> write(const QByteArray &data) override
    {
        return ForwardingWriter::write(QByteArray(data).replace("\r\n", "\n"));
    }
};

class WritesText final : public ForwardingFiles
{
public:
    using ForwardingFiles::ForwardingFiles;
    Operation<std::shared_ptr<FileWriterPort>> openWrite(const QString &path,
                                                         std::optional<quint32> mode) override
    {
        if (mode)
            return ForwardingFiles::openWrite(path, mode);
        return forwarded(m_setting.io(), ForwardingFiles::openWrite(path, mode),
                         [](const auto &writer) -> std::shared_ptr<FileWriterPort> {
                             return std::make_shared<TextWriter>(writer);
                         });
    }
};

class MissingIsAnyError final : public ForwardingFiles
{
public:
    using ForwardingFiles::ForwardingFiles;
    Operation<QList<FileInfo>> list(const QString &path) override
    {
        return withError(m_setting.io(), ForwardingFiles::list(path), [](ErrorInfo error) {
            if (error.kind == ErrorKind::PathNotFound)
                error.kind = ErrorKind::FileSystemError;
            return error;
        });
    }
};

class RemovesAlwaysAll final : public ForwardingFiles
{
public:
    using ForwardingFiles::ForwardingFiles;
    Operation<void> remove(const QString &path, bool) override { return ForwardingFiles::remove(path, true); }
};

class ForgetsModes final : public ForwardingFiles
{
public:
    using ForwardingFiles::ForwardingFiles;
    Operation<void> changeMode(const QString &path, quint32) override
    {
        return forwarded(m_setting.io(), ForwardingFiles::stat(path), [](const FileInfo &) {});
    }
};

/*! Makes room first. */
class MovesOver final : public ForwardingFiles
{
public:
    using ForwardingFiles::ForwardingFiles;
    Operation<void> move(const QString &from, const QString &to) override
    {
        const OperationPromise<void> promise;
        const auto proceed = [this, from, to, promise] {
            wire(m_setting.io(), ForwardingFiles::move(from, to), promise, finishing(promise),
                 failing(promise));
        };
        const Operation<FileInfo> source = ForwardingFiles::stat(from);
        wire(
            m_setting.io(), source, promise,
            [this, to, promise, proceed](const FileInfo &) {
                wire(m_setting.io(), ForwardingFiles::remove(to, false), promise, proceed,
                     [proceed](const ErrorInfo &) { proceed(); });
            },
            failing(promise));
        return promise.operation();
    }
};

class LosingWriter final : public ForwardingWriter
{
public:
    LosingWriter(const Setting &, std::shared_ptr<FileWriterPort> inner)
        : ForwardingWriter(std::move(inner))
    {}
    Operation<void> write(const QByteArray &data) override { return ForwardingWriter::write(data.chopped(1)); }
};

/*! Leaves what was written, whatever becomes of the upload. */
class KeepingWriter final : public ForwardingWriter
{
public:
    KeepingWriter(const Setting &setting, std::shared_ptr<FileWriterPort> inner)
        : ForwardingWriter(std::move(inner))
        , m_setting(setting)
    {}
    ~KeepingWriter() override
    {
        if (!m_committed)
            std::ignore = m_inner->commit();
    }
    /*! Slow, so that a cancel comes in the middle of an upload. */
    Operation<void> write(const QByteArray &data) override
    {
        const OperationPromise<void> promise;
        QTimer::singleShot(20ms, m_setting.io(), [io = m_setting.io(), inner = m_inner, data, promise] {
            wire(io, inner->write(data), promise, finishing(promise), failing(promise));
        });
        return promise.operation();
    }
    Operation<void> commit() override
    {
        m_committed = true;
        return ForwardingWriter::commit();
    }
    Operation<void> abort() override { return finishedOperation(); }

private:
    Setting m_setting;
    bool m_committed = false;
};

/*! Uploads, which give the mode of the file where plain writes do not, by the class \a Writer. */
template <typename Writer>
class Uploads final : public ForwardingFiles
{
public:
    using ForwardingFiles::ForwardingFiles;
    Operation<std::shared_ptr<FileWriterPort>> openWrite(const QString &path,
                                                         std::optional<quint32> mode) override
    {
        if (!mode)
            return ForwardingFiles::openWrite(path, mode);
        return forwarded(m_setting.io(), ForwardingFiles::openWrite(path, mode),
                         [this](const auto &writer) -> std::shared_ptr<FileWriterPort> {
                             return std::make_shared<Writer>(m_setting, writer);
                         });
    }
};

class ShortReader final : public ForwardingReader
{
public:
    using ForwardingReader::ForwardingReader;
    Operation<QByteArray> read(qint64 maximum) override
    {
        const qint64 bytes = std::min(maximum, largestRead - m_bytes);
        m_bytes += bytes;
        return bytes == 0 ? finishedOperation(QByteArray()) : ForwardingReader::read(bytes);
    }

private:
    qint64 m_bytes = 0;
};

class ReadsFourMegabytes final : public ForwardingFiles
{
public:
    using ForwardingFiles::ForwardingFiles;
    Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) override
    {
        return forwarded(m_setting.io(), ForwardingFiles::openRead(path),
                         [](const auto &reader) -> std::shared_ptr<FileReaderPort> {
                             return std::make_shared<ShortReader>(reader);
                         });
    }
};

class IgnoresTheModeOfUploads final : public ForwardingFiles
{
public:
    using ForwardingFiles::ForwardingFiles;
    Operation<std::shared_ptr<FileWriterPort>> openWrite(const QString &path, std::optional<quint32>) override
    {
        return ForwardingFiles::openWrite(path, std::nullopt);
    }
};

} // namespace

QList<BrokenAdapter> brokenFileSystems()
{
    return {
        brokenFiles<ReadsTheHost>("files", "a host path is resolved"),
        brokenFiles<RelativeElsewhere>("files", "a relative path leads elsewhere"),
        brokenFiles<WritesText>("files", "writes files as text"),
        brokenFiles<MissingIsAnyError>("files", "a missing folder is an error of any kind"),
        brokenFiles<RemovesAlwaysAll>("files", "removes full directories unasked"),
        alsoFails(brokenFiles<ForgetsModes>("files", "a change of mode is accepted and not made"), "watches"),
        brokenFiles<MovesOver>("files", "a move overwrites what is there"),
        brokenFiles<Uploads<KeepingWriter>>("cancellation", "a cancelled upload leaves a partial file"),
        brokenFiles<Uploads<LosingWriter>>("transfers", "an upload loses bytes"),
        brokenFiles<ReadsFourMegabytes>("transfers", "a download ends early"),
        brokenFiles<IgnoresTheModeOfUploads>("transfers", "an upload loses the mode"),
    };
}

} // namespace Sandboxio::Broken
