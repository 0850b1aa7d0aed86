// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

// What the guest's helper reads from the network and from files of the image: answers of name servers, resolv.conf,
// hosts.

#include "helper/dns.h"

#include <cstdint>
#include <cstdlib>

using namespace Sandboxio::Guest;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const std::string_view input(reinterpret_cast<const char *>(data), size);
    const auto id = static_cast<std::uint16_t>(data[0] << 8 | data[1]); // the reply's own
    std::string address;
    const DnsAnswer answer = parseDnsReply(input, id, address);
    if ((answer == DnsAnswer::Address) == address.empty())
        std::abort();
    for (const std::string &server : parseResolverFile(input)) {
        if (server.empty() || server.size() > input.size())
            std::abort();
    }
    const std::size_t half = size / 2;
    const std::string found = findInHostsFile(input.substr(half), input.substr(0, half));
    if (found.size() > size)
        std::abort();
    const std::string query = dnsQuery(input, id);
    if (query.size() > input.size() + 64)
        std::abort();
    return 0;
}
