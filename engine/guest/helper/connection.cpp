// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "connection.h"

#include "clientrun.h"
#include "netprobe.h"
#include "server.h"

#include <array>
#include <cerrno>
#include <utility>

namespace Sandboxio::Guest {

namespace {

constexpr std::size_t queueLimit = 4 << 20;
constexpr std::size_t maximumRuns = 4096;
/// Fewer changes between the processes at both ends; the most that an ordinary user may ask for.
constexpr int pipeSize = 1 << 20;

template <typename Message, typename Function>
bool with(const Frame &frame, Function function)
{
    const std::optional<Message> message = decode<Message>(frame.payload);
    if (message)
        function(*message);
    return message.has_value();
}

} // namespace

Connection::Connection(Server &server, std::uint64_t number, Streams streams, bool creator)
    : m_server(server)
    , m_number(number)
    , m_streams(std::move(streams))
    , m_creator(creator)
    , m_files(*this, server)
{}

Connection::~Connection()
{
    for (auto &[id, run] : m_runs)
        run->abandon();
    m_inputWatch.stop();
    m_outputWatch.stop();
    m_relayWatch.stop();
    m_streams.relay.finish(0);
}

bool Connection::start()
{
    setNonBlocking(m_streams.input.get());
    setNonBlocking(m_streams.output.get());
    ::fcntl(m_streams.input.get(), F_SETPIPE_SZ, pipeSize);
    ::fcntl(m_streams.output.get(), F_SETPIPE_SZ, pipeSize);
    sendFrame(preamble);
    // A relay process that ends takes its client with it.
    if (m_streams.relay.control)
        m_relayWatch.start(m_server.loop(), m_streams.relay.control.get(), EPOLLIN,
                           [this](std::uint32_t) { m_dead = true; });
    return m_inputWatch.start(m_server.loop(), m_streams.input.get(), EPOLLIN,
                              [this](std::uint32_t) { readInput(); });
}

bool Connection::isCongested() const
{
    return m_queue.size() > queueLimit;
}

void Connection::sendFrame(std::string_view frame)
{
    if (m_dead)
        return;
    m_queue.append(frame);
    m_readingPaused = m_readingPaused || isCongested();
}

void Connection::sendFileData(std::uint32_t request, const std::shared_ptr<SentFile> &file, off_t offset,
                              std::size_t size)
{
    std::string header;
    appendFrameHeader(header, FrameType::FileData, request, size);
    sendFrame(header);
    if (m_dead)
        return;
    m_queue.append(file, offset, size);
    m_readingPaused = m_readingPaused || isCongested();
}

void Connection::sendResult(std::uint32_t request, int errorNumber)
{
    if (errorNumber == 0)
        send(request, Done{});
    else
        send(request, Error{errorNumber});
}

void Connection::readInput()
{
    static std::array<char, 256 << 10> scratch;
    const ssize_t count = ::read(m_streams.input.get(), scratch.data(), scratch.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count <= 0) {
        m_dead = true;
        return;
    }
    m_decoder.append({scratch.data(), std::size_t(count)});
    processFrames();
}

void Connection::processFrames()
{
    m_framesWaiting = false;
    Frame frame;
    while (!m_dead && !m_closing) {
        if (isCongested()) {
            m_framesWaiting = true;
            return;
        }
        const FrameDecoder::Result result = m_decoder.next(frame);
        if (result == FrameDecoder::Result::NeedMore)
            return;
        if (result == FrameDecoder::Result::Failed)
            return fail(m_decoder.error());
        handle(frame);
    }
}

void Connection::handle(const Frame &frame)
{
    if (!m_greeted && frame.type != FrameType::Hello)
        return fail("the first frame is not a Hello");
    const auto type = static_cast<std::uint8_t>(frame.type);
    bool understood = false;
    if (type >= 0x10 && type < 0x20)
        understood = handleRun(frame);
    else if (type >= 0x20 && type < 0x30)
        understood = m_files.handle(frame);
    else
        understood = handleControl(frame);
    if (!understood)
        fail("a frame is malformed or of unknown type");
}

bool Connection::handleControl(const Frame &frame)
{
    const std::uint32_t request = frame.channel;
    switch (frame.type) {
    case FrameType::Hello:
        return !m_greeted && with<Hello>(frame, [this](const Hello &hello) { greet(hello); });
    case FrameType::StatusRequest:
        return with<StatusRequest>(frame, [&](const auto &) { send(request, m_server.status()); });
    case FrameType::Extend:
        return with<Extend>(frame, [&](const Extend &extend) {
            const int error = m_creator ? m_server.setLifetime(extend.lifetimeMs) : EPERM;
            if (error)
                sendResult(request, error);
            else
                send(request, m_server.status());
        });
    case FrameType::Shutdown:
        return with<Shutdown>(frame, [&](const auto &) {
            sendResult(request, m_creator ? 0 : EPERM);
            if (m_creator)
                m_server.shutDown();
        });
    case FrameType::NetProbe:
        return with<NetProbe>(frame, [&](const NetProbe &probe) { startProbe(request, probe); });
    default:
        return handleKept(frame);
    }
}

void Connection::greet(const Hello &hello)
{
    m_greeted = true;
    send(0, m_server.describe(m_creator));
    if (hello.version != protocolVersion)
        fail("the client speaks another version of the protocol");
}

bool Connection::handleRun(const Frame &frame)
{
    // A run may have failed or been released while the client's frame was on its way.
    RunChannel *run = findRun(frame.channel);
    switch (frame.type) {
    case FrameType::Spawn:
        return !run && with<Spawn>(frame, [&](const Spawn &request) { spawn(frame.channel, request); });
    case FrameType::Stdin:
        return with<Stdin>(frame, [&](const Stdin &input) {
            if (run && !run->writeStdin(input.data))
                fail("standard input exceeds its window");
        });
    case FrameType::StdinClose:
        return with<StdinClose>(frame, [&](const auto &) { run ? run->closeStdin() : void(); });
    case FrameType::Resize:
        return with<Resize>(frame, [&](const Resize &size) { run ? run->resize(size) : void(); });
    case FrameType::Signal:
        return with<Signal>(
            frame, [&](const Signal &signal) { run ? run->signal(signal.number, signal.group) : void(); });
    case FrameType::KillTree:
        return with<KillTree>(frame,
                              [&](const auto &) { run ? run->killTree() : send(frame.channel, TreeKilled{}); });
    case FrameType::Credit:
        return with<Credit>(frame, [&](const Credit &credit) {
            if (run && credit.stream != StreamId::Stdin)
                run->grantCredit(credit.stream, credit.bytes);
        });
    case FrameType::Attach:
        return !run && with<Attach>(frame, [&](const Attach &request) { attach(frame.channel, request); });
    case FrameType::Release:
        return with<Release>(frame, [&](const auto &) { m_runs.erase(frame.channel); });
    default:
        return false;
    }
}

RunChannel *Connection::findRun(std::uint32_t id)
{
    const auto run = m_runs.find(id);
    return run == m_runs.end() ? nullptr : run->second.get();
}

void Connection::spawn(std::uint32_t id, const Spawn &request)
{
    if (m_runs.size() >= maximumRuns)
        return send(id, SpawnFailed{EAGAIN, SpawnStage::Setup});
    auto run = std::make_unique<ClientRun>(m_server, *this, id);
    ClientRun &added = *run;
    m_runs.emplace(id, std::move(run));
    added.start(request);
}

bool Connection::handleKept(const Frame &frame)
{
    const std::uint32_t request = frame.channel;
    switch (frame.type) {
    case FrameType::StartKept:
        return with<StartKept>(frame, [&](const StartKept &start) { startKept(request, start); });
    case FrameType::ListKept:
        return with<ListKept>(frame, [&](const auto &) { send(request, m_server.keptRuns().list()); });
    case FrameType::RemoveKept:
        return with<RemoveKept>(frame, [&](const RemoveKept &remove) { removeKept(request, remove.name); });
    default:
        return false;
    }
}

/// The run and its removal go on when this client has gone.
void Connection::startKept(std::uint32_t request, const StartKept &start)
{
    m_server.keptRuns().start(start,
                              [&server = m_server, number = m_number, request](const KeptStarted &started) {
                                  if (Connection *client = server.findConnection(number))
                                      client->send(request, started);
                              });
}

void Connection::removeKept(std::uint32_t request, const std::string &name)
{
    const bool found = m_server.keptRuns().remove(name, [&server = m_server, number = m_number, request] {
        if (Connection *client = server.findConnection(number))
            client->sendResult(request, 0);
    });
    if (!found)
        sendResult(request, ENOENT);
}

void Connection::attach(std::uint32_t id, const Attach &request)
{
    const std::shared_ptr<KeptRun> kept = m_server.keptRuns().find(request.name);
    if (!kept || m_runs.size() >= maximumRuns)
        return send(id, SpawnFailed{kept ? EAGAIN : ENOENT, SpawnStage::Setup});
    if (request.outputOffset > kept->spool(StreamId::Stdout).end() ||
        request.errorsOffset > kept->spool(StreamId::Stderr).end())
        return send(id, SpawnFailed{ERANGE, SpawnStage::Setup});
    auto attachment = std::make_unique<Attachment>(m_server, *this, id, kept, request);
    send(id, Attached{kept->pid(), kept->isTerminal(), kept->takesInputOf(attachment.get())});
    Attachment &added = *attachment;
    m_runs.emplace(id, std::move(attachment));
    added.pump();
}

void Connection::startProbe(std::uint32_t request, const NetProbe &probe)
{
    const int error = m_server.workers().start(
        m_number, request, [probe, request] { return encode(request, probeNetwork(probe)); });
    if (error)
        sendResult(request, error);
}

void Connection::fail(std::string_view reason)
{
    if (m_closing)
        return;
    send(0, Fatal{std::string(reason)});
    m_closing = true;
}

void Connection::settle()
{
    if (std::exchange(m_hasFailedRuns, false))
        std::erase_if(m_runs, [](const auto &entry) { return entry.second->hasFailed(); });
    OutQueue::Result result = m_queue.flush(m_streams.output.get());
    while (m_framesWaiting && !isCongested() && result != OutQueue::Result::Failed) {
        processFrames();
        result = m_queue.flush(m_streams.output.get());
    }
    if (result == OutQueue::Result::Failed || m_closing)
        m_dead = true;
    if (!m_dead)
        updateWatches(result == OutQueue::Result::Blocked);
}

void Connection::updateWatches(bool blocked)
{
    m_inputWatch.setEvents(m_framesWaiting || isCongested() ? 0 : std::uint32_t(EPOLLIN));
    if (blocked && !m_outputWatch.isActive())
        m_outputWatch.start(m_server.loop(), m_streams.output.get(), EPOLLOUT, [](std::uint32_t) {});
    else if (!blocked)
        m_outputWatch.stop();
    if (m_readingPaused) {
        m_readingPaused = isCongested();
        for (auto &[id, run] : m_runs)
            run->updateReading();
    }
}

} // namespace Sandboxio::Guest
