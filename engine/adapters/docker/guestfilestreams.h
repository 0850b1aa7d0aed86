// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/guest/client/client.h>
#include <sandboxio/ports/filesystemport.h>

#include <QPointer>

#include <deque>
#include <memory>

namespace Sandboxio::Docker {

class DockerSandbox;

/*! A file that the guest has open for us. */
struct GuestFile
{
    std::shared_ptr<DockerSandbox> sandbox;
    QPointer<Guest::Client> client; //!< the one connection that knows the handle
    Guest::FileHandle handle = 0;
    QString path; //!< for errors
};

/*! Reads ahead, so that the way to the sandbox is never idle; holds at most 2 MiB. */
class GuestFileReader final : public FileReaderPort, public std::enable_shared_from_this<GuestFileReader>
{
public:
    GuestFileReader(GuestFile file, qint64 size);
    ~GuestFileReader() override;

    std::optional<qint64> size() const override { return m_size; }
    Operation<QByteArray> read(qint64 maximum) override;

private:
    void requestAhead();
    void receive(quint32 generation, quint64 offset, quint32 length,
                 const std::expected<QByteArray, Guest::FileError> &reply);
    void serve();

    GuestFile m_file;
    const qint64 m_size;
    std::deque<QByteArray> m_ready;
    qint64 m_taken = 0; //!< bytes of the first ready piece that were given out
    quint64 m_nextOffset = 0;
    int m_outstanding = 0;
    quint32 m_generation = 0; //!< answers of older ones are at offsets that turned out wrong
    bool m_atEnd = false;
    std::optional<Guest::FileError> m_error;
    std::optional<OperationPromise<QByteArray>> m_waiting;
    qint64 m_maximum = 0;
};

/*! Writes ahead of the guest's answers by at most 4 MiB. */
class GuestFileWriter final : public FileWriterPort, public std::enable_shared_from_this<GuestFileWriter>
{
public:
    explicit GuestFileWriter(GuestFile file);
    ~GuestFileWriter() override;

    Operation<void> write(const QByteArray &data) override;
    Operation<void> commit() override;
    Operation<void> abort() override;

private:
    void pump();
    void written(qint64 bytes, const std::expected<void, Guest::FileError> &reply);
    void commitNow();
    void endWaiting(std::optional<OperationPromise<void>> &waiting,
                    const std::expected<void, Guest::FileError> &result);

    GuestFile m_file;
    QByteArray m_data;
    qint64 m_position = 0; //!< in m_data
    quint64 m_offset = 0;  //!< in the file
    qint64 m_outstanding = 0;
    std::optional<Guest::FileError> m_error;
    std::optional<OperationPromise<void>> m_writing;
    std::optional<OperationPromise<void>> m_committing;
    bool m_closed = false;
};

} // namespace Sandboxio::Docker
