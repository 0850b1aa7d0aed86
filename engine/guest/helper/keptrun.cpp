// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "keptrun.h"

#include "connection.h"
#include "server.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

namespace Sandboxio::Guest {

namespace {

std::vector<std::string> cutLabel(std::vector<std::string> label)
{
    std::size_t left = maximumKeptLabel;
    std::size_t used = 0;
    for (; used < label.size() && left > 0; ++used) {
        std::string &word = label[used];
        word.resize(std::min(word.size(), left));
        left -= std::min(left, word.size() + sizeof(std::uint32_t));
    }
    label.resize(used);
    return label;
}

std::uint64_t wallTimeMs()
{
    timespec time{};
    ::clock_gettime(CLOCK_REALTIME, &time);
    return std::uint64_t(time.tv_sec) * 1000 + std::uint64_t(time.tv_nsec) / 1000000;
}

} // namespace

KeptRun::KeptRun(Server &server, const StartKept &request)
    : m_run(server, *this)
{
    m_info.name = request.name;
    m_info.label = cutLabel(request.label);
    m_info.terminal = request.spawn.pty;
    m_info.startedMs = wallTimeMs();
    // A terminal has one stream.
    m_ended[1] = request.spawn.pty;
}

void KeptRun::start(const StartKept &request, Started reply)
{
    m_reply = std::move(reply);
    const StdinMode mode = request.spawn.stdinMode;
    const bool hasPipe = mode == StdinMode::Pipe && !request.spawn.pty;
    if (!request.spawn.streamToken.empty() || (mode != StdinMode::Null && mode != StdinMode::Pipe) ||
        request.input.size() > maximumKeptInput || (!hasPipe && !request.input.empty()))
        return m_run.refuse(EINVAL);
    m_run.start(request.spawn);
    if (!hasPipe || m_run.hasFailed())
        return;
    m_run.writeStdin(request.input);
    m_run.closeStdin();
}

KeptRunInfo KeptRun::info() const
{
    KeptRunInfo info = m_info;
    info.attachments = std::uint32_t(m_attachments.size());
    info.ended = m_status.has_value();
    info.status = m_status.value_or(ExitStatus{});
    info.outputWritten = m_spools[0].end();
    info.outputKept = m_spools[0].end() - m_spools[0].begin();
    info.errorsWritten = m_spools[1].end();
    info.errorsKept = m_spools[1].end() - m_spools[1].begin();
    return info;
}

void KeptRun::setSpoolLimit(std::size_t bytes)
{
    for (Spool &spool : m_spools)
        spool.setLimit(bytes);
}

void KeptRun::add(Attachment *attachment)
{
    m_attachments.push_back(attachment);
    if (m_info.terminal && !m_input)
        m_input = attachment;
}

void KeptRun::remove(Attachment *attachment)
{
    std::erase(m_attachments, attachment);
    if (m_input == attachment) {
        m_input = nullptr;
        m_run.dropStdin();
    }
}

void KeptRun::spawned(std::uint32_t pid)
{
    m_info.pid = pid;
    if (const Started reply = std::exchange(m_reply, nullptr))
        reply(KeptStarted{pid, 0, SpawnStage::Setup});
}

void KeptRun::spawnFailed(const SpawnFailed &failure)
{
    if (const Started reply = std::exchange(m_reply, nullptr))
        reply(KeptStarted{0, failure.errorNumber, failure.stage});
}

void KeptRun::output(const Output &output)
{
    m_spools[index(output.stream)].append(output.data);
    m_run.grantCredit(output.stream, std::uint32_t(output.data.size()));
    pumpAll();
}

void KeptRun::streamEnded(StreamId stream)
{
    if (stream == StreamId::Stdin) // a terminal's closes with its output
        return;
    m_ended[index(stream)] = true;
    pumpAll();
}

void KeptRun::stdinCredit(std::uint32_t bytes)
{
    if (m_input)
        m_input->sendStdinCredit(bytes);
}

void KeptRun::exited(const ExitStatus &status)
{
    m_status = status;
    m_offsetsAtExit = {m_spools[0].end(), m_spools[1].end()};
    pumpAll();
}

void KeptRun::pumpAll()
{
    for (Attachment *attachment : m_attachments)
        attachment->pump();
}

Attachment::Attachment(Server &server, Connection &connection, std::uint32_t id, std::shared_ptr<KeptRun> run,
                       const Attach &request)
    : m_server(server)
    , m_connection(connection)
    , m_id(id)
    , m_run(std::move(run))
{
    m_positions[0].offset = request.outputOffset;
    m_positions[1].offset = request.errorsOffset;
    m_run->add(this);
}

Attachment::~Attachment()
{
    m_run->remove(this);
}

/// The exit comes after everything that was written before it.
void Attachment::pump()
{
    pumpStream(StreamId::Stdout);
    pumpStream(StreamId::Stderr);
    if (m_run->status() && !isBeforeExit(StreamId::Stdout) && !isBeforeExit(StreamId::Stderr) &&
        !std::exchange(m_exitTold, true))
        m_connection.send(m_id, *m_run->status());
}

bool Attachment::isBeforeExit(StreamId stream) const
{
    return position(stream).offset < m_run->offsetAtExit(stream);
}

void Attachment::pumpStream(StreamId stream)
{
    Position &at = position(stream);
    const Spool &spool = m_run->spool(stream);
    while (at.credit > 0 && at.offset < spool.end() && !m_connection.isCongested()) {
        if (at.offset < spool.begin()) {
            m_connection.send(m_id, OutputLost{stream, spool.begin() - at.offset});
            at.offset = spool.begin();
        }
        const std::string_view piece = spool.at(at.offset).substr(0, at.credit);
        m_connection.send(m_id, Output{stream, at.offset, piece});
        at.offset += piece.size();
        at.credit -= piece.size();
    }
    if (m_run->hasEnded(stream) && at.offset == spool.end() && !std::exchange(at.ended, true))
        m_connection.send(m_id, StreamEof{stream});
}

void Attachment::sendStdinCredit(std::uint32_t bytes)
{
    m_connection.send(m_id, StdinCredit{bytes});
}

bool Attachment::writeStdin(std::string_view data)
{
    if (m_run->takesInputOf(this))
        return m_run->run().writeStdin(data);
    sendStdinCredit(std::uint32_t(data.size()));
    return true;
}

void Attachment::closeStdin()
{
    if (m_run->takesInputOf(this))
        m_run->run().closeStdin();
}

void Attachment::grantCredit(StreamId stream, std::uint32_t bytes)
{
    if (stream != StreamId::Stdout && stream != StreamId::Stderr)
        return;
    position(stream).credit += bytes;
    pump();
}

void Attachment::killTree()
{
    m_run->run().killTree(m_server.treeKilledReply(m_connection.number(), m_id));
}

} // namespace Sandboxio::Guest
