// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <sys/stat.h>

namespace Sandboxio::Guest {

/// Names by number from /etc/passwd or /etc/group, read anew when the file has changed. A static
/// binary cannot use the C library's own look-up: it would load shared libraries of the image.
class AccountNames
{
public:
    explicit AccountNames(const char *file)
        : m_file(file)
    {}
    /// Empty when there is none.
    std::string name(std::uint32_t number);

private:
    void reload();

    const char *m_file;
    struct stat m_loaded{};
    std::map<std::uint32_t, std::string> m_names;
};

} // namespace Sandboxio::Guest
