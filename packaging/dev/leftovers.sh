# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a test run may not leave behind; sourced by check and by its test.

# Processes that have inherited SANDBOXIO_TEST_RUN=$1.
leftover_processes() {
    local entry
    { grep -zlxF -- "SANDBOXIO_TEST_RUN=$1" /proc/[0-9]*/environ 2>/dev/null || true; } | while read -r entry; do
        printf 'process %s %s\n' "$(cut -d/ -f3 <<<"$entry")" "$(tr '\0' ' ' 2>/dev/null <"${entry%environ}cmdline")"
    done
}

# Mount points here and at the first process. Docker's own belong to containers, which are looked at by label.
mount_points() {
    local tables=(/proc/self/mountinfo)
    if [[ -r /proc/1/mountinfo ]]; then tables+=(/proc/1/mountinfo); fi
    awk '$5 !~ /\/overlay2\/[^\/]*\/merged$|\/mounts\/shm$|\/netns\/[^\/]*$/ { print "mount " $5 " in " FILENAME }' \
        "${tables[@]}" | LC_ALL=C sort
}

# Managed containers without the label of any test run: a test made them and forgot to say so.
unlabelled_containers() {
    docker ps --all --filter label=io.sandboxio.managed \
        --format 'container {{.ID}} {{.Names}} test_run={{.Label "io.sandboxio.meta.test_run"}}' |
        { grep -E ' test_run=$' || true; } | LC_ALL=C sort
}

# Containers, volumes and networks that carry the label of the test run $1.
labelled_objects() {
    local filter=label=io.sandboxio.meta.test_run=$1
    docker ps --all --filter "$filter" --format 'container {{.ID}} {{.Names}}'
    docker volume ls --filter "$filter" --format 'volume {{.Name}}'
    docker network ls --filter "$filter" --format 'network {{.ID}} {{.Name}}'
}

# Prints everything that the run $1 left behind. The files $2 and $3 hold mount_points and unlabelled_containers from before.
leftovers() {
    leftover_processes "$1"
    LC_ALL=C comm -13 "$2" <(mount_points)
    if [[ -f $3 ]]; then
        labelled_objects "$1"
        LC_ALL=C comm -13 "$3" <(unlabelled_containers)
    fi
}

# The same after up to five seconds in which the daemon and ended processes may still be cleaning up.
settled_leftovers() {
    local deadline=$((SECONDS + 5)) found
    while found=$(leftovers "$@") && [[ -n $found ]] && ((SECONDS < deadline)); do sleep 0.2; done
    printf '%s' "$found"
}
