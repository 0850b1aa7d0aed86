// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "execoutput.h"

#include <sandboxio/core/task.h>
#include <sandboxio/ports/filesystemport.h>

#include <QStringList>

#include <memory>
#include <optional>

namespace Sandboxio::Docker {

class DockerSandbox;

/*! A file that is read or written by an exec: which one, and what is done, for errors. */
struct ExecFile
{
    std::shared_ptr<DockerSandbox> sandbox;
    QByteArray path; //!< absolute
    QString shown;   //!< as asked for
    QString what;
};

/*! A script of FileScript that runs, with its streams. */
class ExecFileScript final : public QObject
{
    Q_OBJECT
public:
    ExecFileScript(ExecFile file, QString exec, std::shared_ptr<UpgradedStream> stream);

    /*! The first line that it prints; PathNotFound, FileSystemError or what became of the sandbox where it ends
        before. */
    Operation<QByteArray> firstLine();
    /*! The next bytes after that line, at most \a maximum; empty when it has ended well. */
    Operation<QByteArray> read(qint64 maximum);
    /*! Ends when \a data is on its way and little waits. */
    Operation<void> write(const QByteArray &data);
    void closeInput() { m_stream->closeWrite(); }

private:
    void received(OutputStream stream, const QByteArray &data);
    void ended(bool complete);
    void serve();
    QCoro::Task<> findError(std::shared_ptr<DockerSandbox> sandbox, bool complete);

    ExecFile m_file;
    QString m_exec;
    std::shared_ptr<UpgradedStream> m_stream;
    ExecOutput m_output;
    QByteArray m_ready;
    QByteArray m_errors;
    bool m_ended = false; //!< and m_error is known
    std::optional<ErrorInfo> m_error;
    bool m_wantsLine = false;
    qint64 m_maximum = 0;
    std::optional<OperationPromise<QByteArray>> m_reading;
    std::optional<OperationPromise<void>> m_writing;
};

Operation<std::shared_ptr<FileReaderPort>> readByExec(const ExecFile &file);
Operation<std::shared_ptr<FileWriterPort>> writeByExec(const ExecFile &file, std::optional<quint32> mode);
/*! Runs a script of FileScript to its end and gives what it printed. */
QCoro::Task<QByteArray> runFileScript(ExecFile file, QStringList script);

} // namespace Sandboxio::Docker
