// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>

namespace Sandboxio::Cli {

/*! The translation context of the command line: `Text::tr("…")`. */
class Text
{
    Q_DECLARE_TR_FUNCTIONS(Sandboxio::Cli)
};

} // namespace Sandboxio::Cli
