// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

// Feeds the HTTP decoders with arbitrary bytes, whole and in pieces, and demands the same outcome for both.

#include <cstdint>
#include <cstdlib>
#include <optional>

#include <sandboxio/transport/httpresponsedecoder.h>
#include <sandboxio/transport/linesplitter.h>

using namespace Sandboxio;

namespace {

struct Outcome
{
    QByteArray body;
    QByteArray rest;
    int status = 0;
    bool ended = false;
    bool completeAtClose = false;
    std::optional<DecodeError::Kind> error;

    bool operator==(const Outcome &) const = default;
};

/// True where the decoder wants more.
bool feed(HttpResponseDecoder &decoder, QByteArrayView input, Outcome &outcome)
{
    using Kind = HttpResponseDecoder::Step::Kind;
    while (true) {
        const auto step = decoder.decode(input);
        if (!step) {
            outcome.error = step.error().kind;
            return false;
        }
        if (step->consumed > input.size())
            std::abort();
        input = input.sliced(step->consumed);
        outcome.body += step->body;
        if (step->kind == Kind::NeedMore) {
            if (!input.isEmpty())
                std::abort();
            return true;
        }
        if (step->kind == Kind::Head)
            outcome.status = decoder.head().status;
        if (step->kind == Kind::End || step->kind == Kind::Upgraded) {
            outcome.ended = true;
            outcome.rest += input;
            return false;
        }
    }
}

/// Decodes @p input in pieces of 1 to @p longest bytes, whose sizes follow from @p seed; whole where it is 0.
Outcome decode(QByteArrayView input, QByteArrayView method, bool upgrade, quint32 seed, qsizetype longest)
{
    HttpResponseDecoder decoder(method, upgrade);
    Outcome outcome;
    while (!input.isEmpty()) {
        seed = seed * 1664525 + 1013904223;
        const qsizetype wanted = longest == 0 ? input.size() : 1 + static_cast<qsizetype>(seed >> 8) % longest;
        const QByteArrayView piece = input.first(std::min(input.size(), wanted));
        input = input.sliced(piece.size());
        if (!feed(decoder, piece, outcome)) {
            if (!outcome.error)
                outcome.rest += input;
            break;
        }
    }
    if (!outcome.error)
        outcome.completeAtClose = decoder.finish().has_value();
    return outcome;
}

QList<QByteArray> lines(QByteArrayView input, qsizetype pieceSize)
{
    LineSplitter splitter(64);
    QList<QByteArray> found;
    while (!input.isEmpty()) {
        const QByteArrayView piece = input.first(std::min(input.size(), pieceSize));
        input = input.sliced(piece.size());
        splitter.feed(piece);
        while (true) {
            const auto line = splitter.next();
            if (!line)
                return found;
            if (!*line)
                break;
            found.append(**line);
        }
    }
    return found;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const QByteArrayView input(data + 2, static_cast<qsizetype>(size - 2));
    const QByteArrayView method = data[0] & 1 ? "HEAD" : "GET";
    const bool upgrade = data[0] & 2;
    const Outcome whole = decode(input, method, upgrade, 0, 0);
    if (decode(input, method, upgrade, data[1], 1) != whole ||
        decode(input, method, upgrade, data[1], 9) != whole)
        std::abort();
    if (lines(input, input.size() + 1) != lines(input, 3))
        std::abort();
    return 0;
}
