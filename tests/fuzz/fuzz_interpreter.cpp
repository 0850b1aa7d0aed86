// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

// What a persistent interpreter says, whole and in pieces: the same messages.

#include <sandboxio/guest/client/interpreterdecoder.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

using namespace Sandboxio::Guest;

namespace {

struct Heard
{
    QList<InterpreterMessage> messages;
    QString failure;
    bool operator==(const Heard &) const = default;
};

Heard decodeAll(QByteArrayView bytes, qsizetype piece)
{
    Heard heard;
    InterpreterDecoder decoder;
    while (!bytes.isEmpty()) {
        const qsizetype size = std::min(piece, bytes.size());
        decoder.append(bytes.first(size));
        bytes = bytes.sliced(size);
        while (true) {
            const InterpreterDecoder::Result message = decoder.next();
            if (!message) {
                heard.failure = message.error();
                return heard;
            }
            if (!*message)
                break;
            if ((*message)->text.size() > largestInterpreterMessage || (*message)->code > 255)
                std::abort();
            richOutputOf((*message)->text);
            heard.messages.append(**message);
        }
    }
    return heard;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    const QByteArrayView input(data + 1, static_cast<qsizetype>(size - 1));
    if (decodeAll(input, input.size() + 1) != decodeAll(input, 1 + (data[0] & 15)))
        std::abort();
    richOutputOf(input.toByteArray());
    return 0;
}
