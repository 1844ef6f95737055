# Paint: level ground of 50 m, its columns around (64, 64) painted 7, with a round hollow around (64, 40, 64) whose walls are painted 3.
. "$(dirname "$0")/../support/cli.sh"
printf 'ncols 3\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 64\n50 50 50\n50 50 50\n50 50 50\n' >level.asc
shape='"shape": {"type": "sphere", "center": [64, 40, 64], "radius": 6}'
printf '%s\n' '{"format": "terrain-edits", "version": 1, "edits": [{"id": "hollow", "op": "subtract", '"$shape"'}]}' >hollow.json
printf '%s\n' '{"format": "terrain-edits", "version": 1, "edits": [' \
    '{"id": "meadow", "op": "paint", "at": [64, 64], "radius": 20, "material": 7},' \
    '{"id": "walls", "op": "paint", "material": 3, '"$shape"'}]}' >paint.json
expect 0 "" gen --dem level.asc -o level
expect 0 "" apply-log level hollow.json -o plain
expect 0 "" apply-log plain paint.json -o painted
expect 0 "" verify painted

# sample: the column's material, that of each surface, that of the ground at a point; JSON leaves out what is not painted
expect 0 "" sample painted 64,64 0.5,100 64,33.5,64 64,40,64 64,49,64
cat >expected.txt <<'END'
64,64  height 50.000 m of material 7; surfaces 50.000 m on ground of material 7, 46.000 m over air of material 3, 34.000 m on ground of material 3
0.5,100  height 50.000 m
64,33.5,64  distance -0.500 m, solid of material 3
64,40,64  distance 6.000 m, air
64,49,64  distance -1.000 m, solid of material 7
END
cmp -s out.txt expected.txt || fail "sample: $(cat out.txt)"
expect 0 '"height_m":50,"material":7,"sculpted":true,"surfaces":[{"y_m":50,"solid_below":true,"material":7},{"y_m":46,"solid_below":false,"material":3},' sample --json painted 64,64
expect 0 '"distance_m":-0.5,"solid":true,"material":3}' sample --json painted 64,33.5,64
expect 0 '{"points":[{"x_m":0.5,"z_m":100,"height_m":50,"sculpted":false,"surfaces":[{"y_m":50,"solid_below":true}]}]}' sample --json painted 0.5,100

# dump --paint: the ids in every form; diff counts the same ones
columns=0
samples=0
for cx in 0 1; do
    for cz in 0 1; do
        expect 0 "" dump painted $cx,$cz --paint -o columns.raw --force
        expect 0 "" dump painted $cx,$cz --paint --block 0 -o block.raw --force
        [ "$(wc -c <columns.raw)" = 4096 ] && [ "$(wc -c <block.raw)" = 262144 ] || fail "raw paint is $(wc -c columns.raw block.raw)"
        columns=$((columns + $(od -An -v -tu1 -w1 columns.raw | grep -c ' 7$')))
        samples=$((samples + $(od -An -v -tu1 -w1 block.raw | grep -c ' 3$')))
        [ "$(cat columns.raw block.raw | od -An -v -tu1 -w1 | grep -vc ' [037]$')" = 0 ] || fail "chunk $cx,$cz holds other paint than 3 and 7"
    done
done
[ $columns -gt 1200 ] && [ $columns -lt 1300 ] || fail "$columns columns are painted, expected some 20 * 20 * 3.14"
[ $samples -gt 400 ] || fail "$samples samples of blocks are painted"
expect 1 "4 of 9 chunks differ" diff plain painted
grep -q "paint  *$(printf '%s' "$columns" | sed 's/\([0-9]\)\([0-9]\{3\}\)$/\1,\2/') columns, $(printf '%s' "$samples" | sed 's/\([0-9]\)\([0-9]\{3\}\)$/\1,\2/') samples of blocks differ" out.txt ||
    fail "$columns columns and $samples samples are painted, diff says: $(cat out.txt)"
! grep -q 'heights\|3D' out.txt || fail "diff of paint alone: $(cat out.txt)"
expect 1 "\"heights_changed\":0,\"samples_changed\":0,\"column_paint_changed\":$columns,\"block_paint_changed\":$samples," diff --json plain painted
expect 0 "" dump painted 0,0 --paint
[ "$(head -n 1 out.txt)" = "# chunk 0,0, material ids" ] && [ "$(sed -n '65p' out.txt | awk '{ print $1, $63, $64 }')" = "0 7 7" ] || fail "dump --paint: $(head -n 1 out.txt; sed -n '65p' out.txt)"
expect 0 "63,63,7" dump painted 0,0 --paint --format csv
[ "$(head -n 1 out.txt)" = "x_m,z_m,material" ] || fail "csv of paint: $(head -n 1 out.txt)"
expect 0 '{"cx":0,"cz":0,"size":[64,64],"materials":[0,0,' dump painted 0,0 --paint --json
expect 0 "# chunk 0,0, material ids at y = 34" dump painted 0,0 --paint --block 0
expect 0 "" dump level 0,0 --paint --format csv
[ "$(awk -F, 'NR > 1 && $3 != 0' out.txt | wc -l)" = 0 ] || fail "paint of a chunk that has none: $(cat out.txt)"
expect 2 "paint is no picture" dump painted 0,0 --paint -o paint.png

# info, ls: which chunks are painted
expect 0 "painted     4 of 9 chunks" info painted
expect 0 '"painted_chunks":4,' info --json painted
expect 0 '"painted_chunks":0,' info --json plain
expect 0 "" ls painted
[ "$(awk 'NR > 1 && $9 == "yes"' out.txt | wc -l)" = 4 ] && [ "$(awk 'NR > 1 && $9 == "-"' out.txt | wc -l)" = 5 ] || fail "ls: $(cat out.txt)"
expect 0 '"painted":true' ls --json painted

# a damaged section of paint is told
cp -r painted broken
chmod -R u+w broken
file=$(find broken/chunks -name 'c.0.0.trc')
printf '%s' "$(od -An -tu1 -j8 -N1 "$file")" | grep -q 2 || fail "a painted chunk is no file of version 2"
at=$(od -An -tu4 -j88 -N4 "$file" | tr -d ' ') # where section 1, the paint of the columns, begins
printf 'X' | dd of="$file" bs=1 seek="$at" conv=notrunc 2>/dev/null
expect 1 "paint at byte $at: checksum" verify broken
finish
