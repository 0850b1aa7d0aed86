// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "style.h"

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

QLatin1StringView sequenceOf(Tone tone)
{
    switch (tone) {
    case Tone::Strong:
        return "1"_L1;
    case Tone::Good:
        return "32"_L1;
    case Tone::Bad:
        return "31"_L1;
    case Tone::Caution:
        return "33"_L1;
    case Tone::Faint:
        return "2"_L1;
    case Tone::Plain:
        break;
    }
    return {};
}

} // namespace

QString Style::paint(const QString &text, Tone tone) const
{
    if (!color || tone == Tone::Plain || text.isEmpty())
        return text;
    return u"\x1b[%1m%2\x1b[0m"_s.arg(sequenceOf(tone), text);
}

Style styleOf(bool isTerminal, const QByteArray &noColor, const QByteArray &term)
{
    return {isTerminal && noColor.isEmpty() && term != "dumb"};
}

} // namespace Sandboxio::Cli
