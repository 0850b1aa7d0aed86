// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "messages.h"

/// The messages of kept runs: those that belong to the sandbox instead of to a client.
namespace Sandboxio::Guest {

/// Bytes of input that a kept run may be given along.
inline constexpr std::size_t maximumKeptInput = stdinWindow;
/// Bytes of a kept run's label that the guest remembers.
inline constexpr std::size_t maximumKeptLabel = std::size_t{4} << 10;
inline constexpr std::size_t maximumKeptName = 128;
/// Runs that are kept at once, ended ones included.
inline constexpr std::size_t maximumKeptRuns = 64;
/// Bytes kept of one stream while few runs are kept.
inline constexpr std::size_t largestSpool = std::size_t{4} << 20;
/// Bytes kept of all streams of all kept runs.
inline constexpr std::size_t allSpools = std::size_t{32} << 20;

struct StartKept
{
    static constexpr FrameType type = FrameType::StartKept;
    std::string name;               ///< chosen by the client, unique in the sandbox, not empty
    std::vector<std::string> label; ///< what a listing shows of it; cut to maximumKeptLabel
    std::string input;              ///< all of its standard input with StdinMode::Pipe
    Spawn spawn;                    ///< without a stream token and a control stream
    bool operator==(const StartKept &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.name);
        archive.field(self.label);
        archive.field(self.input);
        Spawn::fields(self.spawn, archive);
    }
};

struct KeptStarted
{
    static constexpr FrameType type = FrameType::KeptStarted;
    std::uint32_t pid = 0;        ///< 0: it did not start
    std::int32_t errorNumber = 0; ///< EEXIST: the name is taken; ENOSPC: too many runs are kept
    SpawnStage stage = SpawnStage::Setup;
    bool operator==(const KeptStarted &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.pid);
        archive.field(self.errorNumber);
        archive.enumeration(self.stage, SpawnStage::Exec);
    }
};

using ListKept = EmptyMessage<FrameType::ListKept>;

struct KeptRunInfo
{
    std::string name;
    std::vector<std::string> label;
    std::uint32_t pid = 0;
    std::uint64_t startedMs = 0; ///< since 1970, by the sandbox's clock
    bool terminal = false;
    std::uint32_t attachments = 0;
    bool ended = false;
    ExitStatus status; ///< once ended
    /// Stdout and Stderr: bytes written so far, and how many of them, the last, are kept.
    std::uint64_t outputWritten = 0;
    std::uint64_t outputKept = 0;
    std::uint64_t errorsWritten = 0;
    std::uint64_t errorsKept = 0;
    bool operator==(const KeptRunInfo &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.name);
        archive.field(self.label);
        archive.field(self.pid);
        archive.field(self.startedMs);
        archive.field(self.terminal);
        archive.field(self.attachments);
        archive.field(self.ended);
        ExitStatus::fields(self.status, archive);
        archive.field(self.outputWritten);
        archive.field(self.outputKept);
        archive.field(self.errorsWritten);
        archive.field(self.errorsKept);
    }
};

struct KeptList
{
    static constexpr FrameType type = FrameType::KeptList;
    std::vector<KeptRunInfo> runs; ///< oldest first
    bool operator==(const KeptList &) const = default;
    static void fields(auto &self, auto &archive) { archive.field(self.runs); }
};

struct RemoveKept
{
    static constexpr FrameType type = FrameType::RemoveKept;
    std::string name;
    bool operator==(const RemoveKept &) const = default;
    static void fields(auto &self, auto &archive) { archive.field(self.name); }
};

struct Attach
{
    static constexpr FrameType type = FrameType::Attach;
    std::string name;
    std::uint64_t outputOffset = 0;
    std::uint64_t errorsOffset = 0;
    bool operator==(const Attach &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.name);
        archive.field(self.outputOffset);
        archive.field(self.errorsOffset);
    }
};

struct Attached
{
    static constexpr FrameType type = FrameType::Attached;
    std::uint32_t pid = 0;
    bool terminal = false;
    bool input = false; ///< what this client writes is taken
    bool operator==(const Attached &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.pid);
        archive.field(self.terminal);
        archive.field(self.input);
    }
};

struct OutputLost
{
    static constexpr FrameType type = FrameType::OutputLost;
    StreamId stream = StreamId::Stdout;
    std::uint64_t bytes = 0;
    bool operator==(const OutputLost &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.enumeration(self.stream, StreamId::Stderr);
        archive.field(self.bytes);
    }
};

} // namespace Sandboxio::Guest
