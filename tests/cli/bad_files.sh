# Worlds, packs and elevation that are not what they must be; outputs that must not be touched.
. "$(dirname "$0")/../support/cli.sh"
printf 'ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\nnodata_value -9999\n1 2 3\n4 5 6\n' >good.asc
expect 0 "1 x 1 chunks" gen --dem good.asc -o world

# elevation
dem() {
    cat >bad.asc
    expect 3 "$1" gen --dem bad.asc -o out
    expect_absent out
}
expect 4 "none.asc" gen --dem none.asc -o out
: | dem "bad.asc"
printf 'ncols 3\nnrows 2\ncellsize 10\n' | dem "bad.asc"
printf 'ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3\n4 5\n' | dem "bad.asc"
printf 'ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3\n4 5 6 7\n' | dem "bad.asc"
printf 'ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3\n4 nan 6\n' | dem "nan"
printf 'ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3\n4 1e999 6\n' | dem "1e999"
printf 'ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n1 2 3\n4 -9999 6\n' | dem "no-data"
printf 'ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3\n4 -9999 6\n' | dem "no-data (-9999)"
printf 'ncols 60000\nnrows 60000\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3\n' | dem "bad.asc"
printf 'ncols -3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3\n4 5 6\n' | dem "ncols"
printf 'ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 0\n1 2 3\n4 5 6\n' | dem "cellsize"

# outputs that exist
expect 4 "--force" gen --dem good.asc -o world
echo keep >file
expect 4 "file" gen --dem good.asc -o file
[ "$(cat file)" = keep ] || fail "an existing file was changed"
mkdir folder
echo keep >folder/mine
expect 4 "folder" gen --dem good.asc -o folder --force
[ "$(cat folder/mine)" = keep ] || fail "--force removed a folder that is no world"
expect 0 "" gen --dem good.asc -o world --force

# worlds and packs
expect 4 "nowhere" mesh nowhere -o out.tpack
expect 3 "folder" info folder
expect 0 "" mesh world -o pack.tpack
expect 4 "--force" mesh world -o pack.tpack
expect 3 "good.asc" info good.asc
expect 3 "neither a world nor a mesh pack" verify good.asc
expect 3 "is a chunk file" info "$(find world/chunks -type f | head -n 1)"
expect 3 "is no folder" mesh pack.tpack -o out.tpack
head -c 100 pack.tpack >cut.tpack
expect 1 "cut.tpack: bad" verify cut.tpack
expect 3 "cut.tpack" export cut.tpack -o out.glb
expect_absent out.glb
cp -r world broken
chmod -R u+w broken
chunk=$(find broken/chunks -name '*0.0*' | head -n 1)
printf 'X' | dd of="$chunk" bs=1 seek=70 conv=notrunc 2>/dev/null
expect 1 "broken: bad" verify broken
expect 3 "broken" mesh broken -o out.tpack
expect_absent out.tpack
: >"$chunk"
expect 1 "broken: bad" verify broken
rm "$chunk"
expect 1 "is missing" verify broken
expect 3 "is missing" mesh broken -o out.tpack

# full disk, closed output
if [ -e /dev/full ]; then
    status=0
    "$terrain" info world >/dev/full 2>err.txt || status=$?
    [ $status = 4 ] || fail "info to a full device: exit $status, expected 4"
fi
finish
