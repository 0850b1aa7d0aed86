// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "codec.h"
#include "frame.h"

#include <optional>

/// The messages. `fields` lists the wire fields in order, for writing and reading alike.
/// Paths, names, arguments are bytes as the sandbox has them, not necessarily UTF-8.
namespace Sandboxio::Guest {

/// Control is descriptor 3 of a process that was spawned with StdinMode::Control, towards the client.
enum class StreamId : std::uint8_t { Stdin = 0, Stdout = 1, Stderr = 2, Control = 3 };
/// Control: the process's standard input is empty, and Stdin frames go to its descriptor 3, a stream socket. Neither
/// a stream token nor a terminal goes with it.
enum class StdinMode : std::uint8_t { Null = 0, Pipe = 1, Token = 2, Control = 3 };
/// What the guest was doing when a spawn failed. Exec with ENOENT is "command not found".
enum class SpawnStage : std::uint8_t { Setup = 0, Token = 1, Pty = 2, WorkingDirectory = 3, Exec = 4 };
enum class FileType : std::uint8_t {
    Regular,
    Directory,
    SymbolicLink,
    Fifo,
    Socket,
    CharacterDevice,
    BlockDevice,
    Unknown
};
enum class NetProtocol : std::uint8_t { Tcp = 0, Udp = 1 };
enum class NetOutcome : std::uint8_t {
    Connected,        ///< TCP connected; UDP answered; port 0: the name was resolved
    Refused,          ///< the other side refused the port
    Unreachable,      ///< no way to the address, errorNumber says why
    TimedOut,         ///< no answer within the limit
    NameNotResolved,  ///< the name server answered that there is no such name
    NameServerFailed, ///< no name server, or none that answered
    Failed            ///< anything else, see errorNumber
};

struct Hello
{
    static constexpr FrameType type = FrameType::Hello;
    std::uint32_t version = protocolVersion;
    bool operator==(const Hello &) const = default;
    static void fields(auto &self, auto &archive) { archive.field(self.version); }
};

struct HelloReply
{
    static constexpr FrameType type = FrameType::HelloReply;
    std::uint32_t version = protocolVersion;
    std::string architecture; ///< "amd64" or "arm64"
    std::uint32_t pid = 0;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::uint64_t lifetimeLeftMs = 0;
    bool creator = false;         ///< this client may extend and shut down
    bool listening = false;       ///< relays of other clients are accepted
    bool protectedInit = false;   ///< the kernel refuses runs to change PID 1's priority and limits
    std::string workingDirectory; ///< relative paths start here
    bool operator==(const HelloReply &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.version);
        archive.field(self.architecture);
        archive.field(self.pid);
        archive.field(self.uid);
        archive.field(self.gid);
        archive.field(self.lifetimeLeftMs);
        archive.field(self.creator);
        archive.field(self.listening);
        archive.field(self.protectedInit);
        archive.field(self.workingDirectory);
    }
};

/// The last frame before the guest closes a connection that broke the protocol.
struct Fatal
{
    static constexpr FrameType type = FrameType::Fatal;
    std::string reason;
    bool operator==(const Fatal &) const = default;
    static void fields(auto &self, auto &archive) { archive.field(self.reason); }
};

template <FrameType Type>
struct EmptyMessage
{
    static constexpr FrameType type = Type;
    bool operator==(const EmptyMessage &) const = default;
    static void fields(auto &, auto &) {}
};
using StatusRequest = EmptyMessage<FrameType::StatusRequest>;
using Shutdown = EmptyMessage<FrameType::Shutdown>;
using Done = EmptyMessage<FrameType::Done>;
using StdinClose = EmptyMessage<FrameType::StdinClose>;
using KillTree = EmptyMessage<FrameType::KillTree>;
using TreeKilled = EmptyMessage<FrameType::TreeKilled>;
using Release = EmptyMessage<FrameType::Release>;

struct Error
{
    static constexpr FrameType type = FrameType::Error;
    std::int32_t errorNumber = 0;
    bool operator==(const Error &) const = default;
    static void fields(auto &self, auto &archive) { archive.field(self.errorNumber); }
};

struct Extend
{
    static constexpr FrameType type = FrameType::Extend;
    std::uint64_t lifetimeMs = 0; ///< from now
    bool operator==(const Extend &) const = default;
    static void fields(auto &self, auto &archive) { archive.field(self.lifetimeMs); }
};

struct Status
{
    static constexpr FrameType type = FrameType::Status;
    std::uint64_t lifetimeLeftMs = 0;
    std::uint32_t runs = 0;
    std::uint32_t clients = 0;
    std::uint64_t queuedBytes = 0;
    bool operator==(const Status &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.lifetimeLeftMs);
        archive.field(self.runs);
        archive.field(self.clients);
        archive.field(self.queuedBytes);
    }
};

struct WindowSize
{
    static constexpr FrameType type = FrameType::Resize;
    std::uint16_t rows = 24;
    std::uint16_t columns = 80;
    bool operator==(const WindowSize &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.rows);
        archive.field(self.columns);
    }
};
using Resize = WindowSize;

struct Spawn
{
    static constexpr FrameType type = FrameType::Spawn;
    /// argv[0] is looked up in the PATH of the run's environment when it has no slash.
    std::vector<std::string> argv;
    /// "NAME=value" each, over the guest's own environment unless clearEnvironment is set.
    std::vector<std::string> environment;
    bool clearEnvironment = false;
    std::string workingDirectory; ///< empty: the guest's; relative: below it
    StdinMode stdinMode = StdinMode::Null;
    /// Not empty: stdout and stderr (and stdin with StdinMode::Token) are the descriptors that
    /// `sandboxio-guest stream TOKEN` hands over, before or up to 10 s after this message.
    std::string streamToken;
    bool pty = false; ///< stdin, stdout, stderr are a terminal; output comes as Stdout
    WindowSize windowSize;
    std::string term; ///< TERM when pty is set and the environment does not name one
    bool operator==(const Spawn &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.argv);
        archive.field(self.environment);
        archive.field(self.clearEnvironment);
        archive.field(self.workingDirectory);
        archive.enumeration(self.stdinMode, StdinMode::Control);
        archive.field(self.streamToken);
        archive.field(self.pty);
        archive.field(self.windowSize);
        archive.field(self.term);
    }
};

struct Spawned
{
    static constexpr FrameType type = FrameType::Spawned;
    std::uint32_t pid = 0;
    bool operator==(const Spawned &) const = default;
    static void fields(auto &self, auto &archive) { archive.field(self.pid); }
};

struct SpawnFailed
{
    static constexpr FrameType type = FrameType::SpawnFailed;
    std::int32_t errorNumber = 0;
    SpawnStage stage = SpawnStage::Setup;
    bool operator==(const SpawnFailed &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.errorNumber);
        archive.enumeration(self.stage, SpawnStage::Exec);
    }
};

/// Borrowed: the data points into the decoder's buffer.
struct Output
{
    static constexpr FrameType type = FrameType::Output;
    StreamId stream = StreamId::Stdout;
    std::uint64_t offset = 0;
    std::string_view data;
    bool operator==(const Output &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.enumeration(self.stream, StreamId::Control);
        archive.field(self.offset);
        archive.rest(self.data);
    }
};

/// Stdin here means that the process closed its standard input.
struct StreamEof
{
    static constexpr FrameType type = FrameType::StreamEof;
    StreamId stream = StreamId::Stdout;
    bool operator==(const StreamEof &) const = default;
    static void fields(auto &self, auto &archive) { archive.enumeration(self.stream, StreamId::Control); }
};

struct Credit
{
    static constexpr FrameType type = FrameType::Credit;
    StreamId stream = StreamId::Stdout;
    std::uint32_t bytes = 0;
    bool operator==(const Credit &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.enumeration(self.stream, StreamId::Control);
        archive.field(self.bytes);
    }
};

struct ExitStatus
{
    static constexpr FrameType type = FrameType::Exited;
    enum class Kind : std::uint8_t {
        Exited,    ///< value is the exit code
        Signalled, ///< value is the signal number
        Unknown    ///< the status was lost inside the sandbox
    };
    Kind kind = Kind::Unknown;
    std::int32_t value = 0;
    bool coreDumped = false;
    /// Processes of the sandbox killed for want of memory since the run started.
    std::uint32_t outOfMemoryKills = 0;
    /// No process of the run is left, so its streams end by themselves. False: one is left, or it is not known.
    bool treeEmpty = false;
    bool operator==(const ExitStatus &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.enumeration(self.kind, Kind::Unknown);
        archive.field(self.value);
        archive.field(self.coreDumped);
        archive.field(self.outOfMemoryKills);
        archive.field(self.treeEmpty);
    }
};

/// Borrowed, like Output.
struct Stdin
{
    static constexpr FrameType type = FrameType::Stdin;
    std::string_view data;
    bool operator==(const Stdin &) const = default;
    static void fields(auto &self, auto &archive) { archive.rest(self.data); }
};

struct StdinCredit
{
    static constexpr FrameType type = FrameType::StdinCredit;
    std::uint32_t bytes = 0;
    bool operator==(const StdinCredit &) const = default;
    static void fields(auto &self, auto &archive) { archive.field(self.bytes); }
};

struct Signal
{
    static constexpr FrameType type = FrameType::Signal;
    std::int32_t number = 0;
    bool group = false; ///< to the main process's group instead of to it alone
    bool operator==(const Signal &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.number);
        archive.field(self.group);
    }
};

struct NetProbe
{
    static constexpr FrameType type = FrameType::NetProbe;
    std::string host;       ///< a name or an address
    std::uint16_t port = 0; ///< 0: resolve the name only
    NetProtocol protocol = NetProtocol::Tcp;
    std::uint32_t timeoutMs = 2000; ///< at most 60,000
    std::string payload;            ///< UDP: what to send; an answer of any content counts
    bool operator==(const NetProbe &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.host);
        archive.field(self.port);
        archive.enumeration(self.protocol, NetProtocol::Udp);
        archive.field(self.timeoutMs);
        archive.field(self.payload);
    }
};

struct NetProbeResult
{
    static constexpr FrameType type = FrameType::NetProbeResult;
    NetOutcome outcome = NetOutcome::Failed;
    std::int32_t errorNumber = 0;
    std::string address; ///< what the name resolved to, empty when it did not
    std::uint32_t elapsedMs = 0;
    bool operator==(const NetProbeResult &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.enumeration(self.outcome, NetOutcome::Failed);
        archive.field(self.errorNumber);
        archive.field(self.address);
        archive.field(self.elapsedMs);
    }
};

/// A whole frame. The caller sees to maximumFrameSize.
template <typename Message>
std::string encode(std::uint32_t channel, const Message &message)
{
    std::string frame;
    appendFrameHeader(frame, Message::type, channel, 0);
    Writer writer(frame);
    Message::fields(message, writer);
    patchFrameLength(frame);
    return frame;
}

/// The message of a payload, or nothing when it is not exactly one such message.
template <typename Message>
std::optional<Message> decode(std::string_view payload)
{
    Message message;
    Reader reader(payload);
    Message::fields(message, reader);
    if (!reader.atEnd())
        return std::nullopt;
    return message;
}

} // namespace Sandboxio::Guest
