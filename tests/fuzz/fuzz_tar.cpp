// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

// Reads arbitrary bytes as a tar archive: within the limits, and what was read can be written and read again.

#include <sandboxio/transport/tararchive.h>

#include <cstdint>
#include <cstdlib>

using namespace Sandboxio;

namespace {

constexpr TarLimits limits{.entries = 20, .bytes = 64 * 1024};

// The parts that the format keeps for every kind of entry.
bool isSame(const TarEntry &a, const TarEntry &b)
{
    return a.type == b.type && a.data == b.data && a.mode == b.mode;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const QByteArray archive(reinterpret_cast<const char *>(data), static_cast<qsizetype>(size));
    const auto entries = tarEntries(archive, limits);
    if (!entries)
        return entries.error().text.isEmpty() ? (std::abort(), 0) : 0;
    qint64 bytes = 0;
    for (const TarEntry &entry : *entries)
        bytes += entry.data.size();
    if (bytes > limits.bytes || entries->size() > limits.entries)
        std::abort();
    const auto written = tarOf(*entries);
    if (!written)
        return 0; // devices, names with nothing in them
    const auto again = tarEntries(*written, limits);
    if (!again || again->size() != entries->size())
        std::abort();
    for (qsizetype i = 0; i < entries->size(); ++i) {
        if (!isSame(entries->at(i), again->at(i)))
            std::abort();
    }
    return 0;
}
