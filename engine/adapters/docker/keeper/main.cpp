// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "keeper.h"

#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

using namespace Sandboxio::Keeper;

namespace {

int fail(const std::string &reason)
{
    std::fprintf(stderr, "sandboxio-keeper: %s\n", reason.c_str());
    return 1;
}

bool isId(std::string_view text)
{
    if (text.empty())
        return false;
    for (const char letter : text) {
        if (!std::isalnum(static_cast<unsigned char>(letter)))
            return false;
    }
    return true;
}

bool parse(int argc, char **argv, Options &options)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i];
        if (name == "--socket")
            options.socketPath = argv[i + 1];
        else if (name == "--container" && isId(argv[i + 1]))
            options.container = argv[i + 1];
        else if (name == "--lifetime-ms")
            options.lifetimeMs = std::strtoull(argv[i + 1], nullptr, 10);
        else if (name == "--post" && argv[i + 1][0] == '/')
            options.post = argv[i + 1];
        else
            return false;
    }
    return argc % 2 == 1 && !options.socketPath.empty() && !options.container.empty() && options.lifetimeMs > 0;
}

/// In a session of its own, without anything of the program that started us.
void detach()
{
    ::setsid();
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGPIPE, SIG_IGN);
    if (::chdir("/") != 0)
        return;
    const int null = ::open("/dev/null", O_RDWR);
    for (int fd = 0; null >= 0 && fd <= 2; ++fd)
        ::dup2(null, fd);
    if (null > 2)
        ::close(null);
}

} // namespace

/// Ends 0 when the keeper is at its post: it then lives on in the background.
int main(int argc, char **argv)
{
    ::close_range(3, ~0U, 0);
    Options options;
    if (!parse(argc, argv, options))
        return fail("usage: sandboxio-keeper --socket PATH --container ID --lifetime-ms N [--post PATH]");
    Keeper keeper(options);
    if (const std::string problem = keeper.prepare(); !problem.empty())
        return fail(problem);
    const pid_t child = ::fork();
    if (child < 0) {
        const std::string problem = std::strerror(errno);
        keeper.leavePost();
        return fail(problem);
    }
    if (child > 0)
        return 0;
    detach();
    keeper.run();
    return 0;
}
