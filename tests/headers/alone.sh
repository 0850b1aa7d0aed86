#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
# alone.sh COMPILER FLAG… -- HEADER…: compiles each header as a program of its own and names those that do not.
set -euo pipefail
compiler=$1
shift
flags=()
while (($# > 0)) && [[ $1 != -- ]]; do
    flags+=("$1")
    shift
done
shift
(($# > 0)) || { echo "no header was named" >&2; exit 2; }
failed=0
for header; do
    printf '#include "%s"\n' "$header" |
        "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror "${flags[@]}" -x c++ - ||
        { echo "does not compile alone: $header" >&2; failed=1; }
done
exit "$failed"
