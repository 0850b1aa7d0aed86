// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace Sandboxio::Guest {

enum class DnsAnswer { Address, NoSuchName, Malformed };

/// A query for the IPv4 address of \a host, empty when the name is no host name.
std::string dnsQuery(std::string_view host, std::uint16_t id);
/// The first IPv4 address of a reply to that query.
DnsAnswer parseDnsReply(std::string_view reply, std::uint16_t id, std::string &address);
/// The IP addresses behind "nameserver", in order.
std::vector<std::string> parseResolverFile(std::string_view text);
/// The address that a hosts file gives to \a host, or nothing.
std::string findInHostsFile(std::string_view text, std::string_view host);

} // namespace Sandboxio::Guest
