// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "client.h"

#include <QPointer>

#include <array>
#include <map>

namespace Sandboxio::Guest {

/*! One run as the client knows it. */
struct RunState
{
    struct Output
    {
        quint64 received = 0;
        quint64 outstanding = 0;   //!< received and not given back to the guest
        quint64 pendingCredit = 0; //!< given back by the consumer, not yet to the guest
        bool eof = false;
    };

    RunHandlers handlers;
    std::array<Output, 3> outputs; //!< Stdout, Stderr, Control
    bool control = false;          //!< it has a control stream
    bool attachment = false;       //!< to a kept run
    /*! Null for a stream that the run has not. */
    Output *output(StreamId stream);
    qint64 stdinSpace = stdinWindow;
    bool stdinWaiting = false; //!< writeStdin() took less than given
    bool stdinClosed = false;
    bool spawned = false;
    bool exited = false;
    std::vector<Reply<void>> killReplies;
};

/*! A request that waits for its answer. */
struct PendingRequest
{
    FrameType expected = FrameType::Done;
    std::function<bool(std::string_view payload)> value; //!< false: the payload is malformed
    std::function<void(FileError)> error;
};

class ClientPrivate
{
public:
    ClientPrivate(Client *client, Transport way, ClientHandlers clientHandlers)
        : q(client)
        , transport(std::move(way))
        , handlers(std::move(clientHandlers))
    {}

    template <typename Message>
    void send(quint32 channel, const Message &message)
    {
        sendFrame(encode(channel, message));
    }
    void sendFrame(const std::string &frame);
    /*! Sends \a message; the answer of type Answer becomes the value by \a convert. */
    template <typename Answer, typename T, typename Message, typename Convert>
    void request(const Message &message, Reply<T> reply, Convert convert);
    template <typename Answer, typename Message>
    void request(const Message &message, Reply<Answer> reply);
    template <typename Message>
    void request(const Message &message, Reply<void> reply);
    void requestPage(std::string frame, quint32 id, std::function<void(std::vector<FileInfo>)> page,
                     Reply<void> reply);
    void submit(quint32 id, const std::string &frame, PendingRequest pending);
    /*! Adds \a run and sends the frame that begins it, or fails it later. */
    void begin(RunId id, std::shared_ptr<RunState> run, const std::string &frame);

    std::shared_ptr<RunState> findRun(RunId run) const;
    qint64 transportRoom() const;
    void offerStdin(const std::shared_ptr<RunState> &run);

    /*! False when the frame breaks the protocol. The client may be gone afterwards. */
    bool dispatch(const Frame &frame);
    /*! Fails everything pending; with a reason tells `failed` as well. */
    void end(const QString &reason);

    Client *const q;
    Transport transport;
    ClientHandlers handlers;
    FrameDecoder decoder;
    std::optional<HelloReply> hello;
    bool usable = true;
    std::map<RunId, std::shared_ptr<RunState>> runs;
    RunId lastRun = 0;
    std::map<quint32, PendingRequest> requests;
    quint32 lastRequest = 0;
    QString peerReason; //!< what a Fatal frame said

private:
    bool dispatchRun(const Frame &frame);
    bool dispatchStart(const Frame &frame, const std::shared_ptr<RunState> &run);
    bool dispatchOutput(const Frame &frame, const std::shared_ptr<RunState> &run);
    bool dispatchLoss(const Frame &frame, const std::shared_ptr<RunState> &run);
    bool dispatchEof(const Frame &frame, const std::shared_ptr<RunState> &run);
    bool dispatchEnd(const Frame &frame, const std::shared_ptr<RunState> &run);
    bool dispatchReply(const Frame &frame);
    bool greeted(const Frame &frame);
};

template <typename Answer, typename T, typename Message, typename Convert>
void ClientPrivate::request(const Message &message, Reply<T> reply, Convert convert)
{
    const quint32 id = ++lastRequest;
    PendingRequest pending;
    pending.expected = Answer::type;
    pending.value = [reply, convert](std::string_view payload) {
        auto answer = decode<Answer>(payload);
        if (answer && reply)
            convert(reply, std::move(*answer));
        return answer.has_value();
    };
    pending.error = [reply](FileError error) {
        if (reply)
            reply(std::unexpected(error));
    };
    submit(id, encode(id, message), std::move(pending));
}

template <typename Answer, typename Message>
void ClientPrivate::request(const Message &message, Reply<Answer> reply)
{
    request<Answer>(message, std::move(reply),
                    [](const Reply<Answer> &to, Answer answer) { to(std::move(answer)); });
}

template <typename Message>
void ClientPrivate::request(const Message &message, Reply<void> reply)
{
    request<Done>(message, std::move(reply), [](const Reply<void> &to, Done) { to({}); });
}

} // namespace Sandboxio::Guest
