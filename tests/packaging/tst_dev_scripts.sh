#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
# Tests of packaging/dev: no network, nothing outside a temporary folder.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
dev=$(cd -- "$here/../../packaging/dev" && pwd -P)
scratch=$(mktemp -d)
children=()
failures=0

# shellcheck disable=SC2317 # called by the trap
clean_up() {
    ((${#children[@]} == 0)) || kill "${children[@]}" 2>/dev/null
    wait 2>/dev/null
    rm -rf --one-file-system -- "$scratch"
}
trap clean_up EXIT

# same NAME ACTUAL EXPECTED
same() {
    if [[ $2 == "$3" ]]; then
        printf 'PASS: %s\n' "$1"
    else
        printf 'FAIL: %s\n  actual:   %q\n  expected: %q\n' "$1" "$2" "$3"
        failures=$((failures + 1))
    fi
}

# has NAME TEXT PART
has() {
    if [[ $2 == *"$3"* ]]; then same "$1" x x; else same "$1" "$2" "…$3…"; fi
}

# dev_env FOLDER CMD…: packaging/dev/env with a cache folder and stubs of its own; sets output and code.
dev_env() {
    local folder=$1
    shift
    output=$(SANDBOXIO_DEV_ROOT=$folder SANDBOXIO_DEBIAN_ARCHIVE=file:/nonexistent PATH=$scratch/stubs:$PATH \
        "$dev/env" "$@" 2>&1)
    code=$?
}

# stub NAME SCRIPT: a command that stands before the real one in dev_env.
stub() {
    mkdir -p -- "$scratch/stubs"
    printf '#!/bin/bash\n%s\n' "$2" >"$scratch/stubs/$1"
    chmod +x -- "$scratch/stubs/$1"
}

stamp_of_all_packages() {
    sed 's/#.*//' "$dev/packages" | awk 'NF { print $1 }' | LC_ALL=C sort -u
}

test_apt_sources() {
    # shellcheck source=packaging/dev/aptsource.sh
    source "$dev/aptsource.sh"
    same "one-line format: comments, deb-src, cdrom, third parties and security are passed over" \
        "$(debian_archive "$here/apt-list")" http://archive.example/debian
    same "deb822 format: disabled stanzas are passed over, continuation lines are read" \
        "$(debian_archive "$here/apt-deb822")" http://archive.example/debian
    same "deb822 format: every address of a stanza is an entry" \
        "$(apt_sources_entries <"$here/apt-deb822/sources.list.d/debian.sources" | cut -f1 | tr '\n' ' ')" \
        "http://tools.example/apt http://archive.example/debian http://second.example/debian http://security.example/debian-security "
    same "a system without a Debian archive has none" "$(debian_archive "$here/apt-none" || echo none)" none
    mkdir -p -- "$scratch/apt-mirror/sources.list.d"
    printf '# fastest first\nhttp://mirror.example/debian\n' >"$scratch/mirrors.list"
    printf 'Types: deb\nURIs: mirror+file://%s\nSuites: bookworm\nComponents: main\n' "$scratch/mirrors.list" \
        >"$scratch/apt-mirror/sources.list.d/debian.sources"
    same "a mirror list is followed to its first address" "$(debian_archive "$scratch/apt-mirror")" http://mirror.example/debian
}

test_host_mode() {
    export SANDBOXIO_DEV_ENV=host
    dev_env "$scratch/unused" bash -c 'exit 42'
    same "the exit code passes through on the host" "$code" 42
    # shellcheck disable=SC2016 # expanded by the inner shell
    dev_env "$scratch/unused" bash -c 'kill -TERM $$'
    same "an end by signal passes through on the host" "$code" 143
    dev_env "$scratch/unused" printf '%s|' 'a b' '' '*'
    same "arguments arrive unchanged" "$output" 'a b||*|'
    same "no cache folder is made when the host is enough" "$([[ -e $scratch/unused ]] && echo made)" ""
}

test_interrupted_setup() {
    export SANDBOXIO_DEV_ENV=root
    local cache=$scratch/interrupted
    # The stub sees whether the folder of an earlier attempt is still there, makes half a root and dies with the set-up.
    # shellcheck disable=SC2016 # expanded by the stub
    stub debootstrap 'for last; do case $last in */root.partial) target=$last ;; esac; done
        [[ -e $target ]] && echo stale >>"$SANDBOXIO_DEV_ROOT/calls" || echo clean >>"$SANDBOXIO_DEV_ROOT/calls"
        mkdir -p "$target/usr/bin" "$target/etc"; cp /bin/true "$target/usr/bin/"
        kill -KILL $PPID; exit 1'
    stub apt-get 'exit 1'
    dev_env "$cache" touch "$scratch/ran"
    same "a set-up killed half way does not run the command" "$([[ -e $scratch/ran ]] && echo ran)" ""
    same "a set-up killed half way leaves no root to use" "$([[ -e $cache/root ]] && echo root)" ""
    dev_env "$cache" touch "$scratch/ran"
    same "the next call starts over from nothing" "$(tr '\n' ' ' <"$cache/calls")" "clean clean "
    stub debootstrap 'exit 3'
    dev_env "$cache" touch "$scratch/ran"
    same "a failing debootstrap is our own failure" "$code" 125
    has "a failing debootstrap names its log" "$output" "$cache/setup.log"
}

# A root that borrows /usr of this system, complete as far as its stamp says.
make_borrowed_root() {
    local root=$1 link
    mkdir -p -- "$root"/{usr,etc}
    for link in bin sbin lib lib32 lib64; do
        if [[ -L /$link ]]; then ln -s "usr/$link" "$root/$link"; fi
    done
    stamp_of_all_packages >"$root/etc/sandboxio-dev.packages"
}

test_root_mode() {
    export SANDBOXIO_DEV_ENV=root
    local cache=$scratch/ready before
    make_borrowed_root "$cache/root"
    before=$(cat /proc/self/mountinfo)
    # shellcheck disable=SC2016 # expanded by the stub
    stub debootstrap 'echo called >>"$SANDBOXIO_DEV_ROOT/calls"; exit 1'
    # shellcheck disable=SC2016 # expanded by the inner shells
    output=$(SANDBOXIO_DEV_ROOT=$cache PATH=$scratch/stubs:$PATH unshare --mount --propagation private bash -c '
        mount --rbind /usr "$1/root/usr" && exec "$2/env" bash -c "pwd; echo \$PATH; ls -d \"\$1\"; exit 42" inner "$1"' \
        outer "$cache" "$dev" 2>&1)
    same "the exit code passes through the root" "$?" 42
    same "the folder, the path and the cache are right inside" "$output" \
        "$PWD"$'\n'"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"$'\n'"$cache"
    same "a finished root is not made again" "$(cat -- "$cache/calls" 2>/dev/null)" ""
    same "no mount is left outside" "$(cat /proc/self/mountinfo)" "$before"

    sed -i '/^ninja-build$/d' "$cache/root/etc/sandboxio-dev.packages"
    before=$(cat -- "$cache/root/etc/sandboxio-dev.packages")
    dev_env "$cache" true
    same "a package that cannot be added is our own failure" "$code" 125
    has "a longer list is completed, not made again" "$output" "adding to the build environment: ninja-build"
    same "the stamp keeps what was really installed" "$(cat -- "$cache/root/etc/sandboxio-dev.packages")" "$before"
}

# A process that looks like a dockerd with the data folder $1, recorded in the pid file.
fake_daemon() {
    (exec -a dockerd tail -f /dev/null -- "--data-root=$1") >/dev/null 2>&1 &
    foreign=$!
    children+=("$foreign")
    until grep -zqxF -- "--data-root=$1" "/proc/$foreign/cmdline"; do :; done
    printf '%s\n' "$foreign" >"$scratch/daemon/dockerd/dockerd.pid"
}

test_dockerd_refusals() {
    local folder=$scratch/daemon/dockerd foreign code
    mkdir -p -- "$folder"
    sleep 60 &
    foreign=$!
    children+=("$foreign")
    printf '%s\n' "$foreign" >"$folder/dockerd.pid"
    output=$(SANDBOXIO_DEV_ROOT=$scratch/daemon "$dev/dockerd" stop 2>&1)
    code=$?
    same "dockerd stop refuses a process that it did not start" "$code" 125
    has "dockerd stop names the process it leaves alone" "$output" "process $foreign is not the daemon"
    same "the foreign process is alive" "$(kill -0 "$foreign" && echo alive)" alive
    fake_daemon "$scratch/elsewhere/data"
    SANDBOXIO_DEV_ROOT=$scratch/daemon "$dev/dockerd" stop >/dev/null 2>&1
    same "dockerd stop refuses a daemon with another data folder" "$?" 125
    same "dockerd status fails for a foreign daemon" \
        "$(SANDBOXIO_DEV_ROOT=$scratch/daemon "$dev/dockerd" status >/dev/null 2>&1 || echo failed)" failed
    fake_daemon "$folder/data"
    SANDBOXIO_DEV_ENV=host SANDBOXIO_DEV_ROOT=$scratch/daemon "$dev/dockerd" stop >/dev/null 2>&1
    same "dockerd stop ends the daemon with its own data folder" "$?" 0
    wait "$foreign" 2>/dev/null
    same "that daemon was ended by SIGTERM" "$?" 143
}

test_leftovers() {
    # shellcheck source=packaging/dev/leftovers.sh
    source "$dev/leftovers.sh"
    local id=leftover-test-$$ child
    same "a run without leftover processes has none" "$(leftover_processes "$id")" ""
    SANDBOXIO_TEST_RUN=$id sleep 60 &
    child=$!
    children+=("$child")
    until [[ $(tr '\0' ' ' <"/proc/$child/cmdline") == sleep* ]]; do :; done
    same "a process that inherited the run is found" "$(leftover_processes "$id")" "process $child sleep 60 "
    same "a longer run name is another run" "$(leftover_processes "${id%?}")" ""
    mount_points >"$scratch/mounts"
    same "without changes no mount is left" "$(leftovers none "$scratch/mounts" "$scratch/no-docker")" ""
    sed -i '1d' "$scratch/mounts"
    has "a mount that was not there before is found" "$(leftovers none "$scratch/mounts" "$scratch/no-docker")" "mount /"
}

test_apt_sources
test_host_mode
if ((EUID == 0)) && unshare --mount true 2>/dev/null; then
    test_interrupted_setup
    test_root_mode
else
    printf 'SKIP: the tests of the Debian 13 root need root and mount namespaces\n'
fi
test_dockerd_refusals
test_leftovers
printf '%s failures\n' "$failures"
((failures == 0))
