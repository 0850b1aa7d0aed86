// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "interpreterdecoder.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>

namespace Sandboxio::Guest {

namespace {

constexpr qsizetype largestHead = 64;
constexpr int largestCode = 255;

constexpr const char *noEnd = QT_TRANSLATE_NOOP("Sandboxio::Guest::Interpreter", "its message has no end");
constexpr const char *notUnderstood =
    QT_TRANSLATE_NOOP("Sandboxio::Guest::Interpreter", "its message is not understood");
constexpr const char *tooLong = QT_TRANSLATE_NOOP("Sandboxio::Guest::Interpreter", "its message is too long");

QString text(const char *source)
{
    return QCoreApplication::translate("Sandboxio::Guest::Interpreter", source);
}

struct Words
{
    const char *name;
    InterpreterMessage::Kind kind;
    qsizetype numbers; //!< the length of the text is the last
};

constexpr std::array heads{
    Words{"ready", InterpreterMessage::Kind::Ready, 1}, Words{"started", InterpreterMessage::Kind::Started, 2},
    Words{"output", InterpreterMessage::Kind::Output, 2}, Words{"end", InterpreterMessage::Kind::End, 3}};

/*! Digits alone, no sign. */
std::optional<quint32> number(const QByteArray &word)
{
    const bool digits = std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
    bool ok = false;
    const quint32 value = word.toUInt(&ok);
    return ok && digits ? std::optional(value) : std::nullopt;
}

struct Head
{
    InterpreterMessage message;
    quint32 textSize = 0;
};

std::optional<Head> headOf(QByteArrayView line)
{
    const QByteArrayList words = line.toByteArray().split(' ');
    const auto known =
        std::ranges::find_if(heads, [&](const Words &head) { return words.first() == head.name; });
    if (known == heads.end() || words.size() != known->numbers + 1)
        return {};
    QList<quint32> numbers;
    for (const QByteArray &word : words.sliced(1)) {
        const auto value = number(word);
        if (!value)
            return {};
        numbers.append(*value);
    }
    Head head{.message = {.kind = known->kind}, .textSize = numbers.last()};
    if (known->numbers > 1)
        head.message.cell = numbers.first();
    if (known->kind == InterpreterMessage::Kind::End) {
        if (numbers.at(1) > largestCode)
            return {};
        head.message.code = static_cast<int>(numbers.at(1));
    }
    return head;
}

} // namespace

void InterpreterDecoder::append(QByteArrayView bytes)
{
    if (!m_failure.isEmpty())
        return;
    m_buffer.remove(0, std::exchange(m_position, 0));
    m_buffer.append(bytes);
}

InterpreterDecoder::Result InterpreterDecoder::next()
{
    if (!m_failure.isEmpty())
        return std::unexpected(m_failure);
    if (!m_head) {
        const QByteArrayView rest = QByteArrayView(m_buffer).sliced(m_position);
        const qsizetype end = rest.first(std::min(rest.size(), largestHead)).indexOf('\n');
        if (end < 0)
            return rest.size() < largestHead ? Result() : fail(text(noEnd));
        const auto head = headOf(rest.first(end));
        if (!head)
            return fail(text(notUnderstood));
        if (head->textSize > largestInterpreterMessage)
            return fail(text(tooLong));
        m_head = head->message;
        m_textSize = head->textSize;
        m_position += end + 1;
    }
    if (m_buffer.size() - m_position < m_textSize)
        return Result();
    InterpreterMessage message = *std::exchange(m_head, {});
    message.text = m_buffer.sliced(m_position, m_textSize);
    m_position += m_textSize;
    return message;
}

InterpreterDecoder::Result InterpreterDecoder::fail(const QString &why)
{
    m_failure = why;
    m_buffer.clear();
    m_position = 0;
    m_head.reset();
    return std::unexpected(why);
}

std::optional<RichOutput> richOutputOf(const QByteArray &json)
{
    const QJsonDocument document = QJsonDocument::fromJson(json);
    if (!document.isObject())
        return {};
    RichOutput output;
    const QJsonObject bundle = document.object();
    for (auto format = bundle.begin(); format != bundle.end(); ++format) {
        const QJsonValue value = format.value();
        if (!format.key().contains(QLatin1Char('/')))
            return {};
        if (value.isString()) {
            output.bundle.insert(format.key(), value.toString().toUtf8());
            continue;
        }
        const QJsonValue encoded = value[QLatin1StringView("base64")];
        const auto bytes = QByteArray::fromBase64Encoding(encoded.toString().toLatin1(),
                                                          QByteArray::AbortOnBase64DecodingErrors);
        if (!encoded.isString() || !bytes)
            return {};
        output.bundle.insert(format.key(), *bytes);
    }
    return output;
}

} // namespace Sandboxio::Guest
