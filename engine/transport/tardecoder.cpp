// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "tardecoder.h"

#include <algorithm>
#include <limits>
#include <utility>

using namespace Qt::StringLiterals;

namespace Sandboxio {

namespace {

using Step = TarDecoder::Step;

constexpr qsizetype blockSize = 512;
constexpr int permissionBits = 07777;

/// A place in a header block.
struct Field
{
    qsizetype offset;
    qsizetype length;
};
constexpr Field nameField{0, 100};
constexpr Field modeField{100, 8};
constexpr Field userIdField{108, 8};
constexpr Field groupIdField{116, 8};
constexpr Field sizeField{124, 12};
constexpr Field timeField{136, 12};
constexpr Field checksumField{148, 8};
constexpr qsizetype typeOffset = 156;
constexpr Field linkField{157, 100};
constexpr Field magicField{257, 6};
constexpr Field userNameField{265, 32};
constexpr Field prefixField{345, 155};

std::unexpected<DecodeError> malformed(const QString &text)
{
    return std::unexpected(DecodeError{DecodeError::Kind::Malformed, text});
}

QByteArrayView bytesOf(QByteArrayView block, const Field &field)
{
    return block.sliced(field.offset, field.length);
}

QByteArray textOf(QByteArrayView bytes)
{
    const qsizetype end = bytes.indexOf('\0');
    return (end < 0 ? bytes : bytes.first(end)).toByteArray();
}

/// A number as GNU writes those that do not fit: big-endian, two's complement, with the highest bit as the mark.
std::optional<qint64> binaryNumber(QByteArrayView bytes)
{
    constexpr auto byteOf = [](char c) {
        return static_cast<unsigned char>(c);
    };
    const bool isNegative = byteOf(bytes.front()) & 0x40;
    qint64 value = isNegative ? -1 : 0;
    for (qsizetype i = 0; i < bytes.size(); ++i) {
        const int byte = i == 0 ? (byteOf(bytes[0]) & 0x3f) | (isNegative ? 0xc0 : 0) : byteOf(bytes[i]);
        if (value > std::numeric_limits<qint64>::max() / 256 ||
            value < std::numeric_limits<qint64>::min() / 256)
            return std::nullopt;
        value = i == 0 && isNegative ? byte - 256 : value * 256 + byte;
    }
    return value;
}

/// Octal digits, with spaces before and spaces or NULs behind; nothing at all is 0.
std::optional<qint64> numberOf(QByteArrayView block, const Field &field)
{
    const QByteArrayView bytes = bytesOf(block, field);
    if (static_cast<unsigned char>(bytes.front()) & 0x80)
        return binaryNumber(bytes);
    const QByteArray digits = textOf(bytes).trimmed();
    if (digits.isEmpty())
        return 0;
    const auto isOctal = [](char c) {
        return c >= '0' && c <= '7';
    };
    if (!std::ranges::all_of(digits, isOctal)) // a field holds at most 12 digits: 36 bits
        return std::nullopt;
    return digits.toLongLong(nullptr, 8);
}

/// Some have written the sum of signed bytes.
bool hasItsChecksum(QByteArrayView block)
{
    qint64 ofUnsigned = 0;
    qint64 ofSigned = 0;
    for (qsizetype i = 0; i < block.size(); ++i) {
        const bool isSum = i >= checksumField.offset && i < checksumField.offset + checksumField.length;
        ofUnsigned += static_cast<unsigned char>(isSum ? ' ' : block[i]);
        ofSigned += static_cast<signed char>(isSum ? ' ' : block[i]);
    }
    const auto written = numberOf(block, checksumField);
    return written == ofUnsigned || written == ofSigned;
}

QByteArray pathOf(QByteArrayView block)
{
    QByteArray path = textOf(bytesOf(block, nameField));
    if (bytesOf(block, magicField) != QByteArrayView("ustar\0", magicField.length))
        return path; // GNU and v7 have other things in the place of the prefix
    const QByteArray prefix = textOf(bytesOf(block, prefixField));
    return prefix.isEmpty() ? path : prefix + '/' + path;
}

std::optional<TarEntry::Type> typeOf(char letter, const QByteArray &path)
{
    switch (letter) {
    case '\0':
    case '0':
    case '7': // contiguous, which no system makes a difference of
        return path.endsWith('/') ? TarEntry::Type::Directory : TarEntry::Type::File;
    case '1':
        return TarEntry::Type::HardLink;
    case '2':
        return TarEntry::Type::SymbolicLink;
    case '3':
    case '4':
    case '6':
        return TarEntry::Type::Other;
    case '5':
        return TarEntry::Type::Directory;
    default:
        return std::nullopt;
    }
}

bool isExtension(char letter)
{
    return letter == 'x' || letter == 'g' || letter == 'L' || letter == 'K';
}

qint64 paddingOf(qint64 size)
{
    return (blockSize - size % blockSize) % blockSize;
}

/// Moves the next bytes of @p input, at most @p missing, to @p collected; how many.
qsizetype collect(QByteArrayView input, qint64 missing, QByteArray &collected)
{
    const qsizetype taken = static_cast<qsizetype>(std::min<qint64>(missing, input.size()));
    collected.append(input.first(taken));
    return taken;
}

} // namespace

std::expected<Step, DecodeError> TarDecoder::decode(QByteArrayView input)
{
    qsizetype consumed = 0;
    while (true) {
        const QByteArrayView rest = input.sliced(consumed);
        std::expected<Step, DecodeError> step;
        switch (m_state) {
        case State::Header:
            step = decodeHeader(rest);
            break;
        case State::Extension:
            step = decodeExtension(rest);
            break;
        case State::Content:
            step = decodeContent(rest);
            break;
        case State::Padding:
            step = skipPadding(rest);
            break;
        case State::End:
            return Step{Step::Kind::End, input.size(), {}};
        }
        if (!step)
            return step;
        consumed += step->consumed;
        step->consumed = consumed;
        if (step->kind != Step::Kind::NeedMore || consumed == input.size())
            return step;
    }
}

std::expected<void, DecodeError> TarDecoder::finish() const
{
    if (m_state == State::End)
        return {};
    return std::unexpected(DecodeError{DecodeError::Kind::Truncated, u"The archive ends early."_s});
}

std::expected<Step, DecodeError> TarDecoder::decodeHeader(QByteArrayView input)
{
    const qsizetype taken = collect(input, blockSize - m_collected.size(), m_collected);
    if (m_collected.size() < blockSize)
        return Step{Step::Kind::NeedMore, taken, {}};
    auto step = readBlock();
    m_collected.clear();
    if (step)
        step->consumed = taken;
    return step;
}

std::expected<Step, DecodeError> TarDecoder::readBlock()
{
    const QByteArrayView block = m_collected;
    if (std::ranges::all_of(block, [](char c) { return c == '\0'; })) {
        m_state = State::End;
        return Step{Step::Kind::End, 0, {}};
    }
    const auto size = numberOf(block, sizeField);
    const auto mode = numberOf(block, modeField);
    const auto userId = numberOf(block, userIdField);
    const auto groupId = numberOf(block, groupIdField);
    const auto time = numberOf(block, timeField);
    if (!hasItsChecksum(block) || !size || *size < 0 || !mode || !userId || !groupId || !time)
        return malformed(u"A header of the archive is damaged."_s);
    const char letter = block[typeOffset];
    if (isExtension(letter))
        return beginExtension(letter, *size);
    m_header = {.path = pathOf(block),
                .size = *size,
                .mode = static_cast<int>(*mode & permissionBits),
                .userId = *userId,
                .groupId = *groupId,
                .userName = textOf(bytesOf(block, userNameField)),
                .modifiedSeconds = *time,
                .linkTarget = textOf(bytesOf(block, linkField))};
    applyOverrides(m_global);
    applyOverrides(std::exchange(m_next, {}));
    const auto type = typeOf(letter, m_header.path);
    if (!type)
        return malformed(u"An entry of the archive is of a kind that is not understood."_s);
    m_header.type = *type;
    if (m_header.type != TarEntry::Type::File) // what a size means there is not said; nobody writes content
        m_header.size = 0;
    if (m_header.type != TarEntry::Type::SymbolicLink && m_header.type != TarEntry::Type::HardLink)
        m_header.linkTarget.clear();
    beginContent(m_header.size);
    return Step{Step::Kind::Entry, 0, {}};
}

void TarDecoder::beginContent(qint64 size)
{
    m_left = size;
    m_padding = paddingOf(size);
    m_state = State::Content;
}

std::expected<Step, DecodeError> TarDecoder::beginExtension(char type, qint64 size)
{
    if (size > maximumExtension)
        return std::unexpected(
            DecodeError{DecodeError::Kind::TooLarge, u"An extended header of the archive is too long."_s});
    m_extensionType = type;
    m_left = size;
    m_padding = paddingOf(size);
    m_state = State::Extension;
    return Step{};
}

std::expected<Step, DecodeError> TarDecoder::decodeExtension(QByteArrayView input)
{
    const qsizetype taken = collect(input, m_left, m_collected);
    m_left -= taken;
    if (m_left > 0)
        return Step{Step::Kind::NeedMore, taken, {}};
    if (const auto applied = applyExtension(); !applied)
        return std::unexpected(applied.error());
    m_collected.clear();
    m_state = State::Padding;
    return Step{Step::Kind::NeedMore, taken, {}};
}

std::expected<void, DecodeError> TarDecoder::applyExtension()
{
    switch (m_extensionType) {
    case 'L':
        m_next.path = textOf(m_collected);
        return {};
    case 'K':
        m_next.linkTarget = textOf(m_collected);
        return {};
    case 'g':
        return applyRecords(m_collected, m_global);
    default:
        return applyRecords(m_collected, m_next);
    }
}

/// Records are "LENGTH NAME=VALUE\n", where the length counts all of it.
std::expected<void, DecodeError> TarDecoder::applyRecords(QByteArrayView records, Overrides &overrides)
{
    while (!records.isEmpty()) {
        const qsizetype space = records.indexOf(' ');
        bool isNumber = false;
        const qlonglong length = space > 0 ? records.first(space).toLongLong(&isNumber) : 0;
        if (!isNumber || length <= space + 1 || length > records.size() || records[length - 1] != '\n')
            return malformed(u"An extended header of the archive is damaged."_s);
        const QByteArrayView record = records.sliced(space + 1, static_cast<qsizetype>(length) - space - 2);
        const qsizetype equals = record.indexOf('=');
        if (equals <= 0 || !applyRecord(record.first(equals), record.sliced(equals + 1), overrides))
            return malformed(u"A record of an extended header of the archive is not understood."_s);
        records = records.sliced(static_cast<qsizetype>(length));
    }
    return {};
}

/// False where @p value is none that @p name can have. Names that are not known change nothing here.
bool TarDecoder::applyRecord(QByteArrayView name, QByteArrayView value, Overrides &overrides)
{
    const auto isText = [value](std::optional<QByteArray> &place) {
        if (value.contains('\0'))
            return false;
        place = value.toByteArray();
        return true;
    };
    const auto isNumber = [](QByteArrayView digits, std::optional<qint64> &place) {
        bool ok = false;
        place = digits.toLongLong(&ok);
        return ok;
    };
    if (name == "path")
        return isText(overrides.path);
    if (name == "linkpath")
        return isText(overrides.linkTarget);
    if (name == "uname")
        return isText(overrides.userName);
    if (name == "size")
        return isNumber(value, overrides.size) && *overrides.size >= 0;
    if (name == "uid")
        return isNumber(value, overrides.userId);
    if (name == "gid")
        return isNumber(value, overrides.groupId);
    if (name == "mtime") {
        const qsizetype point = value.indexOf('.');
        return isNumber(point < 0 ? value : value.first(point), overrides.modifiedSeconds);
    }
    return !name.startsWith("GNU.sparse.");
}

void TarDecoder::applyOverrides(const Overrides &overrides)
{
    m_header.path = overrides.path.value_or(m_header.path);
    m_header.linkTarget = overrides.linkTarget.value_or(m_header.linkTarget);
    m_header.userName = overrides.userName.value_or(m_header.userName);
    m_header.size = overrides.size.value_or(m_header.size);
    m_header.userId = overrides.userId.value_or(m_header.userId);
    m_header.groupId = overrides.groupId.value_or(m_header.groupId);
    m_header.modifiedSeconds = overrides.modifiedSeconds.value_or(m_header.modifiedSeconds);
}

Step TarDecoder::decodeContent(QByteArrayView input)
{
    if (m_left == 0) {
        m_state = State::Padding;
        return {};
    }
    const qsizetype size = static_cast<qsizetype>(std::min<qint64>(m_left, input.size()));
    m_left -= size;
    return {size > 0 ? Step::Kind::Data : Step::Kind::NeedMore, size, input.first(size)};
}

Step TarDecoder::skipPadding(QByteArrayView input)
{
    const qsizetype size = static_cast<qsizetype>(std::min<qint64>(m_padding, input.size()));
    m_padding -= size;
    if (m_padding == 0)
        m_state = State::Header;
    return {Step::Kind::NeedMore, size, {}};
}

} // namespace Sandboxio
