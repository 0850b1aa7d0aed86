// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

// Feeds the tar decoder with arbitrary bytes, whole and in pieces, and demands the same outcome for both. Checksums are
// made right first, or hardly anything would get past a header.

#include <sandboxio/transport/tardecoder.h>

#include <cstdint>
#include <cstdlib>
#include <optional>

using namespace Sandboxio;

namespace {

struct Outcome
{
    QList<TarHeader> headers;
    QByteArray content;
    bool ended = false;
    std::optional<DecodeError::Kind> error;

    bool operator==(const Outcome &) const = default;
};

void feed(TarDecoder &decoder, QByteArrayView input, Outcome &outcome)
{
    using Kind = TarDecoder::Step::Kind;
    while (!outcome.error && !outcome.ended) {
        const auto step = decoder.decode(input);
        if (!step) {
            outcome.error = step.error().kind;
            return;
        }
        if (step->consumed > input.size())
            std::abort();
        input = input.sliced(step->consumed);
        outcome.content += step->data;
        if (step->kind == Kind::Entry)
            outcome.headers.append(decoder.header());
        outcome.ended = step->kind == Kind::End;
        if (step->kind == Kind::NeedMore) {
            if (!input.isEmpty())
                std::abort();
            return;
        }
    }
}

Outcome decode(QByteArrayView input, qsizetype pieceSize)
{
    TarDecoder decoder;
    Outcome outcome;
    while (!input.isEmpty() && !outcome.error && !outcome.ended) {
        const QByteArrayView piece = input.first(std::min(input.size(), pieceSize));
        input = input.sliced(piece.size());
        feed(decoder, piece, outcome);
    }
    if (!outcome.error && decoder.finish().has_value() != outcome.ended)
        std::abort();
    return outcome;
}

void mendChecksums(QByteArray &archive)
{
    constexpr qsizetype blockSize = 512;
    constexpr qsizetype sumOffset = 148;
    for (qsizetype start = 0; start + blockSize <= archive.size(); start += blockSize) {
        if (archive.at(start + sumOffset) != '0')
            continue;
        archive.replace(start + sumOffset, 8, "        ");
        int sum = 0;
        for (const char byte : archive.sliced(start, blockSize))
            sum += static_cast<unsigned char>(byte);
        archive.replace(start + sumOffset, 8,
                        QByteArray::number(sum, 8).rightJustified(6, '0') + QByteArray("\0 ", 2));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    QByteArray archive(reinterpret_cast<const char *>(data), static_cast<qsizetype>(size));
    mendChecksums(archive);
    const Outcome whole = decode(archive, archive.size() + 1);
    if (decode(archive, 1) != whole || decode(archive, 700) != whole)
        std::abort();
    return 0;
}
