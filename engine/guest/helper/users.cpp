// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "users.h"

#include "uniquefd.h"

#include <array>
#include <cstdlib>
#include <string_view>

namespace Sandboxio::Guest {

namespace {

constexpr std::size_t maximumFile = 1 << 20;

std::string readSmallFile(const char *path)
{
    std::string text;
    const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    std::array<char, 8192> bytes;
    ssize_t count = 0;
    while (file && text.size() < maximumFile && (count = ::read(file.get(), bytes.data(), bytes.size())) > 0)
        text.append(bytes.data(), std::size_t(count));
    return text;
}

} // namespace

std::string AccountNames::name(std::uint32_t number)
{
    reload();
    const auto found = m_names.find(number);
    return found == m_names.end() ? std::string() : found->second;
}

void AccountNames::reload()
{
    struct stat now{};
    if (::stat(m_file, &now) != 0 || !S_ISREG(now.st_mode)) {
        m_names.clear();
        m_loaded = {};
        return;
    }
    if (now.st_ino == m_loaded.st_ino && now.st_size == m_loaded.st_size &&
        now.st_mtim.tv_sec == m_loaded.st_mtim.tv_sec && now.st_mtim.tv_nsec == m_loaded.st_mtim.tv_nsec)
        return;
    m_loaded = now;
    m_names.clear();
    const std::string text = readSmallFile(m_file);
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        // name:password:number:…
        const std::size_t first = line.find(':');
        const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
        if (second == line.npos || first == 0)
            continue;
        char *end = nullptr;
        const char *digits = line.data() + second + 1;
        const unsigned long number = std::strtoul(digits, &end, 10);
        if (end != digits)
            m_names.emplace(std::uint32_t(number), line.substr(0, first));
    }
}

} // namespace Sandboxio::Guest
