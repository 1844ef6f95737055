#!/bin/sh
# Bakes a fixed set of worlds on a device and prints, for each, the hashes of the filled world, the edited world, its mesh, and its meshes of all
# levels of detail.
#   hashes.sh TERRAIN MAKE_LOG DEVICE [JOBS]
# tests/devices/*.txt are what real devices printed; tests/cli/devices.sh compares cpu with them. The first line names the device.
set -eu
terrain=$1
make_log=$2
device=$3
jobs=${4:-2}
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

hash_of() {
    "$terrain" info --json "$1" | sed 's/.*"hash":"\([0-9a-f]*\)".*/\1/'
}

# name, preset, chunks, seed, voxel size, edits, and `all` for edits of every kind
bake() {
    wide=$(echo "$3" | cut -dx -f1)
    deep=$(echo "$3" | cut -dx -f2)
    "$make_log" "$4" "$6" $((wide * 64 * $5)) $((deep * 64 * $5)) "$5" ${7:-} >"$work/log.json"
    "$terrain" gen -q --preset "$2" --size "$3" --seed "$4" --voxel-size "$5" --device "$device" --jobs "$jobs" -o "$work/a"
    "$terrain" apply-log -q "$work/a" "$work/log.json" --skip-outside --device "$device" --jobs "$jobs" -o "$work/b"
    "$terrain" mesh -q "$work/b" --device "$device" --jobs "$jobs" -o "$work/p.tpack"
    "$terrain" verify -q "$work/p.tpack" || { echo "$1: the mesh is not closed" >&2; exit 1; }
    "$terrain" mesh -q "$work/b" --all-lods --device "$device" --jobs "$jobs" -o "$work/l.tpack"
    "$terrain" verify -q "$work/l.tpack" || { echo "$1: levels of detail do not close" >&2; exit 1; }
    echo "$1 fill $(hash_of "$work/a") edit $(hash_of "$work/b") mesh $(hash_of "$work/p.tpack") lods $(hash_of "$work/l.tpack")"
    chmod -R u+w "$work/a" "$work/b"
    rm -rf "$work/a" "$work/b" "$work/p.tpack" "$work/l.tpack"
}

echo "# $("$terrain" bench --device "$device" --chunks 1 --repeats 1 | sed -n '1s/.*"device":"\([^"]*\)".*/\1/p')"
bake hills-4x4 hills 4x4 7 1 1000
bake hills-8x8 hills 8x8 18446744073709551615 2 2000
bake flat-2x2 flat 2x2 3 1 400
bake hills-1x9 hills 1x9 42 4 300
bake every-4x4 hills 4x4 5 1 330 all
bake every-3x1 hills 3x1 9 2 165 all
