#!/bin/sh
# Has the demo's exports judged by the programs of others, and the judges by damaged copies of the same files, which they must refuse.
#   tests/peers/run.sh BUILD_DIR        ends with "N passed, N failed"
set -u
build=${1:?usage: run.sh BUILD_DIR}
here=$(dirname "$0")
demo=build/demo
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
