// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "wholefile.h"

#include <QCoreApplication>
#include <QFile>
#include <QSaveFile>

#ifdef Q_OS_UNIX
#include <sys/stat.h>
#endif

namespace Sandboxio {

namespace {
enum class Kind { File, CharacterDevice, Other };

Kind kindOf([[maybe_unused]] const QString &path)
{
#ifdef Q_OS_UNIX
    struct stat status{};
    if (::stat(QFile::encodeName(path).constData(), &status) != 0 || S_ISREG(status.st_mode) ||
        S_ISDIR(status.st_mode)) // a folder is refused by QSaveFile in its own words
        return Kind::File;
    return S_ISCHR(status.st_mode) ? Kind::CharacterDevice : Kind::Other;
#else
    return Kind::File;
#endif
}
} // namespace

WholeFile::WholeFile(const QString &path)
    : m_path(path)
{}

WholeFile::~WholeFile() = default;

bool WholeFile::open()
{
    switch (kindOf(m_path)) {
    case Kind::File:
        m_device = std::make_unique<QSaveFile>(m_path);
        break;
    case Kind::CharacterDevice:
        m_device = std::make_unique<QFile>(m_path);
        break;
    case Kind::Other:
        m_refusal =
            QCoreApplication::translate("Sandboxio::WholeFile", "it is neither a file nor a character device");
        return false;
    }
    return m_device->open(QIODevice::WriteOnly);
}

bool WholeFile::write(QByteArrayView bytes)
{
    // A write that stores a part sets no error; the next one tells why.
    while (!bytes.isEmpty()) {
        const qint64 written = m_device->write(bytes.data(), bytes.size());
        if (written <= 0)
            return false;
        bytes = bytes.sliced(written);
    }
    return true;
}

bool WholeFile::commit()
{
    if (auto *file = qobject_cast<QSaveFile *>(m_device.get()))
        return file->commit();
    return m_device->flush() && m_device->error() == QFileDevice::NoError;
}

bool WholeFile::hasFailed() const
{
    return !m_refusal.isEmpty() || (m_device && m_device->error() != QFileDevice::NoError);
}

QString WholeFile::errorString() const
{
    return m_device ? m_device->errorString() : m_refusal;
}

} // namespace Sandboxio
