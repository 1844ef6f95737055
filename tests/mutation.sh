#!/bin/sh
# The tests can fail: mutants of the kernels, of the arithmetic that cpu and kernels share, and of the replay are each caught by every test
# that is named for them. Ends with the line "N passed, N failed".
#   tests/mutation.sh [NAME...]      only these mutants
#
# A mutant is the tree with one line changed by a sed expression. All is done under build/mutant: `clean` is a copy of the working tree,
# built and tested unchanged first; `mutant` begins as a copy of `clean` with its objects and their times, so that only what depends on
# the changed file is built, and nothing needs to be restored. A mutant passes when it builds and its tests fail; what does not change
# exactly one line, or does not build, proves nothing and counts as failed.
set -u
cd "$(dirname "$0")/.." || exit 2
only=" $* "
work=$PWD/build/mutant
build=build/fast # within a copy of the tree
log=$work/log
passed=0
failed=0
# Random logs of replay_test, few so that it is quick; in 84 a smooth reads one sample of a chunk that it does not write.
export TERRAIN_TEST_SEED=70 TERRAIN_TEST_LOGS=15
unset TERRAIN_TEST_DEVICE TERRAIN_ISA
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs this

ok() {
    passed=$((passed + 1))
    echo "ok $1"
}

not_ok() {
    failed=$((failed + 1))
    echo "not ok $1"
}

# Makes `clean` equal the working tree. A file that is equal keeps its time, so what was built from it stays; any other gets the time of
# now, since its own may lie before that of an object built from what it replaces.
copy_tree() {
    mkdir -p "$work/clean" || return 1
    git ls-files -co --exclude-standard | while IFS= read -r file; do
        [ -f "$file" ] || continue # deleted, not yet so in the index
        cmp -s "$file" "$work/clean/$file" && continue
        mkdir -p "$work/clean/$(dirname "$file")" && cp "$file" "$work/clean/$file" || exit 1
    done || return 1
    (cd "$work/clean" && find . -path ./build -prune -o -type f -print) | while IFS= read -r file; do
        [ -f "$file" ] || rm "$work/clean/$file" || exit 1
    done
}

# Builds tests in the current folder, a copy of the tree.
build_tests() {
    targets=
    for test; do
        case $test in
        lint/spirv) targets="$targets spv $build/spirv_lint" ;;
        *) targets="$targets $build/tests/$test" ;;
        esac
    done
    # shellcheck disable=SC2086
    make -s -j"$(nproc)" config=fast CFLAGS_fast=-O1 $targets >"$log" 2>&1 </dev/null
}

run_test() {
    case $1 in
    lint/spirv) "$build/spirv_lint" "$build"/spv/*.spv ;;
    *) "$build/tests/$1" ;;
    esac >"$log" 2>&1 </dev/null
}

# mutant NAME FILE SED-EXPRESSION TEST...: every one of the tests must fail.
mutant() {
    case $only in "  " | *" $1 "*) ;; *) return ;; esac
    name=$1
    file=$2
    expression=$3
    shift 3
    rm -rf "$work/mutant"
    cp -pR "$work/clean" "$work/mutant" && cd "$work/mutant" || exit 2
    sed "$expression" "$work/clean/$file" >"$file"
    lines=$(diff "$work/clean/$file" "$file" | grep -c '^>')
    if [ "$lines" != 1 ]; then
        not_ok "$name: changes $lines lines of $file, expected 1"
        return
    elif ! build_tests "$@"; then
        cat "$log"
        not_ok "$name: does not build"
        return
    fi
    caught=
    for test; do
        if run_test "$test"; then
            not_ok "$name: survived $test"
            return
        fi
        caught="$caught${caught:+, }$test"
    done
    ok "$name: caught by $caught"
}

copy_tree || { echo "cannot copy the tree to $work/clean" >&2; exit 2; }
cd "$work/clean" || exit 2
tests="unit/brush_test unit/falloff_test unit/shape_test unit/exact_test unit/march_test unit/gpu_test
    property/replay_test property/sphere_test lint/spirv"
# shellcheck disable=SC2086
build_tests $tests || { cat "$log"; echo "the unchanged tree does not build" >&2; exit 2; }
for test in $tests; do
    run_test "$test" || { tail -n 60 "$log"; not_ok "unchanged: $test fails"; }
done
[ $failed = 0 ] || { echo "$passed passed, $failed failed"; exit 1; }
ok "unchanged: passes all tests below"

# Shared arithmetic: cpu and kernels are wrong alike, so measurement and the naive replay must see it.
mutant raise-rounding shaders/brush.h 's/rise + 0\.5f/rise + 0.25f/' unit/brush_test property/replay_test
mutant smooth-mean shaders/brush.h 's/w \* 0\.25f/w * 0.2f/' unit/exact_test property/replay_test
mutant falloff-linear shaders/falloff.h '/FALLOFF_LINEAR) {/{n;s/w = p/w = t/;}' unit/falloff_test property/replay_test
mutant blend-sign shaders/shape.h 's/m - dip/m + dip/' unit/shape_test property/replay_test
mutant crossing-clamp shaders/surface.h 's/1, 255)/1, 256)/' unit/exact_test
mutant crossing-rounding shaders/surface.h 's/512u \* m + sum/512u * m/' unit/exact_test
# Kernels alone: the cpu is right, so only a comparison of the two can see it.
mutant bricks-box lib/bake/bricks.c 's/z <= slot->hi_z/z < slot->hi_z/' unit/gpu_test
mutant bricks-reach lib/bake/bricks.c 's/BRICK_REACH 8\.0/BRICK_REACH 4.0/' unit/gpu_test
mutant blocks-last shaders/blocks.comp 's/i < brick\.count/i + 1u < brick.count/' unit/gpu_test
mutant field-height shaders/field.comp 's/TR_TILE_SAMPLES + x + 1/TR_TILE_SAMPLES + x/' unit/gpu_test
mutant triangles-word shaders/mc_triangles.comp 's/x = 32u/x = 31u/' unit/gpu_test
# What one device leaves alone another may fuse, so no comparison is sure to see it; a rule must.
mutant not-precise shaders/brush.h 's/PF rise = w/float rise = w/' lint/spirv
# The cpu's mesher, and the order of the replay.
mutant march-count lib/mesh/march_isa.c 's/c\[i\]\.x >> 1/c[i].x >> 2/' unit/march_test property/sphere_test
mutant smooth-before lib/run/replay.c 's/chunks_of(reads)/chunks_of(writes)/' property/replay_test
mutant smooth-after lib/run/replay.c 's/open = stage + 1/open = stage/' property/replay_test

[ $# = 0 ] || [ $((passed + failed)) = $(($# + 1)) ] || { echo "no such mutant among: $*" >&2; exit 2; }
echo "$passed passed, $failed failed"
[ $failed = 0 ]
