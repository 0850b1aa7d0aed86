// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include <sandboxio/guest/protocol/filemessages.h>
#include <sandboxio/guest/protocol/keptmessages.h>
#include <sandboxio/guest/protocol/messages.h>

#include <algorithm>
#include <cstdlib>

using namespace Sandboxio::Guest;

namespace {

/// What was read must write and read as the same message again.
template <typename Message>
void tryMessage(std::string_view payload)
{
    const auto message = decode<Message>(payload);
    if (!message)
        return;
    const std::string frame = encode(1, *message);
    const auto again = decode<Message>(std::string_view(frame).substr(frameHeaderSize));
    if (!again || !(*again == *message))
        std::abort();
}

template <typename... Messages>
void tryAll(const Frame &frame)
{
    ((frame.type == Messages::type ? tryMessage<Messages>(frame.payload) : void()), ...);
}

void tryFrame(const Frame &frame)
{
    tryAll<Hello, HelloReply, Fatal, StatusRequest, Shutdown, Done, Error, Extend, Status, Spawn, Stdin,
           StdinClose, Resize, Signal, KillTree, Credit, Release, Spawned, SpawnFailed, Output, StreamEof,
           ExitStatus, StdinCredit, TreeKilled, FileStat, FileList, FileListNext, FileOpenRead, FileRead,
           FileOpenWrite, FileWrite, FileCommit, FileClose, FileMakeDirectory, FileRemove, FileMove,
           FileMakeLink, FileChangeMode, FileWatch, FileWatchNext, FileChanges, FileInfo, FileListPage,
           FileOpened, FileData, NetProbe, NetProbeResult, StartKept, KeptStarted, ListKept, KeptList,
           RemoveKept, Attach, Attached, OutputLost>(frame);
}

/// Feeds in pieces whose lengths come from the input itself.
std::size_t decodeAll(std::string_view bytes, std::size_t piece)
{
    FrameDecoder decoder;
    std::size_t frames = 0;
    while (!bytes.empty()) {
        const std::size_t size = piece ? std::min(piece, bytes.size()) : bytes.size();
        decoder.append(bytes.substr(0, size));
        bytes.remove_prefix(size);
        Frame frame;
        while (decoder.next(frame) == FrameDecoder::Result::Frame) {
            ++frames;
            tryFrame(frame);
        }
    }
    return frames;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view input(reinterpret_cast<const char *>(data), size);
    // The first byte chooses the pieces; the preamble is given, so that frames are reached.
    const std::string stream = std::string(preamble) + std::string(input.substr(1));
    if (decodeAll(stream, 0) != decodeAll(stream, 1 + (data[0] & 31u)))
        std::abort();
    decodeAll(input, 1 + (data[0] & 31u));
    return 0;
}
