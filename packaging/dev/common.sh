# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the scripts of this folder; sourced after `set -euo pipefail`.

dev_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
checkout=${dev_dir%/packaging/dev}
cache=${SANDBOXIO_DEV_ROOT:-${XDG_CACHE_HOME:-${HOME:?is not set}/.cache}/sandboxio-dev}
root_dir=$cache/root
daemon_dir=$cache/dockerd
daemon_host=unix://$daemon_dir/docker.sock
test_image=sandboxio-test:1
test_data_image=sandboxio-test-data:1
# shellcheck disable=SC2034 # used by the scripts that source this file
readonly dev_dir checkout cache root_dir daemon_dir daemon_host test_image test_data_image

say() { printf '%s: %s\n' "${SANDBOXIO_DEV_NAME:-${0##*/}}" "$*" >&2; }

# 125 is our own failure; every other code belongs to the command that was run.
die() {
    say "$*"
    exit 125
}

is_root() { ((EUID == 0)); }

# The command as the user typed it, for "run this with sudo" messages.
typed_command() {
    if [[ -n ${SANDBOXIO_DEV_COMMAND:-} ]]; then
        printf '%s' "$SANDBOXIO_DEV_COMMAND"
    else
        printf '%q ' "$0" "$@" | sed 's/ $//'
    fi
}

# Runs "$@" with its output in the log file $1, and shows the end of the log when it fails.
logged() {
    local log=$1
    shift
    "$@" >>"$log" 2>&1 && return 0
    tail -n 15 -- "$log" >&2
    return 1
}

# True when the daemon at $1 answers within five seconds; "" means the client's own default.
docker_answers() {
    if [[ -n $1 ]]; then
        DOCKER_HOST=$1 timeout 5 docker version --format '{{.Server.Version}}' >/dev/null 2>&1
    else
        timeout 5 docker version --format '{{.Server.Version}}' >/dev/null 2>&1
    fi
}
