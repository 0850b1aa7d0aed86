// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// The wire between the engine and the guest. std only, no Qt: both sides compile it.
///
/// A connection starts with the 8 bytes of `preamble` in each direction, then carries frames:
/// u32 length (of what follows), u8 type, u32 channel, payload. Integers are little endian.
/// The channel is the run id, the request id or 0, see FrameType and PROTOCOL.md.
namespace Sandboxio::Guest {

inline constexpr std::string_view preamble{"SBXGUEST", 8};
inline constexpr std::uint32_t protocolVersion = 5;
inline constexpr std::size_t frameLengthSize = 4;
inline constexpr std::size_t frameHeaderSize = 9;
/// Largest frame, length field included.
inline constexpr std::size_t maximumFrameSize = std::size_t{1} << 20;
/// Largest payload of bulk data that either side puts into one frame.
inline constexpr std::size_t maximumChunk = std::size_t{512} << 10;
/// Bytes of one output stream that may be on their way before the client grants credit.
inline constexpr std::uint64_t outputWindow = std::uint64_t{1} << 20;
/// Bytes of standard input that may be on their way before the guest grants credit.
inline constexpr std::uint64_t stdinWindow = std::uint64_t{256} << 10;

enum class FrameType : std::uint8_t {
    // Client to guest. Channel 0.
    Hello = 0x01,
    // Client to guest. Channel is a request id.
    StatusRequest = 0x02,
    Extend = 0x03,
    Shutdown = 0x04,
    // Client to guest. Channel is a run id.
    Spawn = 0x10,
    Stdin = 0x11,
    StdinClose = 0x12,
    Resize = 0x13,
    Signal = 0x14,
    KillTree = 0x15,
    Credit = 0x16,
    Release = 0x17,
    Attach = 0x18,
    // Client to guest. Channel is a request id.
    FileStat = 0x20,
    FileList = 0x21,
    FileListNext = 0x22,
    FileOpenRead = 0x23,
    FileRead = 0x24,
    FileOpenWrite = 0x25,
    FileWrite = 0x26,
    FileCommit = 0x27,
    FileClose = 0x28,
    FileMakeDirectory = 0x29,
    FileRemove = 0x2a,
    FileMove = 0x2b,
    FileChangeMode = 0x2c,
    FileWatch = 0x2d,
    FileWatchNext = 0x2e,
    FileMakeLink = 0x2f,
    NetProbe = 0x30,
    StartKept = 0x31,
    ListKept = 0x32,
    RemoveKept = 0x33,
    // Guest to client. Channel 0.
    HelloReply = 0x81,
    Fatal = 0x82,
    // Guest to client. Channel is the request id.
    Done = 0x83,
    Error = 0x84,
    Status = 0x85,
    // Guest to client. Channel is the run id.
    Spawned = 0x90,
    SpawnFailed = 0x91,
    Output = 0x92,
    StreamEof = 0x93,
    Exited = 0x94,
    StdinCredit = 0x95,
    TreeKilled = 0x96,
    Attached = 0x97,
    OutputLost = 0x98,
    // Guest to client. Channel is the request id.
    FileStatReply = 0xa0,
    FileListPage = 0xa1,
    FileOpened = 0xa2,
    FileData = 0xa3,
    FileChanges = 0xa4,
    NetProbeResult = 0xb0,
    KeptStarted = 0xb1,
    KeptList = 0xb2,
};

/// One frame, borrowed from the decoder that returned it.
struct Frame
{
    FrameType type{};
    std::uint32_t channel = 0;
    std::string_view payload;
};

/// Appends the header of a frame with \a payloadSize bytes of payload to \a out.
void appendFrameHeader(std::string &out, FrameType type, std::uint32_t channel, std::size_t payloadSize);
/// Sets the length of \a frame, one whole frame, to what it holds.
void patchFrameLength(std::string &frame);

/// Incremental and strict: bytes in, frames out. Holds only bytes that arrived, whatever a length
/// field claims. After a failure it stays failed and keeps nothing.
class FrameDecoder
{
public:
    enum class Result { NeedMore, Frame, Failed };

    void append(std::string_view bytes);
    /// The next whole frame. Its payload is valid until the next call of append() or next().
    Result next(Frame &frame);
    /// Why the decoder failed, empty while it has not.
    std::string_view error() const { return m_error; }
    std::size_t bufferedBytes() const { return m_buffer.size() - m_position; }

private:
    bool takePreamble();
    Result fail(std::string_view why);

    std::string m_buffer;
    std::size_t m_position = 0;
    bool m_preambleSeen = false;
    std::string_view m_error;
};

} // namespace Sandboxio::Guest
