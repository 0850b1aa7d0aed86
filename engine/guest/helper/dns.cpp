// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dns.h"

#include <algorithm>
#include <arpa/inet.h>
#include <optional>

namespace Sandboxio::Guest {

namespace {

constexpr std::size_t headerSize = 12;
constexpr std::size_t maximumLabel = 63;
constexpr std::uint16_t typeA = 1;
constexpr std::uint16_t classInternet = 1;

void append16(std::string &out, std::uint16_t value)
{
    out.push_back(char(value >> 8));
    out.push_back(char(value & 0xff));
}

/// 0 beyond the end; the callers check the length of what they read.
std::uint16_t read16(std::string_view text, std::size_t at)
{
    if (at + 2 > text.size())
        return 0;
    return std::uint16_t((static_cast<unsigned char>(text[at]) << 8) |
                         static_cast<unsigned char>(text[at + 1]));
}

/// The position behind the name at \a at, or nothing.
std::optional<std::size_t> skipName(std::string_view reply, std::size_t at)
{
    while (at < reply.size()) {
        const auto length = static_cast<unsigned char>(reply[at]);
        if (length >= 0xc0)
            return at + 2;
        at += 1 + std::size_t{length};
        if (length == 0)
            return at;
    }
    return std::nullopt;
}

std::vector<std::string_view> words(std::string_view line)
{
    std::vector<std::string_view> result;
    line = line.substr(0, line.find_first_of("#;"));
    while (true) {
        const std::size_t begin = line.find_first_not_of(" \t\r");
        if (begin == line.npos)
            return result;
        line.remove_prefix(begin);
        const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
        result.push_back(word);
        line.remove_prefix(word.size());
    }
}

std::string_view takeLine(std::string_view &text)
{
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
}

} // namespace

std::string dnsQuery(std::string_view host, std::uint16_t id)
{
    std::string query;
    append16(query, id);
    append16(query, 0x0100); // recursion desired
    append16(query, 1);
    query.append(6, '\0');
    if (!host.empty() && host.back() == '.')
        host.remove_suffix(1);
    if (host.empty() || host.size() > 253)
        return {};
    while (true) {
        const std::string_view label = host.substr(0, host.find('.'));
        if (label.empty() || label.size() > maximumLabel)
            return {};
        query.push_back(char(label.size()));
        query.append(label);
        if (label.size() == host.size())
            break;
        host.remove_prefix(label.size() + 1);
    }
    query.push_back('\0');
    append16(query, typeA);
    append16(query, classInternet);
    return query;
}

DnsAnswer parseDnsReply(std::string_view reply, std::uint16_t id, std::string &address)
{
    if (reply.size() < headerSize || read16(reply, 0) != id || !(reply[2] & 0x80))
        return DnsAnswer::Malformed;
    const int code = reply[3] & 0x0f;
    if (code == 3)
        return DnsAnswer::NoSuchName;
    if (code != 0)
        return DnsAnswer::Malformed;
    std::optional<std::size_t> at = headerSize;
    for (int i = read16(reply, 4); i > 0 && at; --i) {
        at = skipName(reply, *at);
        if (at)
            *at += 4;
    }
    for (int i = read16(reply, 6); i > 0 && at; --i) {
        at = skipName(reply, *at);
        if (!at || *at + 10 > reply.size())
            return DnsAnswer::Malformed;
        const std::uint16_t type = read16(reply, *at);
        const std::uint16_t size = read16(reply, *at + 8);
        const std::size_t data = *at + 10;
        if (data + size > reply.size())
            return DnsAnswer::Malformed;
        char text[INET_ADDRSTRLEN];
        if (type == typeA && size == 4 && ::inet_ntop(AF_INET, reply.data() + data, text, sizeof text)) {
            address = text;
            return DnsAnswer::Address;
        }
        at = data + size;
    }
    return at ? DnsAnswer::NoSuchName : DnsAnswer::Malformed;
}

std::vector<std::string> parseResolverFile(std::string_view text)
{
    std::vector<std::string> servers;
    while (!text.empty()) {
        const std::vector<std::string_view> line = words(takeLine(text));
        if (line.size() >= 2 && line[0] == "nameserver")
            servers.emplace_back(line[1]);
    }
    return servers;
}

std::string findInHostsFile(std::string_view text, std::string_view host)
{
    while (!text.empty()) {
        const std::vector<std::string_view> line = words(takeLine(text));
        if (line.size() >= 2 && std::find(line.begin() + 1, line.end(), host) != line.end())
            return std::string(line[0]);
    }
    return {};
}

} // namespace Sandboxio::Guest
