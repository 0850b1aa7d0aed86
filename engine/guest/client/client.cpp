// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "client.h"

#include "client_p.h"

#include <cerrno>

namespace Sandboxio::Guest {

namespace {

constexpr qint64 transportLimit = qint64{1} << 20;
/// Credit goes back in portions: the guest never waits for less than it has left.
constexpr quint64 creditPortion = outputWindow / 4;

} // namespace

Client::Client(Transport transport, ClientHandlers handlers, QObject *parent)
    : QObject(parent)
    , d(std::make_unique<ClientPrivate>(this, std::move(transport), std::move(handlers)))
{}

Client::~Client() = default;

void Client::start()
{
    d->sendFrame(std::string(preamble));
    d->send(0, Hello{});
}

void Client::feed(QByteArrayView bytes)
{
    if (!d->usable)
        return;
    d->decoder.append({bytes.data(), size_t(bytes.size())});
    const QPointer<Client> self(this);
    while (self && d->usable) {
        Frame frame;
        const FrameDecoder::Result result = d->decoder.next(frame);
        if (result == FrameDecoder::Result::NeedMore)
            return;
        if (result == FrameDecoder::Result::Failed) {
            const std::string_view error = d->decoder.error();
            return d->end(QString::fromUtf8(error.data(), qsizetype(error.size())));
        }
        const int type = int(frame.type);
        if (!d->dispatch(frame) && self)
            return d->end(d->peerReason.isEmpty()
                              ? tr("unexpected or malformed frame 0x%1").arg(type, 2, 16, QLatin1Char('0'))
                              : d->peerReason);
    }
}

void Client::connectionLost()
{
    d->end({});
}

void Client::outputDrained()
{
    const QPointer<Client> self(this);
    const auto runs = d->runs;
    for (const auto &[id, run] : runs) {
        d->offerStdin(run);
        if (!self)
            return;
    }
}

const std::optional<HelloReply> &Client::guest() const
{
    return d->hello;
}

bool Client::isUsable() const
{
    return d->usable;
}

RunId Client::spawn(const Spawn &request, RunHandlers handlers)
{
    const RunId id = ++d->lastRun;
    auto run = std::make_shared<RunState>();
    run->handlers = std::move(handlers);
    run->control = request.stdinMode == StdinMode::Control;
    run->stdinClosed = request.stdinMode != StdinMode::Pipe && !run->control && !request.pty;
    d->begin(id, std::move(run), encode(id, request));
    return id;
}

RunId Client::attach(const Attach &request, RunHandlers handlers)
{
    const RunId id = ++d->lastRun;
    auto run = std::make_shared<RunState>();
    run->handlers = std::move(handlers);
    run->attachment = true;
    run->stdinClosed = true; // until it is known otherwise
    run->outputs[0].received = request.outputOffset;
    run->outputs[1].received = request.errorsOffset;
    d->begin(id, std::move(run), encode(id, request));
    return id;
}

void Client::credit(RunId run, StreamId stream, qint64 bytes)
{
    const std::shared_ptr<RunState> state = d->findRun(run);
    RunState::Output *found = state && bytes > 0 ? state->output(stream) : nullptr;
    if (!found)
        return;
    RunState::Output &output = *found;
    output.pendingCredit = qMin(output.pendingCredit + quint64(bytes), output.outstanding);
    if (output.pendingCredit < creditPortion || output.eof)
        return;
    d->send(run, Credit{stream, quint32(output.pendingCredit)});
    output.outstanding -= output.pendingCredit;
    output.pendingCredit = 0;
}

qint64 Client::writeStdin(RunId run, QByteArrayView data)
{
    const std::shared_ptr<RunState> state = d->findRun(run);
    if (!state || state->stdinClosed)
        return data.size(); // nobody reads any more
    const qint64 taken = qMin(qMin(qint64(data.size()), state->stdinSpace), d->transportRoom());
    state->stdinWaiting = taken < data.size();
    if (taken > 0) {
        state->stdinSpace -= taken;
        d->send(run, Stdin{{data.data(), size_t(taken)}});
    }
    return taken;
}

void Client::closeStdin(RunId run)
{
    const std::shared_ptr<RunState> state = d->findRun(run);
    if (!state || state->stdinClosed)
        return;
    d->send(run, StdinClose{});
}

void Client::resize(RunId run, WindowSize size)
{
    if (d->findRun(run))
        d->send(run, size);
}

void Client::signal(RunId run, int number, SignalTarget target)
{
    if (d->findRun(run))
        d->send(run, Signal{number, target == SignalTarget::Group});
}

void Client::killTree(RunId run, Reply<void> reply)
{
    const std::shared_ptr<RunState> state = d->findRun(run);
    if (state) {
        state->killReplies.push_back(std::move(reply));
        d->send(run, KillTree{});
    } else if (reply) {
        const FileError error = d->usable ? FileError{ESRCH, false} : FileError{0, true};
        QMetaObject::invokeMethod(
            this, [reply, error] { reply(std::unexpected(error)); }, Qt::QueuedConnection);
    }
}

void Client::release(RunId run)
{
    const auto node = d->runs.extract(run);
    if (!node)
        return;
    d->send(run, Release{});
    // A kill that was asked for is still answered: the guest takes frames in order.
    for (const Reply<void> &reply : node.mapped()->killReplies) {
        if (reply)
            QMetaObject::invokeMethod(
                this, [reply] { reply(std::unexpected(FileError{ECANCELED, false})); }, Qt::QueuedConnection);
    }
}

void Client::startKept(const StartKept &request, Reply<KeptStarted> reply)
{
    d->request(request, std::move(reply));
}

void Client::listKept(Reply<KeptList> reply)
{
    d->request(ListKept{}, std::move(reply));
}

void Client::removeKept(const std::string &name, Reply<void> reply)
{
    d->request(RemoveKept{name}, std::move(reply));
}

void Client::stat(const std::string &path, bool follow, Reply<FileInfo> reply)
{
    d->request(FileStat{path, follow}, std::move(reply));
}

void Client::list(const std::string &path, std::function<void(std::vector<FileInfo>)> page, Reply<void> reply)
{
    const quint32 id = ++d->lastRequest;
    d->requestPage(encode(id, FileList{path}), id, std::move(page), std::move(reply));
}

void Client::openRead(const std::string &path, Reply<FileOpened> reply)
{
    d->request(FileOpenRead{path}, std::move(reply));
}

void Client::read(FileHandle handle, quint64 offset, quint32 length, Reply<QByteArray> reply)
{
    d->request<FileData>(FileRead{handle, offset, length}, std::move(reply),
                         [](const Reply<QByteArray> &to, FileData answer) {
                             to(QByteArray(answer.data.data(), qsizetype(answer.data.size())));
                         });
}

void Client::openWrite(const FileOpenWrite &request, Reply<FileOpened> reply)
{
    d->request(request, std::move(reply));
}

void Client::write(FileHandle handle, quint64 offset, QByteArrayView data, Reply<void> reply)
{
    d->request(FileWrite{handle, offset, {data.data(), size_t(data.size())}}, std::move(reply));
}

void Client::commit(FileHandle handle, std::optional<quint64> size, Reply<void> reply)
{
    d->request(FileCommit{handle, size.value_or(sizeUnset)}, std::move(reply));
}

void Client::close(FileHandle handle, Reply<void> reply)
{
    d->request(FileClose{handle}, std::move(reply));
}

void Client::makeDirectory(const std::string &path, bool makeParents, Reply<void> reply)
{
    d->request(FileMakeDirectory{path, makeParents}, std::move(reply));
}

void Client::remove(const std::string &path, bool recursive, Reply<void> reply)
{
    d->request(FileRemove{path, recursive}, std::move(reply));
}

void Client::move(const std::string &from, const std::string &to, bool overwrite, Reply<void> reply)
{
    d->request(FileMove{from, to, overwrite}, std::move(reply));
}

void Client::makeLink(const std::string &target, const std::string &path, Reply<void> reply)
{
    d->request(FileMakeLink{target, path}, std::move(reply));
}

void Client::changeMode(const std::string &path, quint32 mode, Reply<void> reply)
{
    d->request(FileChangeMode{path, mode}, std::move(reply));
}

void Client::watch(const std::string &path, bool recursive, Reply<FileOpened> reply)
{
    d->request(FileWatch{path, recursive}, std::move(reply));
}

void Client::watchNext(FileHandle handle, Reply<std::vector<FileChange>> reply)
{
    d->request<FileChanges>(
        FileWatchNext{handle}, std::move(reply),
        [](const Reply<std::vector<FileChange>> &to, FileChanges answer) { to(std::move(answer.changes)); });
}

void Client::netProbe(const NetProbe &request, Reply<NetProbeResult> reply)
{
    d->request(request, std::move(reply));
}

void Client::status(Reply<Status> reply)
{
    d->request(StatusRequest{}, std::move(reply));
}

void Client::extend(quint64 lifetimeMs, Reply<Status> reply)
{
    d->request(Extend{lifetimeMs}, std::move(reply));
}

void Client::shutdown(Reply<void> reply)
{
    d->request(Shutdown{}, std::move(reply));
}

void ClientPrivate::sendFrame(const std::string &frame)
{
    if (usable)
        transport.write(QByteArray(frame.data(), qsizetype(frame.size())));
}

void ClientPrivate::begin(RunId id, std::shared_ptr<RunState> run, const std::string &frame)
{
    if (usable && frame.size() <= maximumFrameSize) {
        runs.emplace(id, std::move(run));
        sendFrame(frame);
        return;
    }
    QMetaObject::invokeMethod(
        q,
        [lost = !usable, handlers = run->handlers] {
            if (lost && handlers.lost)
                handlers.lost();
            else if (!lost && handlers.failed)
                handlers.failed(E2BIG, SpawnStage::Setup);
        },
        Qt::QueuedConnection);
}

void ClientPrivate::submit(quint32 id, const std::string &frame, PendingRequest pending)
{
    if (!usable || frame.size() > maximumFrameSize) {
        const FileError error = usable ? FileError{E2BIG, false} : FileError{0, true};
        QMetaObject::invokeMethod(
            q, [fail = std::move(pending.error), error] { fail(error); }, Qt::QueuedConnection);
        return;
    }
    requests.emplace(id, std::move(pending));
    sendFrame(frame);
}

void ClientPrivate::requestPage(std::string frame, quint32 id, std::function<void(std::vector<FileInfo>)> page,
                                Reply<void> reply)
{
    PendingRequest pending;
    pending.expected = FrameType::FileListPage;
    pending.value = [this, self = QPointer<Client>(q), page, reply](std::string_view payload) {
        auto answer = decode<FileListPage>(payload);
        if (!answer)
            return false;
        if (page)
            page(std::move(answer->entries));
        if (!self)
            return true;
        if (!answer->last) {
            const quint32 next = ++lastRequest;
            requestPage(encode(next, FileListNext{answer->handle}), next, page, reply);
        } else if (reply) {
            reply({});
        }
        return true;
    };
    pending.error = [reply](FileError error) {
        if (reply)
            reply(std::unexpected(error));
    };
    submit(id, frame, std::move(pending));
}

RunState::Output *RunState::output(StreamId stream)
{
    if (stream == StreamId::Stdin || (stream == StreamId::Control && !control))
        return nullptr;
    return &outputs.at(size_t(stream) - 1);
}

std::shared_ptr<RunState> ClientPrivate::findRun(RunId run) const
{
    const auto found = runs.find(run);
    return found == runs.end() ? nullptr : found->second;
}

qint64 ClientPrivate::transportRoom() const
{
    return qMax<qint64>(transportLimit - transport.bytesToWrite(), 0);
}

void ClientPrivate::offerStdin(const std::shared_ptr<RunState> &run)
{
    const qint64 space = qMin(run->stdinSpace, transportRoom());
    if (!run->stdinWaiting || space <= 0)
        return;
    run->stdinWaiting = false;
    if (run->handlers.stdinCredit)
        run->handlers.stdinCredit(space);
}

} // namespace Sandboxio::Guest
