# Meshes at every level of detail: closed and on the field as `verify --world` judges it, the same bytes for any number of jobs, and nothing
# that a level leaves out.
. "$(dirname "$0")/../support/cli.sh"

# hills of 5 x 3 chunks (no multiple of a coarse tile), with a cave through a chunk's corner, a crater on a border, an arch, paint, and a cliff
expect 0 "" gen --preset hills --size 5x3 --seed 3 --device cpu -o ground
cat >edits.json <<'END'
{"format": "terrain-edits", "version": 1, "edits": [
  {"op": "set", "at": [250, 30], "radius": 20, "height": 150, "falloff": "constant"},
  {"op": "subtract", "shape": {"type": "capsule", "from": [40, 5, 100], "to": [90, 12, 150], "radius": 9}},
  {"op": "subtract", "shape": {"type": "sphere", "center": [128, 20, 64], "radius": 14}},
  {"op": "union", "shape": {"type": "torus", "center": [70, 30, 40], "radius": 16, "tube": 4, "axis": [1, 0, 0]}},
  {"op": "paint", "material": 3, "shape": {"type": "sphere", "center": [128, 20, 64], "radius": 30}}
]}
END
expect 0 "" apply-log ground edits.json --device cpu -o world

# each of these is closed and lies on the field
check() {
    name=$1
    shift
    expect 0 "" mesh world "$@" --device cpu --jobs 1 -o "$name.tpack"
    expect 0 "$name.tpack: good" verify "$name.tpack" --world world
    expect 0 "" mesh world "$@" --device cpu --jobs 3 -o again.tpack -f
    cmp -s "$name.tpack" again.tpack || fail "mesh $*: 3 jobs give other bytes than 1"
}
for lod in 0 1 2 3 4 5 6; do
    check "lod$lod" --lod $lod
done
check morph --lod 1 --morph
check rings --focus 100,90 --rings 4 --ring-width 1
check corner --focus -5000,9000 --rings 7
check all --all-lods

# one ring is LOD 0, with the targets that rings have
expect 0 "" mesh world --focus 0,0 --rings 1 --device cpu -o one.tpack
expect 0 "" mesh world --lod 0 --morph --device cpu -o same.tpack
expect 0 "" diff same.tpack one.tpack
expect 1 "" diff lod0.tpack one.tpack

# a flat chunk is 64 x 64 cells of two triangles, at an integer height too
expect 0 "" gen --preset flat --size 1x1 -o flat
expect 0 "" mesh flat --device cpu -o flat.tpack
expect 0 '"triangles":8192' info --json flat.tpack
expect 0 '"vertices":4225' info --json flat.tpack
expect 0 "" mesh flat --lod 6 --device cpu -o flat6.tpack
expect 0 '"triangles":2' info --json flat6.tpack

# what is asked for in a wrong way
expect 2 "--lod" mesh world --lod 7 -o no.tpack
expect 2 "exclude each other" mesh world --lod 1 --all-lods -o no.tpack
expect 2 "--rings needs --focus" mesh world --rings 2 -o no.tpack
expect 2 "--ring-width needs --focus" mesh world --ring-width 2 --all-lods -o no.tpack
expect 2 "--focus is '1', expected X,Z in metres" mesh world --focus 1 -o no.tpack
expect_absent no.tpack
finish
