#!/bin/sh
# One world, however it is computed: 4 x 4 chunks of noise, 1,000 edits over every operation, meshed at one level and at all, on cpu and on
# software Vulkan, with 1 and 2 jobs (there the first program only), by programs built with gcc and clang, -O3 and -O3 -march=native, and -O0
# for cpu. On cpu also 10,000 edits behind 330 of every kind. When two differ, says where first.
#   same_bytes.sh [VARIANT...]       builds each variant under build/; all of them when none is named
set -u
cd "$(dirname "$0")/../.." || exit 2
variants=${*:-"gcc-O3 gcc-native clang-O3 clang-native gcc-O0 clang-O0"}
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
passed=0
failed=0

build() {
    cc=${1%-*}
    case "$1" in
    gcc-O3) config=release flags= ;;
    *-O3) config=$1 flags="-O3 -g" ;;
    *-native) config=$1 flags="-O3 -g -march=native" ;;
    *-O0) config=$1 flags="-O0 -g" ;;
    esac
    make -s -j"$(nproc)" CC="$cc" config="$config" ${flags:+"CFLAGS_$config=$flags"} "build/$config/terrain" >"$work/build.log" 2>&1 ||
        { cat "$work/build.log"; return 1; }
}

make -s build/release/tests/devices/make_log build/release/tests/devices/first_difference || exit 2
tools=build/release/tests/devices
$tools/make_log 11 1000 256 256 >"$work/log.json"
$tools/make_log 12 330 256 256 0.5 all | sed 's/"id": "e/"id": "k/' >"$work/kinds.json"
$tools/make_log 13 10000 256 256 0.4 >"$work/many.json" # small, for -O0 is slow

# Bakes with one program, device and number of jobs, and compares each step with the first that was baked.
bake() {
    name=$1-$2-$3
    terrain=$4
    out=$work/$name
    mkdir "$out"
    TERRAIN_ISA=${5:-} "$terrain" gen -q --preset hills --size 4x4 --seed 11 --device "$2" --jobs "$3" -o "$out/fill" &&
        TERRAIN_ISA=${5:-} "$terrain" apply-log -q "$out/fill" "$work/log.json" --device "$2" --jobs "$3" -o "$out/edit" &&
        TERRAIN_ISA=${5:-} "$terrain" mesh -q "$out/edit" --device "$2" --jobs "$3" -o "$out/mesh" &&
        TERRAIN_ISA=${5:-} "$terrain" mesh -q "$out/edit" --all-lods --device "$2" --jobs "$3" -o "$out/lods" ||
        { echo "not ok $name: could not be baked"; failed=$((failed + 1)); return; }
    steps="fill edit mesh lods"
    if [ "$2" = cpu ] && { [ "$3" = 2 ] || [ "$1" = gcc-O3 ]; }; then
        steps="$steps many"
        TERRAIN_ISA=${5:-} "$terrain" apply-log -q "$out/fill" "$work/kinds.json" "$work/many.json" --skip-outside --device "$2" --jobs "$3" -o "$out/many" ||
            { echo "not ok $name: many edits could not be baked"; failed=$((failed + 1)); return; }
    fi
    [ -n "${reference:-}" ] || reference=$out
    for step in $steps; do
        if ! difference=$($tools/first_difference "$reference/$step" "$out/$step"); then
            echo "not ok $name: step $step differs from ${reference#"$work"/}: $difference"
            failed=$((failed + 1))
            return
        fi
    done
    echo "ok $name"
    passed=$((passed + 1))
    [ "$out" = "$reference" ] || { chmod -R u+w "$out"; rm -rf "$out"; }
}

for variant in $variants; do
    build "$variant" || { echo "not ok $variant does not build"; failed=$((failed + 1)); continue; }
    for jobs in 1 2; do
        bake "$variant" cpu $jobs "build/$config/terrain"
        case "$variant $jobs" in *-O0*) ;; *" 2" | "gcc-O3 1") bake "$variant" llvmpipe $jobs "build/$config/terrain" ;; esac
    done
done
for isa in v2 v3; do
    bake "gcc-O3-$isa" cpu 2 build/release/terrain $isa
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
