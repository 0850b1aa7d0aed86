// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace Sandboxio::Cli {

/*! What a piece of text means; a Style turns it into colour or into nothing. */
enum class Tone { Plain, Strong, Good, Bad, Caution, Faint };

/*! How text is shown: colour only where somebody looks at it. */
struct Style
{
    bool color = false;
    QString paint(const QString &text, Tone tone) const;
};

/*! The style of a stream: colour on a terminal unless \a noColor (NO_COLOR) is set to something or \a term is
 * "dumb". */
Style styleOf(bool isTerminal, const QByteArray &noColor, const QByteArray &term);

} // namespace Sandboxio::Cli
