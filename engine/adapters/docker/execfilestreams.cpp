// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "execfilestreams.h"

#include "dockersandbox.h"
#include "execfilescripts.h"
#include "fileerror.h"
#include "texts.h"

#include <QPointer>
#include <QRandomGenerator>

#include <cerrno>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 readWindow = 2 * 1024 * 1024;
constexpr qint64 mostWaiting = 4 * 1024 * 1024;
constexpr qsizetype mostErrors = 64 * 1024;

ErrorInfo scriptError(const ExecFile &file, const QByteArray &errors)
{
    const int number = FileScript::errorNumberOf(errors);
    ErrorInfo error = fileError(number, file.what, file.shown);
    if (number == EIO && !errors.trimmed().isEmpty())
        error.cause->text = QString::fromUtf8(errors.trimmed().right(1000));
    return error;
}

/*! What is made of \a error, which an exec failed with. */
QCoro::Task<ErrorInfo> lostOr(std::shared_ptr<DockerSandbox> sandbox, ErrorInfo error)
{
    if (error.kind == ErrorKind::ConnectError)
        error = co_await sandbox->lossReason();
    co_return ErrorInfo(error);
}

class Reader final : public FileReaderPort
{
public:
    Reader(std::shared_ptr<ExecFileScript> script, std::optional<qint64> size)
        : m_script(std::move(script))
        , m_size(size)
    {}
    std::optional<qint64> size() const override { return m_size; }
    Operation<QByteArray> read(qint64 maximum) override { return m_script->read(maximum); }

private:
    std::shared_ptr<ExecFileScript> m_script;
    std::optional<qint64> m_size;
};

struct Upload
{
    ExecFile file;
    QByteArray temporary;
    std::optional<quint32> mode;
    std::shared_ptr<ExecFileScript> script;
    qint64 size = 0;
};

QCoro::Task<void> discardSteps(std::shared_ptr<Upload> upload)
{
    upload->script.reset(); // closes its input, so that the copying ends
    co_await runFileScript(upload->file, FileScript::discard(upload->file.path, upload->temporary));
}

QCoro::Task<void> commitSteps(std::shared_ptr<Upload> upload)
{
    std::exception_ptr failure;
    try {
        upload->script->closeInput();
        while (!(co_await upload->script->read(readWindow)).isEmpty()) {
        }
        co_await runFileScript(
            upload->file, FileScript::commit(upload->file.path, upload->temporary, upload->size, upload->mode));
        co_return;
    } catch (const SandboxError &) {
        failure = std::current_exception();
    }
    try {
        co_await discardSteps(upload);
    } catch (const SandboxError &) {
        // The first failure is the one to report.
    }
    std::rethrow_exception(failure);
}

class Writer final : public FileWriterPort
{
public:
    explicit Writer(Upload upload)
        : m_upload(std::make_shared<Upload>(std::move(upload)))
    {}
    ~Writer() override
    {
        if (m_upload)
            std::ignore = operationOf(discardSteps(std::move(m_upload)));
    }
    Operation<void> write(const QByteArray &data) override
    {
        if (!m_upload)
            return closed();
        m_upload->size += data.size();
        return m_upload->script->write(data);
    }
    Operation<void> commit() override
    {
        return m_upload ? operationOf(commitSteps(std::exchange(m_upload, {}))) : closed();
    }
    Operation<void> abort() override
    {
        return m_upload ? operationOf(discardSteps(std::exchange(m_upload, {}))) : finishedOperation();
    }

private:
    static Operation<void> closed() { return failedOperation<void>(fileError(EBADF, Text::tr("write"), {})); }
    std::shared_ptr<Upload> m_upload;
};

QCoro::Task<std::shared_ptr<ExecFileScript>> startSteps(ExecFile file, QStringList script, bool withInput)
{
    std::optional<ErrorInfo> failure;
    try {
        const QString exec =
            co_await file.sandbox->createPlainExec({.command = script, .withInput = withInput});
        const StartedExec started = co_await file.sandbox->startPlainExec(exec);
        co_return std::make_shared<ExecFileScript>(file, exec, started.stream);
    } catch (const SandboxError &error) {
        failure = error.info();
    }
    (co_await lostOr(file.sandbox, *failure)).raise();
}

QCoro::Task<std::shared_ptr<FileReaderPort>> readSteps(ExecFile file)
{
    const auto script = co_await startSteps(file, FileScript::read(file.path), false);
    const QByteArray line = co_await script->firstLine();
    bool isNumber = false;
    const qint64 size = line.toLongLong(&isNumber);
    co_return std::make_shared<Reader>(script, isNumber ? std::optional(size) : std::nullopt);
}

QCoro::Task<std::shared_ptr<FileWriterPort>> writeSteps(ExecFile file, std::optional<quint32> mode)
{
    const QByteArray temporary =
        ".sandboxio-" + QByteArray::number(QRandomGenerator::system()->generate64(), 36);
    const auto script = co_await startSteps(file, FileScript::upload(file.path, temporary), true);
    co_await script->firstLine();
    co_return std::make_shared<Writer>(Upload{file, temporary, mode, script});
}

} // namespace

QCoro::Task<QByteArray> runFileScript(ExecFile file, QStringList script)
{
    const auto running = co_await startSteps(file, script, false);
    QByteArray output;
    while (true) {
        const QByteArray piece = co_await running->read(readWindow);
        if (piece.isEmpty())
            co_return output;
        output += piece;
    }
}

ExecFileScript::ExecFileScript(ExecFile file, QString exec, std::shared_ptr<UpgradedStream> stream)
    : m_file(std::move(file))
    , m_exec(std::move(exec))
    , m_stream(std::move(stream))
    , m_output(m_stream, readWindow)
{
    connect(&m_output, &ExecOutput::received, this, &ExecFileScript::received);
    connect(&m_output, &ExecOutput::ended, this, &ExecFileScript::ended);
    connect(m_stream.get(), &UpgradedStream::bytesWritten, this, &ExecFileScript::serve);
    m_output.start();
}

Operation<QByteArray> ExecFileScript::firstLine()
{
    m_wantsLine = true;
    return read(0);
}

Operation<QByteArray> ExecFileScript::read(qint64 maximum)
{
    m_maximum = maximum;
    m_reading.emplace();
    const Operation<QByteArray> operation = m_reading->operation();
    serve();
    return operation;
}

Operation<void> ExecFileScript::write(const QByteArray &data)
{
    m_stream->write(data);
    m_writing.emplace();
    const Operation<void> operation = m_writing->operation();
    serve();
    return operation;
}

void ExecFileScript::received(OutputStream stream, const QByteArray &data)
{
    if (stream == OutputStream::StandardOutput) {
        m_ready += data;
    } else {
        m_errors = (m_errors + data).right(mostErrors);
        m_output.acknowledge(data.size());
    }
    serve();
}

void ExecFileScript::ended(bool complete)
{
    findError(m_file.sandbox, complete);
}

QCoro::Task<> ExecFileScript::findError(std::shared_ptr<DockerSandbox> sandbox, bool complete)
{
    const QPointer<ExecFileScript> alive = this;
    const ExecFile file = m_file;
    const QByteArray errors = m_errors;
    std::optional<ErrorInfo> error;
    bool isLost = !complete;
    try {
        const ExecState state = co_await sandbox->endOfExec(m_exec);
        isLost = isLost || !state.exitCode; // it runs still, or nobody knows how it ended
        if (state.exitCode && *state.exitCode != 0)
            error = scriptError(file, errors);
    } catch (const SandboxError &) {
        isLost = true;
    }
    if (isLost)
        error = co_await sandbox->lossReason();
    if (!alive)
        co_return;
    m_error = error;
    m_ended = true;
    serve();
}

void ExecFileScript::serve()
{
    if (m_writing && (m_ended || m_stream->bytesToWrite() <= mostWaiting)) {
        const OperationPromise<void> writing = *std::exchange(m_writing, {});
        if (m_ended)
            writing.fail(m_error.value_or(fileError(EPIPE, m_file.what, m_file.shown)));
        else
            writing.finish();
    }
    if (!m_reading)
        return;
    const qsizetype lineEnd = m_wantsLine ? m_ready.indexOf('\n') : -1;
    if (m_wantsLine ? lineEnd >= 0 : !m_ready.isEmpty()) {
        const qsizetype size = m_wantsLine ? lineEnd + 1 : std::min<qsizetype>(m_maximum, m_ready.size());
        const QByteArray piece = m_ready.first(m_wantsLine ? lineEnd : size);
        m_ready = m_ready.sliced(size);
        m_wantsLine = false;
        m_output.acknowledge(size);
        std::exchange(m_reading, {})->finish(piece);
    } else if (m_ended && (m_error || m_wantsLine)) {
        std::exchange(m_reading, {})->fail(m_error.value_or(fileError(EIO, m_file.what, m_file.shown)));
    } else if (m_ended) {
        std::exchange(m_reading, {})->finish({});
    }
}

Operation<std::shared_ptr<FileReaderPort>> readByExec(const ExecFile &file)
{
    return operationOf(readSteps(file));
}

Operation<std::shared_ptr<FileWriterPort>> writeByExec(const ExecFile &file, std::optional<quint32> mode)
{
    return operationOf(writeSteps(file, mode));
}

} // namespace Sandboxio::Docker
