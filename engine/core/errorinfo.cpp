// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "errorinfo.h"

#include "error.h"
#include "errortable.h"

#include <QCoreApplication>

namespace Sandboxio {

using namespace Qt::StringLiterals;

QString ErrorInfo::code() const
{
    return QLatin1StringView(errorTableRow(kind).code);
}

QString ErrorInfo::url() const
{
    const QString page = code().isEmpty() ? QLatin1StringView(errorTableRow(kind).className) : code();
    return u"sandboxio:/help/errors/"_s + page;
}

QString ErrorCause::toText() const
{
    return status ? QCoreApplication::translate("Sandboxio::Error", "The provider answered %1: %2")
                        .arg(*status)
                        .arg(text)
                  : QCoreApplication::translate("Sandboxio::Error", "The provider said: %1").arg(text);
}

QString ErrorInfo::toText() const
{
    QString text = code().isEmpty() ? message : u"[%1] %2"_s.arg(code(), message);
    if (!hint.isEmpty())
        text += u"\nFix: "_s + hint;
    return text + u"\nDocs: "_s + url();
}

QString ErrorInfo::toWholeText() const
{
    return cause ? toText() + u'\n' + cause->toText() : toText();
}

ErrorInfo makeError(ErrorKind kind, const QString &message, const QString &hint)
{
    ErrorInfo info;
    info.kind = kind;
    info.message = message;
    info.hint =
        hint.isEmpty() ? QCoreApplication::translate("Sandboxio::Error", errorTableRow(kind).hint) : hint;
    return info;
}

ErrorInfo makeError(ErrorKind kind, const QString &message, const QString &hint, const ErrorCause &cause)
{
    ErrorInfo info = makeError(kind, message, hint);
    info.cause = cause;
    return info;
}

} // namespace Sandboxio
