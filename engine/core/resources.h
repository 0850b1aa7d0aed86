// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QFlags>
#include <QString>

#include <optional>

namespace Sandboxio {

/*! The caps of a sandbox. Unset means the backend's modest default; zero or negative is ConfigurationError. A
    cap that cannot be enforced is refused, unless waive() said in so many words that it may be missing. */
struct SANDBOXIO_CORE_EXPORT Resources
{
    enum class Cap : quint8 { Cpu = 1, Memory = 2, Disk = 4, Processes = 8 };
    Q_DECLARE_FLAGS(Caps, Cap)

    std::optional<double> cpu;      //!< cores
    std::optional<qint64> memoryMb; //!< MiB, without swap
    std::optional<qint64> diskMb;   //!< MiB; no default anywhere
    std::optional<QString> gpu;     //!< the backend's name of a GPU type
    std::optional<int> processes;   //!< processes and threads at the same time
    Caps waived;                    //!< recorded and displayed

    bool operator==(const Resources &) const = default;

    /*! Accepts that \a cap is not in force where the backend cannot enforce it. */
    Resources &waive(Cap cap)
    {
        waived |= cap;
        return *this;
    }
};
Q_DECLARE_OPERATORS_FOR_FLAGS(Resources::Caps)

/*! The stable name of \a cap: "cpu", "memory", "disk", "processes". */
SANDBOXIO_CORE_EXPORT QString capName(Resources::Cap cap);

} // namespace Sandboxio
