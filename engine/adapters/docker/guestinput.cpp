// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestinput.h"

#include "fileerror.h"
#include "texts.h"

#include <cerrno>
#include <utility>

namespace Sandboxio::Docker {

namespace {

ErrorInfo nobodyReads()
{
    return fileError(EPIPE, Text::tr("write to"), Text::tr("standard input"));
}

} // namespace

void GuestInput::add(std::optional<QByteArray> data)
{
    m_pieces.push_back({.data = std::move(data), .written = 0, .promise = {}});
}

Operation<void> GuestInput::enqueue(std::optional<QByteArray> data)
{
    if (m_closed)
        return data ? failedOperation<void>(nobodyReads()) : finishedOperation();
    const OperationPromise<void> promise;
    m_pieces.push_back({.data = std::move(data), .written = 0, .promise = promise});
    const Operation<void> operation = promise.operation();
    pump();
    return operation;
}

void GuestInput::open(Guest::Client *client, Guest::RunId run)
{
    m_client = client;
    m_run = run;
    pump();
}

void GuestInput::pump()
{
    while (m_client && !m_pieces.empty() && !m_closed) {
        Piece &next = m_pieces.front();
        if (next.data) {
            next.written += m_client->writeStdin(m_run, QByteArrayView(*next.data).sliced(next.written));
            if (next.written < next.data->size())
                return;
        } else {
            m_client->closeStdin(m_run);
        }
        if (next.promise)
            next.promise->finish();
        m_pieces.pop_front();
    }
}

void GuestInput::close()
{
    m_closed = true;
    for (const Piece &waiting : std::exchange(m_pieces, {})) {
        if (waiting.promise && waiting.data)
            waiting.promise->fail(nobodyReads());
        else if (waiting.promise)
            waiting.promise->finish();
    }
}

} // namespace Sandboxio::Docker
