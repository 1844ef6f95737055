#!/bin/sh
# Judges exported files by programs that are not of this project: *.glb by npm's gltf-validator, *.stl by admesh.
#   tests/peers/peers.sh BUILD_DIR FILE...        npm's packages are kept in BUILD_DIR/peers
# Prints one line a file that ends in "ok" or "not ok" (reasons indented below it). Exit 0 if all are ok.
set -u
[ $# -ge 2 ] || { echo "usage: $0 BUILD_DIR FILE..." >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
packages=$1/peers
shift

# Installs what the lock names, unless exactly that is there already.
install_packages() {
    cmp -s "$here/package-lock.json" "$packages/installed-lock.json" && return 0
    mkdir -p "$packages" || return 1
    cp "$here/package.json" "$here/package-lock.json" "$packages" || return 1
    if ! (cd "$packages" && npm ci --no-audit --no-fund --ignore-scripts >npm.log 2>&1); then
        cat "$packages/npm.log" >&2
        return 1
    fi
    cp "$here/package-lock.json" "$packages/installed-lock.json"
}

judge_glb() {
    node "$here/validate.mjs" "$packages" "$1"
}

# admesh repairs what it finds and exits 0, so its statistics are read: each of these must be there and say 0 (disconnected: as read,
# before repairs), the volume must be positive.
judge_stl() {
    LC_ALL=C admesh "$1" 2>&1 | awk -v file="$1" '
        function count(label, value) {
            seen[label] = 1
            if (value + 0 != 0 || value !~ /^[0-9]/) bad = bad "    " label ": " value "\n"
        }
        { report = report "    " $0 "\n" }
        /^Number of facets/             { facets = $5 }
        /^Total disconnected facets/    { count("disconnected facets", $5) }
        /^Number of parts/              { parts = $5; volume = $8 }
        /^Degenerate facets/            { count("degenerate facets", $4) }
        /^Edges fixed/                  { count("edges fixed", $4) }
        /^Facets removed/               { count("facets removed", $4) }
        /^Facets added/                 { count("facets added", $4) }
        /^Facets reversed/              { count("facets reversed", $4) }
        /^Backwards edges/              { count("backwards edges", $4) }
        /^Normals fixed/                { count("normals fixed", $4) }
        END {
            for (label in seen) labels++
            if (labels != 8) bad = bad report
            else if (!(parts >= 1 && volume > 0)) bad = bad "    parts " parts ", volume " volume "\n"
            printf "%s: admesh: %d facets, %d parts, volume %s: %s\n%s", file, facets, parts, volume, bad == "" ? "ok" : "not ok", bad
            exit bad != ""
        }'
}

status=0
for file in "$@"; do
    case $file in
    *.glb)
        install_packages || { echo "$file: gltf-validator could not be installed: not ok"; status=1; continue; }
        judge_glb "$file" || status=1
        ;;
    *.stl) judge_stl "$file" || status=1 ;;
    *) echo "$file: no judge for it, expected .glb or .stl: not ok"; status=1 ;;
    esac
done
exit $status
