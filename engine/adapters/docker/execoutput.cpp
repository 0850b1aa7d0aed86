// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "execoutput.h"

#include <QPointer>

namespace Sandboxio::Docker {

ExecOutput::ExecOutput(std::shared_ptr<UpgradedStream> stream, qint64 window, QObject *parent)
    : QObject(parent)
    , m_stream(std::move(stream))
    , m_window(window)
{
    connect(m_stream.get(), &UpgradedStream::dataReceived, this, &ExecOutput::feed);
    connect(m_stream.get(), &UpgradedStream::closed, this,
            [this] { end(!m_stream->error() && !m_decoder.end()); });
}

ExecOutput::~ExecOutput()
{
    m_stream->abort();
}

void ExecOutput::start()
{
    m_stream->resume();
}

void ExecOutput::acknowledge(qint64 bytes)
{
    m_unacknowledged -= std::min(bytes, m_unacknowledged);
    if (!m_ended && m_stream->isPaused() && m_unacknowledged <= m_window / 2)
        m_stream->resume();
}

void ExecOutput::feed(const QByteArray &bytes)
{
    const QPointer<ExecOutput> self(this);
    const auto error = m_decoder.feed(bytes, [&](MultiplexDecoder::Stream stream, QByteArrayView data) {
        const OutputStream output = stream == MultiplexDecoder::Stream::StandardOutput
                                        ? OutputStream::StandardOutput
                                        : OutputStream::StandardError;
        if (output != m_pendingStream) {
            deliver();
            if (!self)
                return false;
            m_pendingStream = output;
        }
        if (m_pending.isEmpty())
            m_pending.reserve(bytes.size());
        m_pending += data;
        return true;
    });
    if (self)
        deliver();
    if (self && error)
        end(false);
    else if (self && m_unacknowledged > m_window)
        m_stream->pause();
}

void ExecOutput::deliver()
{
    if (m_pending.isEmpty())
        return;
    m_unacknowledged += m_pending.size();
    Q_EMIT received(m_pendingStream, std::exchange(m_pending, {}));
}

void ExecOutput::end(bool complete)
{
    if (std::exchange(m_ended, true))
        return;
    m_stream->abort();
    Q_EMIT ended(complete);
}

} // namespace Sandboxio::Docker
