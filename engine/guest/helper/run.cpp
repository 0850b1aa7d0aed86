// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "run.h"

#include "processtree.h"
#include "server.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace Sandboxio::Guest {

Run::Run(Server &server, RunListener &listener)
    : m_server(server)
    , m_listener(listener)
{}

Run::~Run()
{
    if (!m_waitingToken.empty())
        m_server.handovers().stopWaiting(m_waitingToken);
    m_server.forgetChild(m_supervisor);
    m_server.forgetChild(m_process);
}

void Run::start(const Spawn &request)
{
    if (request.argv.empty() || request.argv.front().empty())
        return fail(request.argv.empty() ? EINVAL : ENOENT, SpawnStage::Exec);
    const bool tokenStdin = request.stdinMode == StdinMode::Token;
    m_control = request.stdinMode == StdinMode::Control;
    if (request.streamToken.empty() ? tokenStdin || (m_control && request.pty) : request.pty || m_control)
        return fail(EINVAL, SpawnStage::Setup);
    if (request.streamToken.empty())
        return launch(request);
    waitForStreams(request);
}

void Run::waitForStreams(const Spawn &request)
{
    m_waitingToken = request.streamToken;
    m_server.handovers().waitFor(request.streamToken, [this, request](HandedStreams *streams, int errorNumber) {
        m_waitingToken.clear();
        if (!streams)
            return fail(errorNumber, SpawnStage::Token);
        m_streams = std::move(*streams);
        launch(request);
    });
}

void Run::launch(const Spawn &request)
{
    ChildEnds ends;
    const bool opened = request.pty ? openTerminal(request, ends) : openPipes(request, ends);
    if (!opened)
        return fail(errno, request.pty ? SpawnStage::Pty : SpawnStage::Setup);

    SpawnPlan plan;
    plan.argv = request.argv;
    plan.environment = request.environment;
    plan.clearEnvironment = request.clearEnvironment;
    plan.workingDirectory = request.workingDirectory;
    plan.openFiles = m_server.originalOpenFiles();
    if (request.pty)
        plan.term = request.term.empty() ? "xterm-256color" : request.term;
    for (std::size_t i = 0; i < ends.fds.size(); ++i)
        plan.descriptors[i] = ends.fds[i].get();

    m_oomKillsBefore = m_server.outOfMemoryKills();
    Supervisor supervisor = startSupervisor(plan);
    if (supervisor.pid < 0)
        return fail(errno, SpawnStage::Setup);
    m_supervisor = supervisor.pid;
    m_supervisorAlive = true;
    m_server.expectChild(m_supervisor, [this](int) { supervisorEnded(); });
    m_report = std::move(supervisor.report);
    m_reportWatch.start(m_server.loop(), m_report.get(), EPOLLIN, [this](std::uint32_t) { readReports(); });
    updateReading();
}

bool Run::openTerminal(const Spawn &request, ChildEnds &ends)
{
    UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    if (!master || ::unlockpt(master.get()) != 0)
        return false;
    UniqueFd slave(::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    char name[64];
    if (!slave && ::ptsname_r(master.get(), name, sizeof name) == 0)
        slave.reset(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!slave)
        return false;
    m_stdin.reset(::fcntl(master.get(), F_DUPFD_CLOEXEC, 3));
    ends.fds[1].reset(::fcntl(slave.get(), F_DUPFD_CLOEXEC, 3));
    ends.fds[2].reset(::fcntl(slave.get(), F_DUPFD_CLOEXEC, 3));
    if (!m_stdin || !ends.fds[1] || !ends.fds[2])
        return false;
    ends.fds[0] = std::move(slave);
    m_terminal = true;
    startOutput(StreamId::Stdout, std::move(master));
    resize(request.windowSize);
    return true;
}

bool Run::openPipes(const Spawn &request, ChildEnds &ends)
{
    if (request.stdinMode == StdinMode::Pipe) {
        int pipe[2];
        if (::pipe2(pipe, O_CLOEXEC) != 0)
            return false;
        ends.fds[0].reset(pipe[0]);
        m_stdin.reset(pipe[1]);
        setNonBlocking(pipe[1]);
    } else if (request.stdinMode == StdinMode::Token) {
        ends.fds[0] = std::move(m_streams.fds[0]);
    } else {
        ends.fds[0].reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        if (!ends.fds[0])
            return false;
    }
    if (!request.streamToken.empty()) {
        ends.fds[1] = std::move(m_streams.fds[1]);
        ends.fds[2] = std::move(m_streams.fds[2]);
        return true;
    }
    for (const StreamId stream : {StreamId::Stdout, StreamId::Stderr}) {
        int pipe[2];
        if (::pipe2(pipe, O_CLOEXEC) != 0)
            return false;
        ends.fds[std::size_t(stream)].reset(pipe[1]);
        setNonBlocking(pipe[0]);
        startOutput(stream, UniqueFd(pipe[0]));
    }
    return !m_control || openControl(ends);
}

bool Run::openControl(ChildEnds &ends)
{
    int sockets[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return false;
    ends.fds[3].reset(sockets[1]);
    UniqueFd ours(sockets[0]);
    m_stdin.reset(::fcntl(ours.get(), F_DUPFD_CLOEXEC, 3));
    if (!m_stdin)
        return false;
    setNonBlocking(ours.get());
    startOutput(StreamId::Control, std::move(ours));
    return true;
}

void Run::startOutput(StreamId stream, UniqueFd fd)
{
    OutputStream &out = output(stream);
    out.fd = std::move(fd);
    out.watch.start(m_server.loop(), out.fd.get(), 0, [this, stream](std::uint32_t) {
        stream == StreamId::Control ? readControl() : readOutput(stream);
    });
}

void Run::fail(int errorNumber, SpawnStage stage)
{
    m_failed = true;
    // As a shell and docker have it: 127 not found, 126 found but not executable, 125 our own failure.
    m_streams.finish(stage != SpawnStage::Exec ? 125 : errorNumber == ENOENT ? 127 : 126);
    m_listener.spawnFailed(SpawnFailed{errorNumber, stage});
}

/// Nothing is read before the client was told that the process runs.
void Run::updateReading()
{
    const bool ready = m_started && !m_listener.isCongested();
    for (OutputStream &out : m_outputs) {
        const bool held = &out == &output(StreamId::Control) &&
                          (isBelowBarrier(StreamId::Stdout) || isBelowBarrier(StreamId::Stderr));
        out.watch.setEvents(ready && out.credit > 0 && !held ? std::uint32_t(EPOLLIN) : 0);
    }
}

void Run::grantCredit(StreamId stream, std::uint32_t bytes)
{
    output(stream).credit += bytes;
    updateReading();
}

void Run::readOutput(StreamId stream)
{
    if (m_listener.isCongested())
        return updateReading();
    if (forwardOutput(stream, SIZE_MAX))
        updateReading();
    if (m_barrier)
        readControl();
}

bool Run::forwardOutput(StreamId stream, std::size_t limit)
{
    static std::array<char, 256 << 10> scratch;
    OutputStream &out = output(stream);
    const std::size_t wanted = std::min<std::uint64_t>({scratch.size(), out.credit, limit});
    const ssize_t count = ::read(out.fd.get(), scratch.data(), wanted);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (count <= 0) {
        out.watch.stop();
        out.fd.reset();
        m_listener.streamEnded(stream);
        return false;
    }
    constexpr ssize_t defaultPipeSize = 64 << 10;
    if (count == defaultPipeSize && stream != StreamId::Control)
        ::fcntl(out.fd.get(), F_SETPIPE_SZ, int(scratch.size()));
    const Output piece{stream, out.offset, {scratch.data(), std::size_t(count)}};
    out.offset += std::uint64_t(count);
    out.credit -= std::uint64_t(count);
    m_listener.output(piece);
    return true;
}

/// The size of the control bytes first: what was written before them is then in the pipes.
Run::Barrier Run::findBarrier() const
{
    const auto waiting = [](const UniqueFd &fd) {
        int bytes = 0;
        return fd && ::ioctl(fd.get(), FIONREAD, &bytes) == 0 ? std::size_t(bytes) : 0;
    };
    Barrier barrier;
    barrier.controlBytes = waiting(m_outputs[2].fd);
    for (std::size_t i = 0; i < barrier.offsets.size(); ++i)
        barrier.offsets[i] = m_outputs[i].offset + waiting(m_outputs[i].fd);
    return barrier;
}

bool Run::isBelowBarrier(StreamId stream) const
{
    const OutputStream &out = output(stream);
    return m_barrier && out.fd && out.offset < m_barrier->offsets[std::size_t(stream) - 1];
}

/// False while output that was written before the control bytes waits for credit.
bool Run::reachBarrier()
{
    for (const StreamId stream : {StreamId::Stdout, StreamId::Stderr}) {
        const OutputStream &out = output(stream);
        const std::uint64_t end = m_barrier->offsets[std::size_t(stream) - 1];
        while (isBelowBarrier(stream) && out.credit > 0 && forwardOutput(stream, end - out.offset)) {
        }
        if (isBelowBarrier(stream))
            return false;
    }
    return true;
}

/// What the process said on its control stream is told only after all output that it wrote before.
void Run::readControl()
{
    const OutputStream &control = output(StreamId::Control);
    if (!m_listener.isCongested() && control.fd && control.credit > 0) {
        if (!m_barrier)
            m_barrier = findBarrier();
        if (reachBarrier()) {
            // No bytes: its end, or bytes that came just now, of which one tells nobody anything.
            forwardOutput(StreamId::Control, std::max<std::size_t>(m_barrier->controlBytes, 1));
            m_barrier.reset();
        }
    }
    updateReading();
}

void Run::drainOutput(StreamId stream)
{
    const OutputStream &out = output(stream);
    // What was written before the end is not more, and a child may write on and on.
    const std::uint64_t limit = out.offset + outputWindow;
    std::uint64_t before = 0;
    do {
        before = out.offset;
        if (out.fd && out.credit > 0)
            stream == StreamId::Control ? readControl() : readOutput(stream);
    } while (out.offset != before && out.offset < limit);
}

bool Run::writeStdin(std::string_view data)
{
    if (m_stdinBuffer.size() + data.size() > stdinWindow)
        return false;
    if (!m_stdin || m_stdinCloseRequested) {
        m_listener.stdinCredit(std::uint32_t(data.size()));
        return true;
    }
    m_stdinBuffer.append(data);
    flushStdin();
    return true;
}

void Run::flushStdin()
{
    std::size_t written = 0;
    while (written < m_stdinBuffer.size()) {
        const ssize_t count =
            ::write(m_stdin.get(), m_stdinBuffer.data() + written, m_stdinBuffer.size() - written);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            break;
        if (count < 0) {
            const auto dropped = std::uint32_t(m_stdinBuffer.size());
            m_stdinBuffer.clear();
            endStdin();
            m_listener.stdinCredit(dropped);
            m_listener.streamEnded(StreamId::Stdin);
            return;
        }
        written += std::size_t(count);
    }
    m_stdinBuffer.erase(0, written);
    if (written > 0)
        m_listener.stdinCredit(std::uint32_t(written));
    if (m_stdinBuffer.empty()) {
        m_stdinWatch.stop();
        if (m_stdinCloseRequested)
            endStdin();
    } else if (!m_stdinWatch.isActive()) {
        m_stdinWatch.start(m_server.loop(), m_stdin.get(), EPOLLOUT, [this](std::uint32_t) { flushStdin(); });
    }
}

void Run::closeStdin()
{
    if (!m_stdin || m_stdinCloseRequested)
        return;
    m_stdinCloseRequested = true;
    if (m_stdinBuffer.empty())
        endStdin();
}

void Run::dropStdin()
{
    m_stdinBuffer.clear();
    m_stdinCloseRequested = false;
    m_stdinWatch.stop();
}

/// A terminal stays open: its end of input is a key.
void Run::endStdin()
{
    m_stdinWatch.stop();
    m_stdinCloseRequested = false;
    if (m_control)
        ::shutdown(m_stdin.get(), SHUT_WR);
    const char endOfFile = 4;
    if (!m_terminal || ::write(m_stdin.get(), &endOfFile, 1) != 1)
        m_stdin.reset();
}

void Run::resize(const WindowSize &size)
{
    const winsize window{size.rows, size.columns, 0, 0};
    if (m_terminal && m_stdin)
        ::ioctl(m_stdin.get(), TIOCSWINSZ, &window);
}

void Run::signal(int number, bool group)
{
    if (m_process > 0 && !m_exited && number > 0 && number < NSIG)
        ::kill(group ? -m_process : m_process, number);
}

void Run::killTree(std::function<void()> done)
{
    if (!m_waitingToken.empty()) {
        m_server.handovers().stopWaiting(m_waitingToken);
        m_waitingToken.clear();
        fail(ECANCELED, SpawnStage::Token);
    }
    if (m_supervisorAlive)
        m_server.killTree(m_supervisor, Server::TreeRoot::Supervisor, std::move(done));
    else if (m_process > 0 && !m_exited)
        m_server.killTree(m_process, Server::TreeRoot::Process, std::move(done));
    else
        done();
}

void Run::abandon()
{
    if (m_supervisorAlive)
        m_server.killTree(m_supervisor, Server::TreeRoot::Supervisor, {});
    else if (m_process > 0 && !m_exited)
        m_server.killTree(m_process, Server::TreeRoot::Process, {});
}

void Run::readReports()
{
    SupervisorReport record{};
    while (m_report) {
        const ssize_t size = ::read(m_report.get(), &record, sizeof record);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0 && errno == EAGAIN)
            return;
        if (size != sizeof record) {
            m_reportWatch.stop();
            m_report.reset();
        } else if (record.kind == SupervisorReport::Forked) {
            m_process = record.first;
        } else if (record.kind == SupervisorReport::Started) {
            processStarted();
        } else if (record.kind == SupervisorReport::NotStarted) {
            fail(record.first, SpawnStage(record.second));
        } else {
            ExitStatus status = exitStatusFrom(record.first);
            status.treeEmpty = record.second != 0;
            processEnded(status);
        }
    }
}

/// A supervisor that was killed from inside leaves its process to us, the next subreaper above it.
void Run::supervisorEnded()
{
    readReports();
    m_supervisorAlive = false;
    if (m_exited || m_failed)
        return;
    pid_t parent = 0;
    bool alive = false;
    const bool ours = m_process > 0 && readProcess(m_process, parent, alive) && parent == ::getpid();
    if (!ours && !m_started)
        return fail(ESRCH, SpawnStage::Setup);
    if (!m_started)
        processStarted();
    if (ours)
        m_server.expectChild(m_process, [this](int status) { processEnded(exitStatusFrom(status)); });
    else
        processEnded(ExitStatus{});
}

void Run::processStarted()
{
    m_started = true;
    m_listener.spawned(std::uint32_t(m_process));
    updateReading();
}

void Run::processEnded(ExitStatus status)
{
    m_exited = true;
    status.outOfMemoryKills = std::uint32_t(m_server.outOfMemoryKills() - m_oomKillsBefore);
    // What it wrote before its end goes first: a client may stop listening soon after the end.
    for (const StreamId stream : {StreamId::Stdout, StreamId::Stderr, StreamId::Control})
        drainOutput(stream);
    m_listener.exited(status);
    const bool exited = status.kind == ExitStatus::Kind::Exited;
    m_streams.finish(exited                                       ? status.value
                     : status.kind == ExitStatus::Kind::Signalled ? 128 + status.value
                                                                  : 125);
}

ExitStatus exitStatusFrom(int waitStatus)
{
    ExitStatus status;
    if (WIFEXITED(waitStatus)) {
        status.kind = ExitStatus::Kind::Exited;
        status.value = WEXITSTATUS(waitStatus);
    } else if (WIFSIGNALED(waitStatus)) {
        status.kind = ExitStatus::Kind::Signalled;
        status.value = WTERMSIG(waitStatus);
        status.coreDumped = WCOREDUMP(waitStatus);
    }
    return status;
}

} // namespace Sandboxio::Guest
