// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "handover.h"
#include "server.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

using namespace Sandboxio::Guest;

namespace {

constexpr const char *defaultSocket = "sandboxio-guest";
constexpr const char *usage =
    "usage: sandboxio-guest serve --lifetime-ms N [--uid U] [--gid G] [--workdir DIR] [--socket NAME]\n"
    "       sandboxio-guest relay [--socket NAME]\n"
    "       sandboxio-guest stream TOKEN [--socket NAME]\n";

int fail()
{
    std::fputs(usage, stderr);
    return CannotServe;
}

bool parseNumber(const char *text, std::uint64_t &number)
{
    char *end = nullptr;
    errno = 0;
    number = std::strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *text != '-';
}

bool parseId(const char *text, std::int64_t &id)
{
    std::uint64_t number = 0;
    if (!parseNumber(text, number) || number >= 0xffffffff)
        return false;
    id = std::int64_t(number);
    return true;
}

bool parseOption(std::string_view name, const char *value, ServeOptions &options)
{
    if (name == "--lifetime-ms")
        return parseNumber(value, options.lifetimeMs);
    if (name == "--uid")
        return parseId(value, options.uid);
    if (name == "--gid")
        return parseId(value, options.gid);
    if (name == "--workdir")
        options.workingDirectory = value;
    else if (name == "--socket")
        options.socketName = value;
    else
        return false;
    return true;
}

} // namespace

int main(int argc, char **argv)
{
    const std::string_view mode = argc > 1 ? argv[1] : "";
    const bool stream = mode == "stream";
    const int firstOption = stream ? 3 : 2;
    if (argc < firstOption || (mode != "serve" && mode != "relay" && !stream))
        return fail();
    ServeOptions options;
    for (int i = firstOption; i < argc; i += 2) {
        if (i + 1 == argc || !parseOption(argv[i], argv[i + 1], options))
            return fail();
    }
    // Somebody inside could have taken the well-known name first; one of our own is the caller's care.
    const bool checkPeerIsInit = options.socketName.empty();
    if (options.socketName.empty())
        options.socketName = defaultSocket;
    if (mode == "serve")
        return options.lifetimeMs > 0 ? Server(options).serve() : fail();
    return handOver(options.socketName, stream ? argv[2] : "", checkPeerIsInit);
}
