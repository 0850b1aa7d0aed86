// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "frame.h"

#include "codec.h"

#include <algorithm>

namespace Sandboxio::Guest {

void appendFrameHeader(std::string &out, FrameType type, std::uint32_t channel, std::size_t payloadSize)
{
    Writer writer(out);
    writer.field(static_cast<std::uint32_t>(payloadSize + frameHeaderSize - frameLengthSize));
    writer.field(static_cast<std::uint8_t>(type));
    writer.field(channel);
}

void patchFrameLength(std::string &frame)
{
    std::string length;
    Writer(length).field(static_cast<std::uint32_t>(frame.size() - frameLengthSize));
    frame.replace(0, frameLengthSize, length);
}

void FrameDecoder::append(std::string_view bytes)
{
    if (!m_error.empty())
        return;
    if (m_position == m_buffer.size()) {
        m_buffer.clear();
        m_position = 0;
    } else if (m_position > m_buffer.size() / 2) {
        m_buffer.erase(0, m_position);
        m_position = 0;
    }
    m_buffer.append(bytes);
}

bool FrameDecoder::takePreamble()
{
    const std::string_view arrived = std::string_view(m_buffer).substr(m_position, preamble.size());
    if (arrived != preamble.substr(0, arrived.size())) {
        fail("the peer does not speak the guest protocol");
        return false;
    }
    if (arrived.size() < preamble.size())
        return false;
    m_position += preamble.size();
    m_preambleSeen = true;
    return true;
}

FrameDecoder::Result FrameDecoder::next(Frame &frame)
{
    if (!m_error.empty())
        return Result::Failed;
    if (!m_preambleSeen && !takePreamble())
        return m_error.empty() ? Result::NeedMore : Result::Failed;

    const std::string_view rest = std::string_view(m_buffer).substr(m_position);
    Reader reader(rest);
    std::uint32_t length = 0;
    reader.field(length);
    if (reader.failed())
        return Result::NeedMore;
    if (length < frameHeaderSize - frameLengthSize)
        return fail("a frame is shorter than its header");
    if (length > maximumFrameSize - frameLengthSize)
        return fail("a frame is longer than the maximum");
    if (rest.size() - frameLengthSize < length)
        return Result::NeedMore;

    std::uint8_t type = 0;
    reader.field(type);
    reader.field(frame.channel);
    frame.type = static_cast<FrameType>(type);
    frame.payload = rest.substr(frameHeaderSize, frameLengthSize + length - frameHeaderSize);
    m_position += frameLengthSize + length;
    return Result::Frame;
}

FrameDecoder::Result FrameDecoder::fail(std::string_view why)
{
    m_error = why;
    m_buffer = std::string();
    m_position = 0;
    return Result::Failed;
}

} // namespace Sandboxio::Guest
