// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

// Writes the pages of the error catalogue from the one table of errors: sandboxio-error-pages FOLDER.
#include <sandboxio/core/error.h>
#include <sandboxio/core/errortable.h>

#include <QDir>
#include <QSaveFile>

#include <cstdio>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

namespace {

// The classes that \a error can be caught as, from the compiler rather than from a second list of the tree.
QStringList classesOf(const SandboxError &error)
{
    QStringList classes;
    const auto note = [&classes](const void *caught, const char *name) {
        if (caught)
            classes.append(u"`"_s + QLatin1StringView(name) + u'`');
    };
#define SANDBOXIO_NOTE(Class) note(dynamic_cast<const Class *>(&error), #Class)
    SANDBOXIO_NOTE(BackendNotFound);
    SANDBOXIO_NOTE(BackendNotInstalled);
    SANDBOXIO_NOTE(ConfigurationError);
    SANDBOXIO_NOTE(CapabilityNotSupported);
    SANDBOXIO_NOTE(CreateTimeout);
    SANDBOXIO_NOTE(CreationError);
    SANDBOXIO_NOTE(ConnectError);
    SANDBOXIO_NOTE(SandboxGone);
    SANDBOXIO_NOTE(ExecutionError);
    SANDBOXIO_NOTE(ExecutionTimeout);
    SANDBOXIO_NOTE(SandboxTimeout);
    SANDBOXIO_NOTE(NetworkPolicyViolation);
    SANDBOXIO_NOTE(ResourceLimitExceeded);
    SANDBOXIO_NOTE(AuthError);
    SANDBOXIO_NOTE(RateLimitError);
    SANDBOXIO_NOTE(AuditSinkError);
    SANDBOXIO_NOTE(PathNotFound);
    SANDBOXIO_NOTE(FileSystemError);
    SANDBOXIO_NOTE(SandboxError);
#undef SANDBOXIO_NOTE
    return classes;
}

QStringList caughtAs(ErrorKind kind)
{
    try {
        makeError(kind, QString()).raise();
    } catch (const SandboxError &error) {
        return classesOf(error);
    }
    Q_UNREACHABLE();
}

QString pageOf(const ErrorTableRow &row)
{
    const QString code = QString::fromLatin1(row.code);
    const QString name = QString::fromLatin1(row.className);
    QString page = u"<!-- Generated from the table in engine/core/errortable.cpp; build the target error-pages "
                   "after a change there. -->\n"_s;
    page += u"# "_s + (code.isEmpty() ? name : code + u' ' + name) + u"\n\n"_s;
    page += QString::fromUtf8(row.documentation) + u"\n\n"_s;
    page += u"**Fix:** "_s + QString::fromUtf8(row.hint) + u"\n\n"_s;
    page += u"In C++ it is caught as "_s + caughtAs(row.kind).join(u", "_s) + u".\n"_s;
    if (!code.isEmpty())
        page += u"On the command line: `sandboxio explain %1`.\n"_s.arg(code);
    return page;
}

QString fileNameOf(const ErrorTableRow &row)
{
    return QString::fromLatin1(*row.code ? row.code : row.className) + u".md"_s;
}

bool write(const QString &path, const QByteArray &text)
{
    QSaveFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit();
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fputs("usage: sandboxio-error-pages FOLDER\n", stderr);
        return 2;
    }
    const QDir folder(QString::fromLocal8Bit(argv[1]));
    folder.mkpath(u"."_s);
    for (const ErrorTableRow &row : errorTable()) {
        const QString path = folder.filePath(fileNameOf(row));
        if (!write(path, pageOf(row).toUtf8())) {
            std::fprintf(stderr, "%s cannot be written\n", qPrintable(path));
            return 1;
        }
    }
    return 0;
}
