#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
# checkformat.sh CLANG_FORMAT CHECKOUT: fails when a source is not as clang-format would write it.
set -euo pipefail
find "$2"/engine "$2"/app "$2"/tests -name build -prune -o \( -name '*.cpp' -o -name '*.h' \) -print0 |
    xargs -0 -n 40 -P "$(nproc)" "$1" --dry-run -Werror
