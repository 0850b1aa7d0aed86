// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/runtime/export.h>

#include <QByteArrayView>
#include <QString>

#include <memory>

class QFileDevice;

namespace Sandboxio {

/*! A file on this computer that is written whole or not at all: until commit() what was there before stays, and
    nothing stays of a WholeFile that is destroyed without it. A character device such as /dev/null is written into;
    putting a file in its place would break the computer. Pipes, sockets and block devices are refused.
    Lives in one thread; blocks on the disk.

    \code
    WholeFile file(local);
    if (!file.open() || !file.write("content") || !file.commit())
        qWarning().noquote() << file.errorString();
    \endcode */
class SANDBOXIO_RUNTIME_EXPORT WholeFile
{
public:
    explicit WholeFile(const QString &path);
    ~WholeFile();
    Q_DISABLE_COPY_MOVE(WholeFile)

    /*! write() and commit() may be called only after it returned true. */
    bool open();
    bool write(QByteArrayView bytes);
    bool commit();
    bool hasFailed() const;
    QString errorString() const;

private:
    QString m_path;
    QString m_refusal;
    std::unique_ptr<QFileDevice> m_device;
};

} // namespace Sandboxio
