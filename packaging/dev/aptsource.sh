# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Finds the Debian archive that this host already uses; sourced by env and by its test.

# Prints "URI SUITES COMPONENTS" (tab separated) for each `deb` line of one-line format on stdin.
apt_list_entries() {
    awk '
        { sub(/#.*/, "") }
        $1 == "deb" {
            sub(/^[ \t]*deb[ \t]+/, "")
            if (sub(/^\[/, "")) { sub(/^[^]]*\][ \t]*/, "") }
            components = ""
            for (i = 3; i <= NF; i++) components = components (i > 3 ? " " : "") $i
            print $1 "\t" $2 "\t" components
        }'
}

# The same for deb822 format on stdin; a stanza with several URIs gives several lines.
apt_sources_entries() {
    awk '
        function flush(  n, i, uris) {
            if ((" " f["types"] " ") ~ / deb / && tolower(f["enabled"]) !~ /^(no|false|0)$/) {
                n = split(f["uris"], uris, " ")
                for (i = 1; i <= n; i++) print uris[i] "\t" f["suites"] "\t" f["components"]
            }
            split("", f); key = ""
        }
        /^#/ { next }
        /^[ \t]*$/ { flush(); next }
        /^[^ \t:]+:/ { key = tolower(substr($0, 1, index($0, ":") - 1)); $0 = substr($0, index($0, ":") + 1) }
        { gsub(/[ \t]+/, " "); gsub(/^ | $/, ""); f[key] = f[key] (f[key] == "" ? "" : " ") $0 }
        END { flush() }'
}

# Every entry of the apt configuration folder $1.
apt_entries() {
    local file
    for file in "$1"/sources.list "$1"/sources.list.d/*.list; do
        if [[ -r $file ]]; then apt_list_entries <"$file"; fi
    done
    for file in "$1"/sources.list.d/*.sources; do
        if [[ -r $file ]]; then apt_sources_entries <"$file"; fi
    done
}

# Reads entries and prints the URIs that hold a Debian release's `main`, those ending in "debian" first.
debian_candidates() {
    awk -F '\t' '
        (" " $3 " ") !~ / main / || $1 ~ /^cdrom:/ { next }
        (" " $2 " ") !~ / (bullseye|bookworm|trixie|forky|sid|oldoldstable|oldstable|stable|testing|unstable) / { next }
        { likely = ($1 ~ /debian(\/|\.list)?$/) ? 0 : 1; print likely "\t" $1 }' |
        sort -s -k1,1n | cut -f2
}

# Prints the archive's address from the apt configuration folder $1 (usually /etc/apt); fails when there is none.
debian_archive() {
    local uri
    uri=$(apt_entries "$1" | debian_candidates | head -n 1)
    case $uri in
        '') return 1 ;;
        mirror+file:*) uri=$(awk '!/^#/ && NF { print $1; exit }' "/${uri#mirror+file:/}") ;;
    esac
    [[ -n $uri ]] && printf '%s\n' "${uri%/}"
}

# Prints the host's apt settings about fetching (proxies, certificates, date checks) in apt's own format.
apt_fetch_settings() {
    apt-config dump 2>/dev/null |
        grep -E '^Acquire::(https?::|Check-Valid-Until|Check-Date|Retries|ForceIPv[46])' |
        grep -vEi 'Proxy-Auto-Detect|::SendAccept' || true
}
