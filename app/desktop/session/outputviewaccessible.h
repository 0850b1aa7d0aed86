// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace Sandboxio::Desktop {

/*! Lets screen readers read the lines that an OutputView shows. Called once at start. */
void installOutputViewAccessibility();

} // namespace Sandboxio::Desktop
