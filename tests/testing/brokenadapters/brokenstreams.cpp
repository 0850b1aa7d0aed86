// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

#include <array>

namespace Sandboxio::Broken {

namespace {

/*! Breaks streamed commands alone: the rest is the business of other families. */
class StreamedProcess : public ForwardingProcess
{
public:
    using ForwardingProcess::ForwardingProcess;

protected:
    bool isStreamed() const { return m_request.streamed && m_request.command; }
    static std::size_t index(OutputStream stream) { return stream == OutputStream::StandardError ? 1 : 0; }
};

class BuffersWhole final : public StreamedProcess
{
    using StreamedProcess::StreamedProcess;
    void output(OutputStream stream, const QByteArray &data) override
    {
        if (!isStreamed()) {
            ForwardingProcess::output(stream, data);
            return;
        }
        m_inner->acknowledge(stream, data.size());
        m_held[index(stream)] += data;
    }
    void acknowledge(OutputStream stream, qint64 bytes) override
    {
        if (!isStreamed())
            ForwardingProcess::acknowledge(stream, bytes);
    }
    void exited(const ExitStatus &status) override
    {
        for (const OutputStream stream : {OutputStream::StandardOutput, OutputStream::StandardError}) {
            if (const QByteArray held = std::exchange(m_held[index(stream)], {}); !held.isEmpty())
                ForwardingProcess::output(stream, held);
        }
        ForwardingProcess::exited(status);
    }
    std::array<QByteArray, 2> m_held;
};

class SwapsChunks final : public StreamedProcess
{
    using StreamedProcess::StreamedProcess;
    void output(OutputStream stream, const QByteArray &data) override
    {
        if (!isStreamed() || data.size() < 2) {
            ForwardingProcess::output(stream, data);
            return;
        }
        const qsizetype half = data.size() / 2;
        ForwardingProcess::output(stream, data.sliced(half));
        ForwardingProcess::output(stream, data.first(half));
    }
};

class DeliversTwice final : public StreamedProcess
{
    using StreamedProcess::StreamedProcess;
    void output(OutputStream stream, const QByteArray &data) override
    {
        ForwardingProcess::output(stream, data);
        if (isStreamed())
            ForwardingProcess::output(stream, data);
    }
};

class IgnoresTheWindow final : public StreamedProcess
{
    using StreamedProcess::StreamedProcess;
    void output(OutputStream stream, const QByteArray &data) override
    {
        if (isStreamed())
            m_inner->acknowledge(stream, data.size());
        ForwardingProcess::output(stream, data);
    }
    void acknowledge(OutputStream stream, qint64 bytes) override
    {
        if (!isStreamed())
            ForwardingProcess::acknowledge(stream, bytes);
    }
};

class DrainsWhatIsStillWanted final : public StreamedProcess
{
    using StreamedProcess::StreamedProcess;
    static constexpr qint64 patience = 256 * 1024;
    void output(OutputStream stream, const QByteArray &data) override
    {
        if (isStreamed() && m_waiting > patience) {
            m_inner->acknowledge(stream, data.size());
            return;
        }
        m_waiting += data.size();
        ForwardingProcess::output(stream, data);
    }
    void acknowledge(OutputStream stream, qint64 bytes) override
    {
        m_waiting -= bytes;
        ForwardingProcess::acknowledge(stream, bytes);
    }
    qint64 m_waiting = 0;
};

class SplitsLetters final : public StreamedProcess
{
    using StreamedProcess::StreamedProcess;
    void output(OutputStream stream, const QByteArray &data) override
    {
        if (!isStreamed() || data.size() < 2) {
            ForwardingProcess::output(stream, data);
            return;
        }
        const qsizetype cut = (data.size() / 2) | 1;
        ForwardingProcess::output(stream, QString::fromUtf8(data.first(cut)).toUtf8());
        ForwardingProcess::output(stream, QString::fromUtf8(data.sliced(cut)).toUtf8());
    }
};

class SwallowsInput final : public StreamedProcess
{
    using StreamedProcess::StreamedProcess;
    Operation<void> write(const QByteArray &) override { return finishedOperation(); }
};

class IgnoresSignals final : public StreamedProcess
{
    using StreamedProcess::StreamedProcess;
    Operation<void> signal(int) override { return finishedOperation(); }
};

class LosesTheSignal final : public StreamedProcess
{
    using StreamedProcess::StreamedProcess;
    void exited(const ExitStatus &status) override
    {
        ForwardingProcess::exited(isStreamed() ? ExitStatus{status.code.value_or(0), {}, {}} : status);
    }
};

class KilledIsASuccess final : public StreamedProcess
{
    using StreamedProcess::StreamedProcess;
    Operation<void> killTree() override
    {
        m_killed = true;
        return ForwardingProcess::killTree();
    }
    void exited(const ExitStatus &status) override
    {
        ForwardingProcess::exited(m_killed && isStreamed() ? ExitStatus{0, {}, {}} : status);
    }
    bool m_killed = false;
};

class LeavesDroppedStreams final : public StreamedProcess
{
    using StreamedProcess::StreamedProcess;
    Operation<void> killTree() override
    {
        return isStreamed() && !hasLimit() ? finishedOperation() : ForwardingProcess::killTree();
    }
};

} // namespace

QList<BrokenAdapter> brokenStreams()
{
    return {
        brokenProcess<BuffersWhole>("streams", "buffers a stream whole"),
        brokenProcess<SwapsChunks>("streams", "delivers chunks out of order"),
        brokenProcess<DeliversTwice>("streams", "delivers output twice"),
        brokenProcess<IgnoresTheWindow>("streams", "reads on while the consumer is behind"),
        brokenProcess<DrainsWhatIsStillWanted>("streams", "drains what a consumer still wants"),
        brokenProcess<SplitsLetters>("streams", "splits UTF-8"),
        brokenProcess<SwallowsInput>("streams", "swallows the input of a stream"),
        brokenProcess<IgnoresSignals>("streams", "a signal is accepted and not sent"),
        brokenProcess<LosesTheSignal>("streams", "an end by signal is exit code 0 in a stream"),
        brokenProcess<KilledIsASuccess>("streams", "a killed stream is exit code 0"),
        alsoFails(brokenProcess<LeavesDroppedStreams>("streams", "a killed stream runs on"), "cancellation"),
    };
}

} // namespace Sandboxio::Broken
