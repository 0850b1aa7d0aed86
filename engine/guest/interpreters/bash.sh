# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
# The persistent interpreter of a bash context; see README.md in this folder for what it says and hears. For bash 4.4
# and newer. Cells run in this shell itself, by `source`, so that `return`, an interrupt and `exit` can leave them; the
# control socket and the copies of the outputs are closed for as long.

exec 250>&1 251>&2
__sandboxio_options=
# Nothing that leaves a cell may be taken for a failure by `set -e`, which is on again in the next one.
__sandboxio_pause_errexit() {
    [[ $- == *e* ]] && __sandboxio_options='set -e; '
    set +e
}
# Leaves the function or cell that runs with the status $1, and every outer one before its next command.
__sandboxio_leave() {
    __sandboxio_left=$1
    __sandboxio_pause_errexit
    set -T
    trap "((\${#BASH_SOURCE[@]})) && return $1" DEBUG
}
exit() {
    local status=$?
    ((BASH_SUBSHELL)) && builtin exit "${1:-$status}"
    __sandboxio_leave "$((${1:-$status} & 255))"
    return "$__sandboxio_left"
}
printf 'ready %d\n%s' "${#BASH_VERSION}" "$BASH_VERSION" >&3
trap : INT
while IFS=' ' read -r -u 3 __sandboxio_word __sandboxio_cell __sandboxio_length; do
    __sandboxio_code= __sandboxio_left=
    LC_ALL=C IFS= read -r -N "$__sandboxio_length" -u 3 __sandboxio_code
    __sandboxio_code=$__sandboxio_options$__sandboxio_code __sandboxio_options=
    trap '__sandboxio_leave 130; ((${#BASH_SOURCE[@]})) && return 130' INT
    trap '((${#BASH_SOURCE[@]})) || __sandboxio_pause_errexit' RETURN
    printf 'started %d 0\n' "$__sandboxio_cell" >&3
    source <(printf '%s\n' "$__sandboxio_code") 3>&- 250>&- 251>&-
    { __sandboxio_status=$?; set +T; trap - DEBUG RETURN; trap : INT
      [[ $- == *u* ]] && __sandboxio_options+='set -u; '
      [[ $- == *x* ]] && __sandboxio_options+='set -x; '; set +eux; } 2>/dev/null
    exec >&250 2>&251
    printf 'end %d %d 0\n' "$__sandboxio_cell" "${__sandboxio_left:-$__sandboxio_status}" >&3
done
builtin exit 0
