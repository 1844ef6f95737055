# The sample world: what the demo bakes is closed, holds a cave, shares unchanged chunk files, and is the same at any number of jobs.
. "$(dirname "$0")/../support/cli.sh"
samples=$root/samples
expect 0 "5 x 7 chunks" gen --dem "$samples/maunga-whau.asc" --voxel-size 2 -o world
expect 0 "15 edits" apply-log world "$samples/crater-cave.json" -o edited
expect 1 "15: rim-west" diff world edited
expect 0 "" diff world world
"$terrain" diff --json world edited >out.txt
grep -q '"equal":false' out.txt || fail "diff --json says they differ"
expect 0 "triangles" mesh edited -o a.tpack --jobs 1
expect 0 "triangles" mesh edited -o b.tpack --jobs 3
cmp a.tpack b.tpack || fail "meshes of 1 and 3 jobs differ"
expect 0 "closed but for the world's sides" verify a.tpack
# a height map has Euler number 1 (a disk); the tunnel with its pillar and arch make handles
"$terrain" verify --json a.tpack | grep -q '"euler":-3,' || fail "the surface has no tunnel: $("$terrain" verify --json a.tpack)"
"$terrain" mesh -q world -o plain.tpack
"$terrain" verify --json plain.tpack | grep -q '"euler":1,' || fail "a height field is a disk"
# chunks that no edit reached are the same files, and read-only
same=0
for file in $(cd world && find chunks -type f); do
    [ "world/$file" -ef "edited/$file" ] && same=$((same + 1))
    [ "$(stat -c %a "edited/$file")" = 444 ] || fail "$file is not read-only"
done
[ "$same" = 39 ] || fail "$same of 48 chunk files are shared, expected 39"
# in the log's order, edit by edit or in one go
"$terrain" apply-log -q world "$samples/crater-cave.json" --until chamber -o half
"$terrain" diff -q half edited
[ $? = 1 ] || fail "half of the log gives another world"
for jobs in 1 2 5; do
    "$terrain" apply-log -q world "$samples/crater-cave.json" --jobs $jobs --force -o again
    expect 0 "" diff edited again
done
for format in glb obj ply stl; do
    expect 0 "triangles" export a.tpack -o w.$format
    [ -s w.$format ] || fail "w.$format is empty"
done
expect 0 "pixels" preview edited -o relief.png
expect 0 "pixels" preview edited --slice z=562 -o slice.png
expect 3 "slice" preview edited --slice z=99999 -o far.png
expect_absent far.png
expect 0 "good" verify edited
finish
