#!/bin/sh
# Bakes the sample world with the real commands, printing each: Maunga Whau gets a crater rim, a smoothed slope and a cave.
#   samples/demo.sh TERRAIN FOLDER
set -eu
terrain=$1
out=$2
samples=$(dirname "$0")
mkdir -p "$out"

step() {
    printf '\n$ terrain'
    printf ' %s' "$@"
    printf '\n'
    "$terrain" "$@"
}

step gen --dem "$samples/maunga-whau.asc" --voxel-size 2 -o "$out/world" --force
step apply-log "$out/world" "$samples/crater-cave.json" -o "$out/world-edited" --force
printf '\n$ terrain diff %s %s\n' "$out/world" "$out/world-edited"
status=0
"$terrain" diff "$out/world" "$out/world-edited" || status=$?
echo "(exit $status: they differ)"
[ "$status" = 1 ]
step mesh "$out/world-edited" -o "$out/world.tpack" --force
for format in glb obj ply stl; do
    step export "$out/world.tpack" -o "$out/world.$format" --force
done
step scatter "$out/world-edited" "$samples/scatter.example.json" -o "$out/scatter.glb" --force
step preview "$out/world-edited" -o "$out/relief.png" --force
step preview "$out/world-edited" --slice z=562 -o "$out/slice.png" --force
step preview "$out/world.tpack" -o "$out/view.png" --force
step info "$out/world-edited"
step verify "$out/world-edited"
step verify "$out/world.tpack"
printf '\nLook at %s/view.png, relief.png and slice.png; load %s/world.glb into any glTF viewer.\n' "$out" "$out"
