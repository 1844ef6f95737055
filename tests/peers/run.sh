#!/bin/sh
# Has the demo's exports judged by the programs of others, and the judges by damaged copies of the same files, which they must refuse.
#   tests/peers/run.sh BUILD_DIR        ends with "N passed, N failed"
set -u
build=${1:?usage: run.sh BUILD_DIR}
here=$(dirname "$0")
demo=build/demo
terrain=$build/terrain
passed=0
failed=0
"$here/../deps.sh" peers || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

result() {
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}

for file in "$demo"/world.glb "$demo"/scatter.glb "$demo"/world.stl; do
    "$here/peers.sh" "$build" "$file"
    result $?
done

# Every profile and form of splat weights, of one level, of rings with geomorph targets, and of a level that 16 bits make round; what `web`
# decodes to in a program of others is `plain`.
"$terrain" mesh -q "$demo/world-edited" --focus 375,563 --rings 3 --ring-width 1 -o "$scratch/rings.tpack" || result 1
"$terrain" mesh -q "$demo/world-edited" --lod 2 --morph -o "$scratch/far.tpack" || result 1
cp "$demo/world.tpack" "$scratch/near.tpack"
for pack in near rings far; do
    for splat in attribute color texture none; do
        for profile in plain engine web; do
            file=$scratch/$pack-$splat-$profile.glb
            "$terrain" export -q "$scratch/$pack.tpack" --profile $profile --splat $splat -o "$file" && "$here/peers.sh" "$build" "$file"
            result $?
        done
    done
    node "$here/same.mjs" "$build/peers" "$scratch/$pack-attribute-plain.glb" "$scratch/$pack-attribute-web.glb"
    result $?
done
for kind in web-moved-tile web-swapped-positions; do
    if ! node "$here/damage.mjs" $kind "$scratch/rings-attribute-web.glb" "$scratch/$kind.glb"; then
        result 1
    elif node "$here/same.mjs" "$build/peers" "$scratch/rings-attribute-plain.glb" "$scratch/$kind.glb" >"$scratch/log"; then
        echo "not ok: the judge took a file with the damage $kind for good"
        result 1
    else
        echo "$kind: refused: ok"
        result 0
    fi
done
"$terrain" export -q "$scratch/near.tpack" --profile web --tiles-per-file 10 -o "$scratch/parts" --format glb && "$here/peers.sh" "$build" "$scratch"/parts/*.glb
result $?

for kind in stl-hole stl-flipped-facet stl-inside-out stl-wrong-normal \
    glb-wrong-bounds glb-index-out-of-range glb-normal-not-unit glb-cut-short; do
    extension=${kind%%-*}
    damaged=$scratch/$kind.$extension
    if ! node "$here/damage.mjs" "$kind" "$demo/world.$extension" "$damaged"; then
        result 1
    elif "$here/peers.sh" "$build" "$damaged" >"$scratch/log"; then
        echo "not ok: the judge took a file with the damage $kind for good"
        result 1
    else
        echo "$kind: refused: ok"
        result 0
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
