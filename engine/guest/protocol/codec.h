// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace Sandboxio::Guest {

/// Appends fields to a string: integers little endian, strings and lists with a u32 count.
class Writer
{
public:
    explicit Writer(std::string &out)
        : m_out(out)
    {}

    template <std::integral T>
    void field(T value)
    {
        const auto bits = static_cast<std::uint64_t>(value);
        for (std::size_t i = 0; i < sizeof(T); ++i)
            m_out.push_back(static_cast<char>((bits >> (8 * i)) & 0xff));
    }
    template <typename T>
        requires std::is_enum_v<T>
    void enumeration(const T &value, T)
    {
        field(static_cast<std::underlying_type_t<T>>(value));
    }
    void field(const std::string &value)
    {
        field(static_cast<std::uint32_t>(value.size()));
        m_out.append(value);
    }
    template <typename T>
    void field(const std::vector<T> &values)
    {
        field(static_cast<std::uint32_t>(values.size()));
        for (const T &value : values)
            field(value);
    }
    template <typename T>
        requires requires(T &t, Writer &w) { T::fields(t, w); }
    void field(const T &value)
    {
        T::fields(value, *this);
    }
    /// All that is left of the payload; the last field of a message.
    void rest(std::string_view bytes) { m_out.append(bytes); }

private:
    std::string &m_out;
};

/// Reads what Writer wrote. A short or impossible field sets failed(), and from then on every field
/// is left as it was. Lists grow as their elements are read, never by what a count claims.
class Reader
{
public:
    explicit Reader(std::string_view bytes)
        : m_bytes(bytes)
    {}

    bool failed() const { return m_failed; }
    bool atEnd() const { return !m_failed && m_bytes.empty(); }

    template <std::integral T>
    void field(T &value)
    {
        if (!has(sizeof(T)))
            return;
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i)
            bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(m_bytes[i])) << (8 * i);
        m_bytes.remove_prefix(sizeof(T));
        if constexpr (std::same_as<T, bool>) {
            m_failed = bits > 1;
            value = bits == 1;
        } else {
            value = static_cast<T>(bits);
        }
    }
    /// An enumeration whose values run from 0 to \a last.
    template <typename T>
        requires std::is_enum_v<T>
    void enumeration(T &value, T last)
    {
        std::underlying_type_t<T> number{};
        field(number);
        if (m_failed || number > static_cast<std::underlying_type_t<T>>(last)) {
            m_failed = true;
            return;
        }
        value = static_cast<T>(number);
    }
    void field(std::string &value)
    {
        std::uint32_t size = 0;
        field(size);
        if (!has(size))
            return;
        value.assign(m_bytes.substr(0, size));
        m_bytes.remove_prefix(size);
    }
    template <typename T>
    void field(std::vector<T> &values)
    {
        std::uint32_t count = 0;
        field(count);
        for (std::uint32_t i = 0; i < count && !m_failed; ++i) {
            T value{};
            field(value);
            if (!m_failed)
                values.push_back(std::move(value));
        }
    }
    template <typename T>
        requires requires(T &t, Reader &r) { T::fields(t, r); }
    void field(T &value)
    {
        T::fields(value, *this);
    }
    void rest(std::string_view &bytes)
    {
        if (m_failed)
            return;
        bytes = m_bytes;
        m_bytes = {};
    }

private:
    bool has(std::size_t size)
    {
        if (m_bytes.size() < size)
            m_failed = true;
        return !m_failed;
    }

    std::string_view m_bytes;
    bool m_failed = false;
};

} // namespace Sandboxio::Guest
