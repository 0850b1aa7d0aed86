// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/execresult.h>
#include <sandboxio/core/export.h>

#include <QByteArray>
#include <QByteArrayView>

#include <expected>
#include <optional>

namespace Sandboxio::Guest {

/*! One message of a persistent interpreter; interpreters/README.md lists them. */
struct InterpreterMessage
{
    enum class Kind { Ready, Started, Output, End };
    Kind kind = Kind::Ready;
    quint32 cell = 0; //!< 0 for Ready
    int code = 0;     //!< End: the exit code, 0 to 255
    QByteArray
        text; //!< Ready: the version; Output: a bundle as JSON; End: the name of the exception, or nothing
    bool operator==(const InterpreterMessage &) const = default;
};

/*! Bytes of an interpreter's control stream in, messages out. What runs in the sandbox may say anything: it holds
    at most one message of largestInterpreterMessage, and after a failure it stays failed and keeps nothing. */
class SANDBOXIO_CORE_EXPORT InterpreterDecoder
{
public:
    /*! The next whole message, nothing while more bytes are needed, or why the stream is broken. */
    using Result = std::expected<std::optional<InterpreterMessage>, QString>;

    void append(QByteArrayView bytes);
    Result next();

private:
    Result fail(const QString &why);

    QByteArray m_buffer;
    qsizetype m_position = 0;
    std::optional<InterpreterMessage> m_head; //!< its text is still missing
    qsizetype m_textSize = 0;
    QString m_failure;
};

inline constexpr qsizetype largestInterpreterMessage = 16 * 1024 * 1024;

/*! The value of an Output message; nothing when it is no JSON object of strings and objects with base64. */
SANDBOXIO_CORE_EXPORT std::optional<RichOutput> richOutputOf(const QByteArray &json);

} // namespace Sandboxio::Guest
