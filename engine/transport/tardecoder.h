// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <expected>
#include <optional>

#include <QByteArray>
#include <QByteArrayView>

#include <sandboxio/core/export.h>

#include "tararchive.h"
#include "transporterror.h"

namespace Sandboxio {

/// What stands before the content of one entry of a tar archive. Names are bytes and are never resolved on this host.
struct TarHeader
{
    QByteArray path = {};
    TarEntry::Type type = TarEntry::Type::File;
    qint64 size = 0; ///< Bytes of content that follow; more than 0 for files alone.
    int mode = 0;    ///< Permission bits, suid, sgid and sticky included.
    qint64 userId = 0;
    qint64 groupId = 0;
    QByteArray userName = {};   ///< Empty where the archive has none.
    qint64 modifiedSeconds = 0; ///< Since 1970 in UTC; what the archive knows more precisely is cut off.
    QByteArray linkTarget = {}; ///< For links.

    bool operator==(const TarHeader &) const = default;
};

/// Takes an uncompressed tar archive (ustar, pax, GNU, v7) apart while it arrives. Pure. Memory is bounded: content is
/// handed through as views, and of everything else that the archive chooses, at most maximumExtension is held.
///
/// libarchive, which tarEntries() uses, asks for its input and waits for it, so a stream that is pushed would need a
/// thread of its own. Refused, as nobody who streams to us writes them: sparse files, multi-volume archives.
///
/// @code
/// for (QByteArrayView rest = bytes;;) {
///     const auto step = decoder.decode(rest);
///     if (!step) return step.error();
///     rest = rest.sliced(step->consumed);
///     if (step->kind == TarDecoder::Step::Kind::NeedMore) break;
///     …
/// }
/// @endcode
class SANDBOXIO_CORE_EXPORT TarDecoder
{
public:
    /// Longest extended header, in which long names and attributes stand.
    static constexpr qint64 maximumExtension = 1024 * 1024;

    struct Step
    {
        enum class Kind {
            NeedMore, ///< All input was consumed.
            Entry,    ///< header() is that of the next entry.
            Data,     ///< @c data is the next part of its content.
            End,      ///< The archive is complete; what follows is padding.
        };

        Kind kind = Kind::NeedMore;
        qsizetype consumed = 0;
        QByteArrayView data = {}; ///< A view into the input of decode().
    };

    /// Decodes one step from the start of @p input; call again with the rest until NeedMore or End. Errors: Malformed,
    /// TooLarge; nothing may be fed after one.
    std::expected<Step, DecodeError> decode(QByteArrayView input);
    /// The input has ended. Errors: Truncated, also where only the mark at the archive's end is missing: what was cut
    /// off there is not known.
    std::expected<void, DecodeError> finish() const;

    /// Valid from its Entry on, until the next.
    const TarHeader &header() const { return m_header; }

private:
    enum class State { Header, Extension, Content, Padding, End };

    /// What extended headers say about an entry instead of its own.
    struct Overrides
    {
        std::optional<QByteArray> path = {};
        std::optional<QByteArray> linkTarget = {};
        std::optional<QByteArray> userName = {};
        std::optional<qint64> size = {};
        std::optional<qint64> userId = {};
        std::optional<qint64> groupId = {};
        std::optional<qint64> modifiedSeconds = {};
    };

    std::expected<Step, DecodeError> decodeHeader(QByteArrayView input);
    std::expected<Step, DecodeError> readBlock();
    std::expected<Step, DecodeError> beginExtension(char type, qint64 size);
    std::expected<Step, DecodeError> decodeExtension(QByteArrayView input);
    std::expected<void, DecodeError> applyExtension();
    static std::expected<void, DecodeError> applyRecords(QByteArrayView records, Overrides &overrides);
    static bool applyRecord(QByteArrayView name, QByteArrayView value, Overrides &overrides);
    void applyOverrides(const Overrides &overrides);
    Step decodeContent(QByteArrayView input);
    Step skipPadding(QByteArrayView input);
    void beginContent(qint64 size);

    State m_state = State::Header;
    QByteArray m_collected; // of a header or an extension that is not complete
    char m_extensionType = 0;
    qint64 m_left = 0;
    qint64 m_padding = 0;
    Overrides m_global;
    Overrides m_next;
    TarHeader m_header;
};

} // namespace Sandboxio
