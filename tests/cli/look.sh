# A look inside: ls, dump, sample, raycast, and preview of packs, on level ground of 50 m with a round hollow of radius 6 m around (64, 40, 64).
. "$(dirname "$0")/../support/cli.sh"
printf 'ncols 3\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 64\n50 50 50\n50 50 50\n50 50 50\n' >level.asc
printf '%s\n' '{"format": "terrain-edits", "version": 1, "edits": [{"id": "hollow", "op": "subtract",' \
    '"shape": {"type": "sphere", "center": [64, 40, 64], "radius": 6}}]}' >hollow.json
expect 0 "2 x 2 chunks" gen --dem level.asc -o level
expect 0 "" apply-log level hollow.json -o world
for command in ls dump sample raycast; do
    expect 0 "terrain $command WORLD" help $command
    expect 2 "found 0 arguments" $command
    expect 2 "unknown option '--nonsense'" $command world --nonsense
done

# same NAME: out.txt, what the last command wrote, is what standard input holds.
same() {
    cat >expected.txt
    cmp -s out.txt expected.txt || fail "$1: wrote $(cat out.txt), expected $(cat expected.txt)"
}

# ls: a line a chunk with the rim, in order of the index; the same at any number of jobs
expect 0 "" ls world
[ "$(wc -l <out.txt)" = 10 ] || fail "ls of 2 x 2 chunks and their rim has $(wc -l <out.txt) lines, expected 10"
awk 'NR > 1 { print $1, $2, $3, $4, $5, $6 }' out.txt >found.txt
mv found.txt out.txt
same "ls" <<'END'
0 0 50.000 50.000 1 0
1 0 50.000 50.000 1 0
2 0 50.000 50.000 0 -
0 1 50.000 50.000 1 0
1 1 50.000 50.000 1 0
2 1 50.000 50.000 0 -
0 2 50.000 50.000 0 -
1 2 50.000 50.000 0 -
2 2 50.000 50.000 0 -
END
"$terrain" ls world -j 1 >one.txt
"$terrain" ls world -j 7 >seven.txt
cmp -s one.txt seven.txt || fail "ls depends on the number of jobs"
for file in $(awk 'NR > 1 { printf "%s.%s:%s\n", $1, $2, $7 }' one.txt); do
    bytes=$(wc -c <"$(find world/chunks -name "c.${file%:*}.trc")")
    [ "$bytes" = "${file#*:}" ] || fail "ls says ${file#*:} bytes of chunk ${file%:*}, its file has $bytes"
done
expect 0 "" ls --volumetric world
[ "$(wc -l <out.txt)" = 5 ] || fail "ls --volumetric: $(cat out.txt)"
expect 0 "" ls --volumetric level
[ "$(wc -l <out.txt)" = 1 ] || fail "ls --volumetric of heights alone: $(cat out.txt)"
expect 0 '{"cx":0,"cz":0,"lowest_m":50,"highest_m":50,"blocks":1,"rows":[0],"file_bytes":' ls --json world
expect 0 '"hash":"'"$(awk 'NR == 2 { print $8 }' one.txt)" ls --json world
expect 4 "nowhere" ls nowhere

# sample: every surface, distances, standard input, the world's range
expect 0 "" sample world 64,64 0.5,100 64,40,64 64,49.5,0 -
same "sample" <<'END'
64,64  height 50.000 m; surfaces 50.000 m on ground, 46.000 m over air, 34.000 m on ground
0.5,100  height 50.000 m
64,40,64  distance 6.000 m, air
64,49.5,0  distance -0.500 m, solid
END
printf '1,2\r\n\n128,51,128' | "$terrain" sample world - >out.txt 2>err.txt || fail "sample -: $(cat err.txt)"
same "sample -" <<'END'
1,2  height 50.000 m
128,51,128  distance 1.000 m, air
END
expect 0 '{"points":[{"x_m":64,"z_m":64,"height_m":50,"sculpted":true,"surfaces":[{"y_m":50,"solid_below":true},' sample --json world 64,64
expect 0 '{"x_m":64,"y_m":35,"z_m":64,"distance_m":1,"solid":false}' sample --json world 64,35,64
expect 3 "x -1, z 2 is outside the world, expected x 0 to 128 and z 0 to 128 metres" sample world -1,2
expect 3 "x 1, z 128.5 is outside the world" sample world 1,1 1,128.5
expect 3 "y 1000000000 is outside the world" sample world 1,1e9,1
for point in 1 1,2,3,4 1,,2 1,2, ,1 '1, 2' 1,x 1,nan 1,0x2 1,1e999 ''; do
    expect 2 "the point is '$point', expected X,Z or X,Y,Z" sample world "$point"
done
expect 2 "'-' is given twice" sample world - -
status=0
printf '1,2\n\n1;2\n' | "$terrain" sample world - >out.txt 2>err.txt || status=$?
[ $status = 3 ] && [ ! -s out.txt ] && grep -qF "standard input:3: '1;2', expected X,Z or X,Y,Z" err.txt || fail "a wrong line: $status, $(cat err.txt)"
status=0
printf '1,2\n500,2\n' | "$terrain" sample world - >out.txt 2>err.txt || status=$?
[ $status = 3 ] && [ ! -s out.txt ] && grep -qF "standard input:2: x 500, z 2 is outside" err.txt || fail "a point outside: $status, $(cat err.txt)"

# raycast: 0 with a hit, 1 without
expect 0 "" raycast world 10,100,20 0,-2,0
same "raycast" <<'END'
hit         10.000,50.000,20.000 m
distance    50.000 m
normal      0.0000,1.0000,0.0000
chunk       0,0
END
expect 0 "hit         64.000,40.000,70.000 m" raycast world 64,40,64 0,0,1
expect 0 "distance    0.000 m" raycast world 10,20,30 1,0,0
expect 0 '{"hit":true,"at_m":[10,50,20],"distance_m":50,"normal":[0,1,0],"chunk":[0,0]}' raycast --json world 10,100,20 0,-1,0
expect 1 "no hit" raycast world 10,100,20 0,1,0
expect 1 '{"hit":false}' raycast --json world -10,100,20 -1,-1,0
expect 1 "no hit" raycast world 10,100,20 0,-1,0 --length 49.9
expect 0 "hit" raycast world 10,100,20 0,-1,0 --length 50
expect 3 "the ray's direction is 0, 0, 0" raycast world 10,100,20 0,0,0
expect 2 "the origin is '10,100', expected X,Y,Z" raycast world 10,100 0,1,0
expect 2 "the direction is '1,x,0', expected DX,DY,DZ" raycast world 10,100,20 1,x,0
expect 2 "--length is '-1'" raycast world 10,100,20 0,-1,0 --length -1

# dump: one chunk in every form, all with the same numbers
expect 0 "" gen --preset hills --size 1x1 --voxel-size 0.5 -o hills
expect 0 "" dump hills 0,0 -o heights.raw
expect 0 "" dump hills 0,0 -o heights.csv
expect 0 "" dump hills 0,0 -o heights.txt
expect 0 "" dump hills 0,0 --json
[ "$(wc -c <heights.raw)" = 16384 ] || fail "raw heights of 64 x 64 are $(wc -c <heights.raw) bytes, expected 16384"
od -An -v -td4 -w4 heights.raw | awk '{ printf "%.3f\n", $1 / 512 }' >raw.txt
tail -n +2 heights.csv | awk -F, '{ printf "%.3f\n", $3 }' | cmp -s - raw.txt || fail "csv and raw differ"
tail -n +2 heights.txt | tr -s ' ' '\n' | sed '/^$/d' | cmp -s - raw.txt || fail "text and raw differ"
sed 's/.*\[//; s/\].*//' out.txt | tr ',' '\n' | awk '{ printf "%.3f\n", $1 }' | cmp -s - raw.txt || fail "json and raw differ"
[ "$(sed -n '1p;67p' heights.csv | cut -d, -f1-2 | tr '\n' ' ')" = "x_m,z_m 0.5,0.5 " ] || fail "csv: $(sed -n '1p;67p' heights.csv)"
[ "$(wc -l <heights.txt)" = 65 ] || fail "text has $(wc -l <heights.txt) lines, expected 65"
expect 0 '{"lowest_m":' dump hills 0,0 -o heights.png
[ "$(od -An -tx1 -N26 heights.png | tr -d ' \n')" = 89504e470d0a1a0a0000000d4948445200000040000000401000 ] || fail "heights.png is no grey 16-bit PNG of 64 x 64"
[ ! -s out.txt ] || fail "a picture is no text on standard output"
expect 0 "" dump hills 1,0
[ "$(wc -l <out.txt)" = 65 ] && [ "$(awk 'NR > 1 && NF != 1' out.txt | wc -l)" = 0 ] || fail "the rim holds 1 x 64 samples: $(head -n 2 out.txt)"
expect 0 "" dump world 0,0 --block 0 -o block.raw
[ "$(wc -c <block.raw)" = 524288 ] || fail "a raw block is $(wc -c <block.raw) bytes, expected 524288"
expect 0 "" dump world 0,0 --block 0 --format csv
tail -n +2 out.txt | awk -F, '{ print $4 * 256 }' >csv.txt
od -An -v -td2 -w2 block.raw | awk '{ print $1 + 0 }' | cmp -s - csv.txt || fail "csv and raw of a block differ"
grep -q '^63,40,63,4.5859375$' out.txt || fail "the hollow is missing: $(grep '^63,40,63,' out.txt)"
expect 0 "# chunk 0,0, signed distances at y = 63 in voxels" dump world 0,0 --block 0
expect 0 '{"cx":0,"cz":0,"cy":0,"size":[64,64,64],"sdf_voxels":[-50,' dump world 0,0 --block 0 --json

expect 3 "no chunk (-1, 2)" dump world -1,2
expect 3 "no chunk (3, 0)" dump world 3,0
expect 3 "stores no block in row 3, expected one of its 1 from 0 to 0" dump world 0,0 --block 3
expect 3 "stores no blocks" dump level 0,0 --block 0
for chunk in 0 0,0,0 0.5,0 0,1e9 a,b; do
    expect 2 "the chunk is '$chunk', expected CX,CZ" dump world $chunk
done
expect 2 "no output named" dump world 0,0 --format raw
expect 2 "no output named" dump world 0,0 --format png16
expect 2 "--output is '-'" dump world 0,0 -o -
expect 2 "--format is 'tiff'" dump world 0,0 --format tiff
expect 2 "--json and --format exclude each other" dump world 0,0 --json --format csv
expect 2 "a block is no picture" dump world 0,0 --block 0 -o block.png
expect 2 "dump writes CSV" dump world 0,0 --format csv -o heights.obj
expect 4 "--force" dump world 0,0 -o heights.csv
expect 0 "" dump world 0,0 -o heights.csv --force
expect_absent block.png

# preview of a pack: perspective, its options, the same at any number of jobs
size_of() {
    printf '%d x %d' "0x$(od -An -tx1 -j16 -N4 "$1" | tr -d ' \n')" "0x$(od -An -tx1 -j20 -N4 "$1" | tr -d ' \n')"
}
expect 0 "" mesh -q world -o window.tpack
expect 0 "" mesh -q world -o coarse.tpack --lod 1
expect 0 "" mesh -q world -o all.tpack --all-lods
expect 0 "1280 x 800 pixels" preview window.tpack -o view.png -j 1
[ "$(size_of view.png)" = "1280 x 800" ] || fail "view.png is $(size_of view.png)"
expect 0 "120 x 90 pixels" preview window.tpack --size 120x90 -o plain.png -j 1
expect 0 "" preview -q window.tpack --size 120x90 -o three.png -j 3
cmp -s plain.png three.png || fail "a view depends on the number of jobs"
different() {
    name=$1
    shift
    expect 0 "" preview -q "$@" --size 120x90 -o "$name.png"
    for other in $seen; do
        cmp -s "$name.png" "$other.png" && fail "preview $*: the same picture as $other.png"
    done
    seen="$seen $name"
}
seen=plain
different wires window.tpack --wireframe
different colors window.tpack --lod-colors
different from window.tpack --from -60,90,180
different look window.tpack --look-at 0,50,0
different narrow window.tpack --fov 10
different morning window.tpack --sun 80,12
different coarse coarse.tpack --lod-colors
different level0 all.tpack --wireframe --from 64,120,200
different level1 all.tpack --lod 1 --wireframe --from 64,120,200
expect 0 "1 x 1 pixels" preview window.tpack --size 1x1 -o dot.png
expect 0 "" preview -q window.tpack --size 9x4 --from 64,40,64 --look-at 64,50,64 --sun -360,90 --fov 150 -o up.png
for size in 0x9 9x0 4097x9 9x1e9 9.5x9 -9x9 nanx9; do
    expect 2 "--size is '$size', expected" preview window.tpack --size "$size" -o none.png
done
for size in 9 9x x9 9x9x9 '9 x9'; do
    expect 2 "--size is '$size', expected WxH" preview window.tpack --size "$size" -o none.png
done
for option in --from --look-at; do
    for place in 1 1,2 1,2,3,4 1,2,x nan,1,1; do
        expect 2 "$option is '$place', expected X,Y,Z in metres" preview window.tpack $option "$place" -o none.png
    done
    expect 3 "$option is 1e+300, 0, 0, expected at most" preview window.tpack $option 1e300,0,0 -o none.png
done
expect 3 "the eye is where it looks at" preview window.tpack --from 1,2,3 --look-at 1,2,3 -o none.png
for sun in 1 1,2,3 a,b; do
    expect 2 "--sun is '$sun', expected AZIMUTH,ELEVATION" preview window.tpack --sun $sun -o none.png
done
for sun in 0,0 0,90.5 361,45 0,-3; do
    expect 2 "--sun is '$sun', expected an azimuth" preview window.tpack --sun $sun -o none.png
done
expect 2 "--fov is '0'" preview window.tpack --fov 0 -o none.png
expect 2 "is one window, expected no --lod" preview window.tpack --lod 0 -o none.png
expect 2 "has no level 5" preview all.tpack --lod 5 -o none.png
expect 2 "--slice goes with a world" preview window.tpack --slice x=1 -o none.png
for option in --wireframe --lod-colors '--size 9x9' '--from 1,2,3' '--look-at 1,2,3' '--sun 1,2' '--fov 9' '--lod 0'; do
    expect 2 "${option%% *} goes with a mesh pack, but 'world' is a world" preview world $option -o none.png
done
expect 3 "neither a world nor a mesh pack" preview heights.png -o none.png
head -c 200 window.tpack >cut.tpack
expect 3 "cut.tpack" preview cut.tpack -o none.png
expect_absent none.png

# a damaged chunk is named by all of them
cp -r world broken
chmod -R u+w broken
printf 'X' | dd of="$(find broken/chunks -name 'c.0.0.trc')" bs=1 seek=70 conv=notrunc 2>/dev/null
expect 3 "c.0.0.trc" ls broken
expect 3 "c.0.0.trc" dump broken 0,0
expect 3 "c.0.0.trc" sample broken 1,1
expect 3 "c.0.0.trc" raycast broken 1,100,1 0,-1,0
expect 0 "" dump broken 1,1
finish
