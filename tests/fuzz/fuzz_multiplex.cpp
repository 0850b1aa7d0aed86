// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

// Feeds the decoder of Docker's multiplexed streams with arbitrary bytes, whole and in pieces, and demands the same
// outcome for both.

#include "docker/multiplexdecoder.h"

#include <QByteArray>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

using namespace Sandboxio;
using Docker::MultiplexDecoder;

namespace {

struct Outcome
{
    QByteArray streams; // each byte with the stream it belongs to
    bool failed = false;
    bool complete = false;
    bool operator==(const Outcome &) const = default;
};

Outcome decode(QByteArrayView input, qsizetype longest)
{
    MultiplexDecoder decoder;
    Outcome outcome;
    const auto receive = [&](MultiplexDecoder::Stream stream, QByteArrayView bytes) {
        if (bytes.isEmpty())
            std::abort();
        for (const char byte : bytes)
            outcome.streams.append(static_cast<char>(stream)).append(byte);
        return true;
    };
    while (!input.isEmpty() && !outcome.failed) {
        const QByteArrayView piece = input.first(std::min(input.size(), longest));
        input = input.sliced(piece.size());
        outcome.failed = decoder.feed(piece, receive).has_value();
    }
    outcome.complete = !decoder.end();
    if (outcome.failed && outcome.complete)
        std::abort();
    return outcome;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const QByteArrayView input(data + 1, static_cast<qsizetype>(size - 1));
    const Outcome whole = decode(input, input.size());
    if (decode(input, 1) != whole || decode(input, 1 + data[0] % 17) != whole)
        std::abort();
    return 0;
}
