# Packs of all levels of detail: what info says of them, and exports of one level.
. "$(dirname "$0")/../support/cli.sh"
expect 0 "" gen --preset hills --size 4x2 --seed 3 --device cpu -o ground
cat >cave.json <<'END'
{"format": "terrain-edits", "version": 1, "edits": [
  {"op": "subtract", "shape": {"type": "capsule", "from": [128, -60, 64], "to": [128, 300, 64], "radius": 12}}
]}
END
expect 0 "" apply-log ground cave.json --device cpu -o world
expect 0 "" mesh world --all-lods --device cpu -o all.tpack
expect 0 "all.tpack: mesh pack, all levels of detail" info all.tpack
expect 0 "  LOD 0       16 tiles, 4 of heights, " info all.tpack
expect 0 "streams     geomorph targets, splat weights" info all.tpack
expect 0 '"form":"all_lods"' info --json all.tpack

# a level of all is that of the pack with no other, as a solid too
for lod in 0 1 2; do
    expect 0 "  LOD $lod       " info all.tpack
    expect 0 "" mesh world --lod $lod --device cpu -o one.tpack -f
    expect 0 '"form":"window"' info --json one.tpack
    for format in glb obj ply stl; do
        plain= # the pack of one level has no geomorph targets
        [ $format != glb ] || plain=--no-morph
        expect 0 "triangles" export one.tpack $plain -o one.$format -f
        expect 0 "triangles" export all.tpack --lod $lod $plain -o all.$format -f
        cmp one.$format all.$format || fail "level $lod as $format is another mesh in the pack of all levels"
    done
done
expect 1 "form        one window, all levels" diff one.tpack all.tpack

expect 2 "holds all levels, expected --lod with one of them: 0, 1, 2" export all.tpack -o no.obj
expect 2 "has no level 4, expected --lod with one of 0, 1, 2" export all.tpack --lod 4 -o no.obj
expect 2 "is one window (levels 2), expected no --lod" export one.tpack --lod 2 -o no.obj
expect_absent no.obj

# rings are exported as they stand, level beside level, as a solid without a gap
expect 0 "" mesh world --focus 0,0 --rings 3 --ring-width 1 --device cpu -o rings.tpack
expect 0 "" info rings.tpack
expect 0 "triangles" export rings.tpack -o rings.stl
finish
