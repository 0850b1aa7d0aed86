# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What run and check do inside the build environment: build a preset, find or start Docker. Needs common.sh.
# shellcheck disable=SC2154 # set there

# Configures where it is needed and builds the preset $1. Writes to stderr only, and nothing when all is up to date.
build_preset() {
    local folder=$checkout/build/$1 quiet=() steps
    mkdir -p -- "$folder" "$cache"
    exec 7>"$folder/.build.lock"
    flock 7
    if [[ ! -f $folder/build.ninja || $checkout/CMakePresets.json -nt $folder/build.ninja ]]; then
        say "configuring build/$1"
        use_ccache
        (cd -- "$checkout" && cmake --preset "$1" >&2) || die "configuring build/$1 failed"
    fi
    # Looking for new sources is a step of every build and no reason to say anything.
    steps=$(ninja -C "$folder" -n 2>/dev/null | grep '^\[' | grep -vcE 'Re-checking globbed|Re-running CMake' || true)
    if ((steps > 0)); then say "building build/$1"; fi
    if ((steps == 0)) || [[ ! -t 2 ]]; then quiet=(--quiet); fi
    use_ccache
    ninja -C "$folder" -j "${SANDBOXIO_BUILD_JOBS:-$(nproc)}" "${quiet[@]}" >&2 || die "building build/$1 failed"
    exec 7>&-
}

use_ccache() {
    command -v ccache >/dev/null || return 0
    export CCACHE_DIR=${CCACHE_DIR:-$cache/ccache} CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_C_COMPILER_LAUNCHER=ccache
}

# True when the user already has a Docker. A DOCKER_HOST that is set is the user's decision, whether it answers or not.
user_has_docker() {
    local socket=${XDG_RUNTIME_DIR:-/nonexistent}/docker.sock
    [[ -z ${DOCKER_HOST:-} ]] || return 0
    docker_answers "" && return 0
    if [[ -S $socket ]] && docker_answers "unix://$socket"; then
        export DOCKER_HOST=unix://$socket
        return 0
    fi
    return 1
}

# Leaves DOCKER_HOST pointing at a daemon where one can be had; started_daemon tells whether this call started it.
# Descriptor 8 stays open, locked as one of the private daemon's users.
use_docker() {
    started_daemon=
    user_has_docker || use_private_docker
    if [[ ${DOCKER_HOST:-} == "$daemon_host" ]]; then
        "$dev_dir/test-image" >/dev/null
        export SANDBOXIO_DOCKER_DEFAULT_TEMPLATE=$test_image
    fi
}

use_private_docker() {
    if ! is_root; then
        say "no Docker answers, and a private one needs root: sudo $(typed_command)"
        return 0
    fi
    mkdir -p -- "$daemon_dir"
    exec 8>"$daemon_dir/users.lock"
    flock --shared 8
    if ! "$dev_dir/dockerd" status >/dev/null 2>&1; then
        say "no Docker answers: starting a private one, packaging/dev/dockerd stop ends it"
        started_daemon=1
    fi
    DOCKER_HOST=$("$dev_dir/dockerd" start)
    export DOCKER_HOST
}

# Stops the private daemon if this call started it and nobody else uses it.
release_docker() {
    if [[ -n ${started_daemon:-} ]] && flock --exclusive --nonblock 8; then
        started_daemon=
        "$dev_dir/dockerd" stop
    fi
}
