# GLB: profiles, the step that is printed, one file or a folder of them.
. "$(dirname "$0")/../support/cli.sh"
expect 0 "" gen --preset hills --size 4x2 --seed 3 --device cpu -o world
expect 0 "" mesh world --device cpu -o near.tpack
expect 0 "" mesh world --lod 2 --morph --device cpu -o far.tpack
expect 0 "" gen --preset hills --size 4x2 --seed 3 --voxel-size 0.3 --device cpu -o odd
expect 0 "" mesh odd --device cpu -o odd.tpack

expect 0 "plain.glb: " export near.tpack -o plain.glb
! grep -q step err.txt || fail "floats have no step: $(cat err.txt)"
for profile in engine web; do
    expect 0 ", step 0.00390625 m, exact" export near.tpack -o $profile.glb --profile $profile
    expect 0 ", step 0.0078125 m: positions are rounded to it" export far.tpack -o far.glb --profile $profile -f
    expect 0 ", step 0.0009765625 m: positions are rounded to it" export odd.tpack -o odd.glb --profile $profile -f
done
size() {
    wc -c <"$1"
}
[ "$(size plain.glb)" -gt "$(size engine.glb)" ] || fail "engine is not smaller than plain"
[ "$(size engine.glb)" -gt $((2 * $(size web.glb))) ] || fail "web is not half of engine"
expect 0 "" export near.tpack -o again.glb --profile web
cmp web.glb again.glb || fail "two exports differ"

for splat in attribute color texture none; do
    expect 0 "" export near.tpack -o $splat.glb --splat $splat
done
cmp attribute.glb plain.glb || fail "the attribute is not the default"
grep -q _SPLAT0 attribute.glb || fail "no attribute"
grep -q COLOR_0 color.glb || fail "no colours"
grep -q image/png texture.glb || fail "no textures"
! grep -q "_SPLAT0\|COLOR_0\|image/png" none.glb || fail "weights in none"
expect 0 "" export far.tpack -o morph.glb
expect 0 "" export far.tpack -o still.glb --no-morph
grep -q '"targets"' morph.glb || fail "no morph targets"
! grep -q '"targets"' still.glb || fail "morph targets in spite of --no-morph"

# more tiles than a file holds: a folder
expect 0 " in 3 files, step" export near.tpack -o parts.glb --profile web --tiles-per-file 3
[ "$(ls parts.glb | tr '\n' ' ')" = "tiles-00001.glb tiles-00002.glb tiles-00003.glb " ] || fail "parts: $(ls parts.glb)"
expect 4 "exists" export near.tpack -o parts.glb --tiles-per-file 3
expect 4 "is a folder, expected a file to replace" export near.tpack -o parts.glb -f
expect 0 " in 8 files" export near.tpack -o parts.glb --tiles-per-file 1 -f
[ "$(ls parts.glb | wc -l)" = 8 ] || fail "parts are left of what was before: $(ls parts.glb)"
touch parts.glb/mine
expect 4 'has "mine" in it, expected a folder of tiles to replace' export near.tpack -o parts.glb --tiles-per-file 1 -f
expect_absent parts2.glb

expect 2 "--profile goes with glb" export near.tpack -o a.obj --profile web
expect 2 "--splat goes with glb" export near.tpack -o a.ply --splat color
expect 2 "--no-morph goes with glb" export near.tpack -o a.stl --no-morph
expect 2 "--tiles-per-file goes with glb" export near.tpack -o a.obj --tiles-per-file 2
expect 2 "expected one of plain|engine|web" export near.tpack -o a.glb --profile small
finish
