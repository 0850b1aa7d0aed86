// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>

namespace Sandboxio::Cli {

/*! How much the resident memory of this process grows from the construction on, at most. */
class MemoryGrowth
{
public:
    MemoryGrowth();
    /*! Bytes; 0 where the system does not tell. */
    qint64 bytes() const;

private:
    qint64 m_before;
};

} // namespace Sandboxio::Cli
