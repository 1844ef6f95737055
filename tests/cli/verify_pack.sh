# What `verify` says of packs, with and without the world: its lines, its JSON, its exit status.
. "$(dirname "$0")/../support/cli.sh"

expect 0 "" gen --preset hills --size 4x4 --seed 9 --device cpu -o ground
cat >edits.json <<'END'
{"format": "terrain-edits", "version": 1, "edits": [
  {"op": "subtract", "shape": {"type": "sphere", "center": [128, 20, 128], "radius": 14}},
  {"op": "union", "shape": {"type": "sphere", "center": [40, 90, 40], "radius": 6}}
]}
END
expect 0 "" apply-log ground edits.json --device cpu -o world
expect 0 "" mesh world --device cpu -o fine.tpack
expect 0 "" mesh world --focus 0,0 --rings 2 --ring-width 1 --device cpu -o rings.tpack
expect 0 "" mesh world --all-lods --device cpu -o all.tpack

expect 0 "fine.tpack: good" verify fine.tpack
expect 0 "closed but for the world's sides; 2 parts, Euler number 3" verify fine.tpack
expect 0 "it is the surface of world" verify fine.tpack --world world
expect 0 "LOD 1: " verify rings.tpack --world world
expect 0 "closed, whichever levels are chosen: 15 selections tried" verify all.tpack --world world
expect 0 "" verify --quiet all.tpack --world world --jobs 1
[ ! -s out.txt ] || fail "verify --quiet printed: $(cat out.txt)"

expect 0 '"open_edges":0' verify --json fine.tpack
expect 0 '"levels":[{"lod":0,' verify --json rings.tpack
expect 0 '"name":"LOD 1 and 0 by turns along x","good":true' verify --json all.tpack
expect 0 '"off_surface":0,"wrong_normals":0,"wrong_materials":0,"turned":0,"wrong_lines":0' verify --json rings.tpack --world world
"$terrain" verify --json all.tpack --world world --jobs 1 >one.json
"$terrain" verify --json all.tpack --world world --jobs 3 >three.json
cmp -s one.json three.json || fail "3 jobs say: $(cat three.json)"

# the world must be the one that was meshed
expect 3 '"ground": world hash' verify fine.tpack --world ground
expect 3 'the world that "fine.tpack" was meshed from' verify fine.tpack --world ground
expect 2 '--world is for packs' verify world --world world
expect 4 "" verify fine.tpack --world nothing
finish
