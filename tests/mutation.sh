#!/bin/sh
# The tests can fail: mutants of the kernels, of the arithmetic that cpu and kernels share, and of the replay are each caught by every test
# that is named for them. Ends with the line "N passed, N failed".
#   tests/mutation.sh [NAME...]      only these mutants
#
# A mutant is the tree with one line changed by a sed expression. All is done under build/mutant: `clean` is a copy of the working tree,
# built and tested unchanged first; `mutant-0`, `mutant-1`, ..., one for each processor, begin as copies of `clean` with its objects and their
# times, so that only what depends on the changed file is built, and nothing needs to be restored. A mutant passes when it builds and its tests fail; what does not change
# exactly one line, or does not build, proves nothing and counts as failed.
set -u
cd "$(dirname "$0")/.." || exit 2
only=" $* "
work=$PWD/build/mutant
build=build/fast # within a copy of the tree
log=$work/log
lanes=$(nproc)
lane=
number=0
passed=0
failed=0
# Random logs of replay_test, so few that it is quick and so many that each mutant makes one of them differ.
export TERRAIN_TEST_SEED=1 TERRAIN_TEST_LOGS=40
# Random windows of seams_test, and none of them made smaller.
export TERRAIN_TEST_WINDOWS=100 TERRAIN_TEST_SHRINK=0
# The first test that fails ends its program.
export CMOCKA_TEST_ABORT=1
ulimit -c 0
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
    number=$((number + 1))
    [ $((number % lanes)) = "$lane" ] || return
    name=$1
    file=$2
    expression=$3
    shift 3
    rm -rf "$work/mutant-$lane"
    cp -pR "$work/clean" "$work/mutant-$lane" && cd "$work/mutant-$lane" || exit 2
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
tests="unit/brush_test unit/blend_test unit/falloff_test unit/shape_test unit/tree_test unit/volume_test unit/exact_test
    unit/edit_test unit/lattice_test unit/tile_mesh_test unit/height_tile_test unit/mesh_world_test unit/glb_test unit/gpu_test property/replay_test property/sphere_test property/seams_test lint/spirv"
# shellcheck disable=SC2086
build_tests $tests || { cat "$log"; echo "the unchanged tree does not build" >&2; exit 2; }
for test in $tests; do
    run_test "$test" || { tail -n 60 "$log"; not_ok "unchanged: $test fails"; }
done
[ $failed = 0 ] || { echo "$passed passed, $failed failed"; exit 1; }
ok "unchanged: passes all tests below"

all_mutants() {
    # Shared arithmetic: cpu and kernels are wrong alike, so measurement and the naive replay must see it.
    mutant raise-rounding shaders/brush.h 's/change + 0\.5f/change + 0.25f/' unit/brush_test property/replay_test
    mutant smooth-mean shaders/brush.h 's/w \* 0\.25f/w * 0.2f/' unit/exact_test property/replay_test
    mutant hc-beta shaders/brush.h 's/w = w \* slot\.px/w = w/' unit/brush_test property/replay_test
    mutant follow-carved shaders/brush.h 's/s > f ? tr_imax(s, f2)/s > f ? tr_imin(s, f2)/' unit/brush_test property/replay_test
    mutant paint-settles shaders/brush.h 's/return s == f ? 0 : paint/return paint/' property/replay_test
    mutant paint-ground shaders/ground.h 's/height >> 8) - slot/(height + 255) >> 8) - slot/' property/replay_test
    mutant paint-reach shaders/ground.h 's/paints = d <= slot\.reach/paints = d <= 0.0f/' property/replay_test
    mutant falloff-linear shaders/falloff.h '/FALLOFF_LINEAR) {/{n;s/w = p/w = t/;}' unit/falloff_test property/replay_test
    mutant blend-sign shaders/blend.h 's/m - dip/m + dip/' unit/blend_test property/replay_test
    mutant blend-chamfer shaders/blend.h 's/face \* 0\.70710678f/face * 0.75f/' unit/blend_test property/replay_test
    mutant blend-stairs shaders/blend.h 's/0\.5f \* step/0.25f * step/' unit/blend_test property/replay_test
    mutant box-faces shaders/tree.h 's/PF ex = tr_max(ax, bx)/PF ex = tr_min(ax, bx)/' unit/tree_test property/replay_test
    mutant cylinder-edge shaders/tree.h '/tr_leaf_cylinder/,/^}/s/none = tr_min(none, 0\.0f)/none = tr_max(none, 0.0f)/' unit/tree_test property/replay_test
    mutant torus-height shaders/tree.h 's/PF d = side \* side + g \* g/PF d = side * side + g/' unit/tree_test property/replay_test
    mutant cone-inside shaders/tree.h 's/slope_x < 0\.0f && end_y < 0\.0f/slope_x < 0.0f/' unit/tree_test property/replay_test
    mutant ellipsoid-surface shaders/tree.h 's/PF d = n - 1\.0f/PF d = n - 0.75f/' unit/tree_test property/replay_test
    mutant tree-swap shaders/tree.h 's/PF x = swapped ? top : under/PF x = under/' unit/tree_test property/replay_test
    mutant volume-mean shaders/volume.h 's/w \* 0\.16666667f/w * 0.14285714f/' unit/volume_test property/replay_test
    mutant volume-axis shaders/volume.h 's/PF vx = qx - along \* slot\.ux/PF vx = qx/' unit/volume_test property/replay_test
    mutant volume-end shaders/volume.h 's/d = end < 1\.0f ? d : 1\.0f/d = end < 2.0f ? d : 1.0f/' unit/volume_test property/replay_test
    mutant plane-offset shaders/volume.h 's/plane = plane + slot\.p0/plane = plane - slot.p0/' unit/volume_test property/replay_test
    mutant noise-corner shaders/brush_noise.h 's/n110 - n010/n110 - n100/' property/replay_test
    mutant noise-octaves shaders/brush_noise.h '/tr_brush_octave3/,/^}/s/(127u - o)/(126u - o)/' property/replay_test
    mutant noise-cells shaders/brush_noise.h '/tr_brush_octave2/,/^}/s/(tr_words\[at + 2u\] << o)/tr_words[at + 2u]/' property/replay_test
    mutant crossing-clamp shaders/surface.h 's/1, 255)/1, 256)/' unit/exact_test
    mutant crossing-rounding shaders/surface.h 's/512u \* m + sum/512u * m/' unit/exact_test
    # Kernels alone: the cpu is right, so only a comparison of the two can see it.
    mutant bricks-box lib/bake/bricks.c 's/z <= box\.hi\[2\]/z < box.hi[2]/' unit/gpu_test
    mutant bricks-reach lib/bake/bricks.c 's/BRICK_REACH 8\.0/BRICK_REACH 4.0/' unit/gpu_test
    mutant blocks-last shaders/blocks.comp 's/i < brick\.count/i + 1u < brick.count/' unit/gpu_test
    mutant field-height shaders/field.comp 's/TR_TILE_SAMPLES + x + 1/TR_TILE_SAMPLES + x/' unit/gpu_test
    mutant triangles-word shaders/mc_triangles.comp 's/x = 32u/x = 31u/' unit/gpu_test
    # What one device leaves alone another may fuse, so no comparison is sure to see it; a rule must.
    mutant not-precise shaders/brush.h '/tr_brush_raise/,/^}/s/PF rise = w/float rise = w/' lint/spirv
    # The cpu's mesher, and the order of the replay.
    mutant march-count lib/mesh/lattice_isa.c 's/c\[i\]\.x >> 1/c[i].x >> 2/' unit/lattice_test property/sphere_test
    # Levels of detail: what closes them.
    mutant lattice-half lib/mesh/lattice_isa.c '/^static uint32_t half_along_x/,/^}/s/? x : x + 1/? x : x/' unit/lattice_test property/seams_test
    mutant move-any lib/mesh/tile_mesh.c 's/upper = upper & ~samples->transitions ? 0 : upper/upper = upper \& samples->transitions/' property/seams_test
    mutant move-round lib/mesh/tile_mesh.c 's/(moved + 2) >> 2/moved >> 2/' unit/tile_mesh_test property/seams_test
    mutant transition-right lib/mesh/tile_transition.c 's/face->right\[1\] = vertex\[11\]/face->right[1] = vertex[8]/' property/seams_test
    mutant height-multiple shaders/height_vertex.h 's/? height + 1 : height/? height : height/' unit/height_tile_test property/seams_test
    mutant height-half lib/mesh/height_border.c 's/marched\[half\], half \* width/marched[0], half * width/' unit/height_tile_test property/seams_test
    mutant column-plane lib/run/column_kinds.c 's/planes\[1\] & DIFFERS_AT_X0/planes[1] \& DIFFERS_AT_Z0/' unit/mesh_world_test
    # Quantised exports: what keeps borders equal and indices whole.
    mutant glb-step lib/pack/glb_quantise.c 's/exponent - 1)/exponent)/' unit/glb_test
    mutant glb-widen lib/pack/glb_quantise.c 's/step + 1 > UINT16_MAX/step > 70000 + UINT16_MAX/' unit/glb_test
    mutant glb-restart lib/pack/glb_tile.c 's/vertex_count <= U16_VERTICES_MAX/vertex_count <= U16_VERTICES_MAX + 1/' unit/glb_test
    mutant smooth-before lib/run/replay_plan.c 's/chunks_of(reads)/chunks_of(writes)/' property/replay_test
    mutant smooth-after lib/run/replay_plan.c 's/plan_read(replay, range, 1, /plan_read(replay, range, 0, /' property/replay_test
    mutant start-column lib/edit/edit.c 's/at\[2\] + 0\.5/at[2]/' unit/edit_test
}

# Each lane takes every so many mutants of the list, and says how it went in its last line.
lane_main() {
    lane=$1
    log=$work/log-$lane
    passed=0
    failed=0
    all_mutants
    echo "$passed $failed"
}

lane=0
while [ $lane -lt "$lanes" ]; do
    lane_main $lane >"$work/lane-$lane" 2>&1 &
    lane=$((lane + 1))
done
wait
lane=0
while [ $lane -lt "$lanes" ]; do
    sed '$d' "$work/lane-$lane"
    read -r good bad <<END
$(tail -n 1 "$work/lane-$lane")
END
    passed=$((passed + good))
    failed=$((failed + bad))
    lane=$((lane + 1))
done

[ $# = 0 ] || [ $((passed + failed)) = $(($# + 1)) ] || { echo "no such mutant among: $*" >&2; exit 2; }
echo "$passed passed, $failed failed"
[ $failed = 0 ]
