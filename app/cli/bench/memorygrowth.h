// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <optional>

namespace Sandboxio::Cli {

/*! How much the resident memory of this process grows from the construction on, at most. */
class MemoryGrowth
{
public:
    /*! \a process: the folder where the kernel tells about this process and forgets its peak. */
    explicit MemoryGrowth(const QString &process = QStringLiteral("/proc/self"));
    /*! Bytes; absent where the system does not tell, or does not forget the peak from before. */
    std::optional<qint64> bytes() const;

private:
    QString m_process;
    std::optional<qint64> m_before; // absent: a peak would not be of the time since then
};

} // namespace Sandboxio::Cli
