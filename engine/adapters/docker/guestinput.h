// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>
#include <sandboxio/guest/client/client.h>

#include <QPointer>

#include <deque>

namespace Sandboxio::Docker {

/*! What a run is given as its input: in order, as fast as the guest takes it. */
class GuestInput
{
public:
    /*! Data that nobody waits for, or the end of the input when there is none. */
    void add(std::optional<QByteArray> data);
    /*! The same for somebody who waits: ends when it is on its way, with FileSystemError when nobody reads any more. */
    Operation<void> enqueue(std::optional<QByteArray> data);
    /*! From now on \a run takes it. */
    void open(Guest::Client *client, Guest::RunId run);
    /*! Sends what the guest has room for; stdinCredit says when to go on. */
    void pump();
    /*! Nobody reads any more. */
    void close();

private:
    struct Piece
    {
        std::optional<QByteArray> data;
        qint64 written = 0;
        std::optional<OperationPromise<void>> promise;
    };
    QPointer<Guest::Client> m_client;
    Guest::RunId m_run = 0;
    std::deque<Piece> m_pieces;
    bool m_closed = false;
};

} // namespace Sandboxio::Docker
