# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# dockerd leaves bridges, iptables rules and sysctl values behind when it ends; this puts the host's back.
# Sourced by dockerd; needs daemon_dir.
# shellcheck disable=SC2154

# Puts an iptables that this kernel supports first in the daemon's PATH; fails when there is none.
choose_iptables() {
    local flavour
    for flavour in nft legacy; do
        if "iptables-$flavour" -t nat -S >/dev/null 2>&1 && "iptables-$flavour" -t filter -S >/dev/null 2>&1; then
            mkdir -p -- "$daemon_dir/bin"
            ln -sfn -- "$(command -v "iptables-$flavour")" "$daemon_dir/bin/iptables"
            ln -sfn -- "$(command -v "ip6tables-$flavour")" "$daemon_dir/bin/ip6tables"
            return 0
        fi
    done
    return 1
}

# Notes what the daemon is going to change. Where docker0 exists already, it is another daemon's: nothing is put back.
save_network() {
    rm -f -- "$daemon_dir/network"
    if ip link show docker0 >/dev/null 2>&1; then return 0; fi
    {
        cat /proc/sys/net/ipv4/ip_forward
        "$daemon_dir/bin/iptables" -S FORWARD 2>/dev/null | awk '$1 == "-P" { print $3 }'
    } >"$daemon_dir/network"
}

# Removes the rules and chains of the table $2 which the daemon made, by the command $1.
remove_docker_rules() {
    local rules rule chain made='(-j DOCKER|docker0|br-[0-9a-f]{12})'
    rules=$("$1" -t "$2" -S 2>/dev/null) || return 0
    while read -r rule; do
        # shellcheck disable=SC2086 # a rule is its words
        "$1" -t "$2" -D ${rule#-A } || true
    done < <(grep -E -- "^-A (FORWARD|OUTPUT|PREROUTING|POSTROUTING) .*$made" <<<"$rules")
    while read -r chain; do "$1" -t "$2" -F "$chain" || true; done < <(awk '$1 == "-N" && $2 ~ /^DOCKER/ { print $2 }' <<<"$rules")
    while read -r chain; do "$1" -t "$2" -X "$chain" || true; done < <(awk '$1 == "-N" && $2 ~ /^DOCKER/ { print $2 }' <<<"$rules")
}

# Puts back what save_network noted; "$@" are the bridges of the daemon that has ended.
restore_network() {
    local forward policy bridge table
    [[ -f $daemon_dir/network ]] || return 0
    forward=$(sed -n 1p "$daemon_dir/network")
    policy=$(sed -n 2p "$daemon_dir/network")
    for bridge in docker0 "$@"; do ip link delete "$bridge" 2>/dev/null || true; done
    if [[ -n $policy ]]; then
        for table in nat filter; do
            remove_docker_rules "$daemon_dir/bin/iptables" "$table"
            remove_docker_rules "$daemon_dir/bin/ip6tables" "$table"
        done
        "$daemon_dir/bin/iptables" -P FORWARD "$policy"
    fi
    printf '%s\n' "$forward" >/proc/sys/net/ipv4/ip_forward
    rm -f -- "$daemon_dir/network"
}
