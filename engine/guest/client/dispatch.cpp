// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "client_p.h"

namespace Sandboxio::Guest {

bool ClientPrivate::dispatch(const Frame &frame)
{
    switch (frame.type) {
    case FrameType::HelloReply:
        return greeted(frame);
    case FrameType::Fatal:
        if (const auto fatal = decode<Fatal>(frame.payload))
            peerReason = Client::tr("the guest refused: %1").arg(QString::fromStdString(fatal->reason));
        return false;
    case FrameType::Spawned:
    case FrameType::SpawnFailed:
    case FrameType::Output:
    case FrameType::StreamEof:
    case FrameType::Exited:
    case FrameType::StdinCredit:
    case FrameType::TreeKilled:
    case FrameType::Attached:
    case FrameType::OutputLost:
        return hello && dispatchRun(frame);
    default:
        return hello && dispatchReply(frame);
    }
}

bool ClientPrivate::greeted(const Frame &frame)
{
    const auto reply = decode<HelloReply>(frame.payload);
    if (!reply || hello)
        return false;
    if (reply->version != protocolVersion) {
        peerReason = Client::tr("the guest speaks version %1 of the protocol, this program version %2")
                         .arg(reply->version)
                         .arg(protocolVersion);
        return false;
    }
    hello = reply;
    if (const auto ready = handlers.ready)
        ready(*reply);
    return true;
}

bool ClientPrivate::dispatchRun(const Frame &frame)
{
    if (frame.channel == 0 || frame.channel > lastRun)
        return false;
    const std::shared_ptr<RunState> run = findRun(frame.channel);
    if (!run) // released while the frame was on its way
        return true;
    switch (frame.type) {
    case FrameType::Spawned:
    case FrameType::Attached:
        return dispatchStart(frame, run);
    case FrameType::OutputLost:
        return dispatchLoss(frame, run);
    case FrameType::Output:
        return dispatchOutput(frame, run);
    case FrameType::StreamEof:
        return dispatchEof(frame, run);
    case FrameType::StdinCredit: {
        const auto message = decode<StdinCredit>(frame.payload);
        if (!message || run->stdinSpace + qint64{message->bytes} > qint64(stdinWindow))
            return false;
        run->stdinSpace += message->bytes;
        offerStdin(run);
        return true;
    }
    default:
        return dispatchEnd(frame, run);
    }
}

bool ClientPrivate::dispatchStart(const Frame &frame, const std::shared_ptr<RunState> &run)
{
    const bool isAttached = frame.type == FrameType::Attached;
    if (isAttached != run->attachment || std::exchange(run->spawned, true))
        return false;
    if (!isAttached) {
        const auto message = decode<Spawned>(frame.payload);
        if (message && run->handlers.spawned)
            run->handlers.spawned(message->pid);
        return message.has_value();
    }
    const auto message = decode<Attached>(frame.payload);
    if (!message)
        return false;
    run->stdinClosed = !message->input;
    if (run->handlers.attached)
        run->handlers.attached(*message);
    return true;
}

bool ClientPrivate::dispatchLoss(const Frame &frame, const std::shared_ptr<RunState> &run)
{
    const auto message = decode<OutputLost>(frame.payload);
    RunState::Output *output = message && run->attachment ? run->output(message->stream) : nullptr;
    if (!output || output->eof || message->bytes == 0 || message->bytes > quint64(INT64_MAX) - output->received)
        return false;
    output->received += message->bytes;
    if (run->handlers.outputLost)
        run->handlers.outputLost(message->stream, message->bytes);
    return true;
}

bool ClientPrivate::dispatchOutput(const Frame &frame, const std::shared_ptr<RunState> &run)
{
    const auto message = decode<Output>(frame.payload);
    RunState::Output *found = message ? run->output(message->stream) : nullptr;
    if (!found)
        return false;
    RunState::Output &output = *found;
    const quint64 size = message->data.size();
    if (output.eof || message->offset != output.received || output.outstanding + size > outputWindow)
        return false;
    output.received += size;
    output.outstanding += size;
    if (run->handlers.output)
        run->handlers.output(message->stream, message->offset, QByteArray(QByteArrayView(message->data)));
    return true;
}

bool ClientPrivate::dispatchEof(const Frame &frame, const std::shared_ptr<RunState> &run)
{
    const auto message = decode<StreamEof>(frame.payload);
    const bool isInput = message && message->stream == StreamId::Stdin;
    RunState::Output *output = message && !isInput ? run->output(message->stream) : nullptr;
    if (!isInput && !output)
        return false;
    if (std::exchange(isInput ? run->stdinClosed : output->eof, true))
        return false;
    if (run->handlers.eof)
        run->handlers.eof(message->stream);
    return true;
}

bool ClientPrivate::dispatchEnd(const Frame &frame, const std::shared_ptr<RunState> &run)
{
    if (frame.type == FrameType::SpawnFailed) {
        const auto message = decode<SpawnFailed>(frame.payload);
        if (!message || run->spawned)
            return false;
        runs.erase(frame.channel);
        const QPointer<Client> self(q);
        if (run->handlers.failed)
            run->handlers.failed(message->errorNumber, message->stage);
        for (const Reply<void> &reply : std::exchange(run->killReplies, {})) {
            if (self && reply)
                reply({});
        }
        return true;
    }
    if (frame.type == FrameType::Exited) {
        const auto status = decode<ExitStatus>(frame.payload);
        if (!status || !run->spawned || std::exchange(run->exited, true))
            return false;
        if (run->handlers.exited)
            run->handlers.exited(*status);
        return true;
    }
    if (!decode<TreeKilled>(frame.payload) || run->killReplies.empty())
        return false;
    const Reply<void> reply = std::move(run->killReplies.front());
    run->killReplies.erase(run->killReplies.begin());
    if (reply)
        reply({});
    return true;
}

bool ClientPrivate::dispatchReply(const Frame &frame)
{
    const auto node = requests.extract(frame.channel);
    if (!node)
        return false;
    const PendingRequest &request = node.mapped();
    if (frame.type == FrameType::Error) {
        const auto message = decode<Error>(frame.payload);
        if (message)
            request.error(FileError{message->errorNumber, false});
        else
            requests.emplace(frame.channel, std::move(node.mapped()));
        return message.has_value();
    }
    if (frame.type == request.expected && request.value(frame.payload))
        return true;
    requests.emplace(frame.channel, std::move(node.mapped())); // to fail with all the others
    return false;
}

void ClientPrivate::end(const QString &reason)
{
    if (!std::exchange(usable, false))
        return;
    const QPointer<Client> self(q);
    const auto lostRuns = std::exchange(runs, {});
    const auto lostRequests = std::exchange(requests, {});
    const auto failed = handlers.failed;
    const FileError lost{0, true};
    for (const auto &[id, run] : lostRuns) {
        for (const Reply<void> &reply : run->killReplies) {
            if (self && reply)
                reply(std::unexpected(lost));
        }
        if (self && run->handlers.lost)
            run->handlers.lost();
    }
    for (const auto &[id, request] : lostRequests) {
        if (self)
            request.error(lost);
    }
    if (self && !reason.isEmpty() && failed)
        failed(reason);
}

} // namespace Sandboxio::Guest
