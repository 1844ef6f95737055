# terrain log: check, stats, convert, filter, merge, optimize.
. "$(dirname "$0")/../support/cli.sh"
sample=$root/samples/edits.example.jsonl
edits="$(grep -c '"op"' "$sample") edits"
header='{"format":"terrain-edits","version":1}'

# lines FILE...: a log in JSON Lines of the edits on standard input.
lines() {
    { echo "$header"; cat; } >"$1"
}
# expect_lines FILE: the log's edits are those on standard input, in normal form.
expect_lines() {
    { echo "$header"; cat; } >expected.jsonl
    cmp -s expected.jsonl "$1" || fail "$1 is not as expected: $(diff expected.jsonl "$1")"
}
# expect_out STATUS ARGUMENTS...: standard output is what stands on standard input.
expect_out() {
    cat >expected.txt
    status=$1
    shift
    expect "$status" "" "$@"
    cmp -s expected.txt out.txt || fail "terrain $*: $(diff expected.txt out.txt)"
}

# Help and wrong command lines.
expect 0 "terrain log check|stats" help log
expect 0 "leave out what changes nothing" log --help
for verb in check stats convert filter merge optimize; do
    expect 0 "terrain log $verb LOG" help log $verb
    expect 0 "terrain log $verb LOG" log $verb --help
    expect 2 "found 0 arguments, expected: terrain log $verb LOG" log $verb
done
expect 2 "expected: terrain log check|stats" log
expect 2 "unknown verb 'chek', did you mean check?, see \`terrain help log\`" log chek a
expect 2 "no command 'log chek', see \`terrain help log\`" help log chek
expect 2 "no command 'gen check'" help gen check
expect 2 "unknown option '--autor', did you mean --author?, see \`terrain help log filter\`" log filter a --autor Ada
if command -v bash >/dev/null 2>&1; then
    "$terrain" help --completion >completion
    complete_words() { # the words of a line, the last one begun
        bash -c 'source ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _terrain; echo "${COMPREPLY[*]}"' - "$@"
    }
    [ "$(complete_words terrain lo)" = log ] || fail "lo is completed to '$(complete_words terrain lo)'"
    [ "$(complete_words terrain log c)" = "check convert" ] || fail "log c is completed to '$(complete_words terrain log c)'"
    [ "$(complete_words terrain log filter a.jsonl --a)" = --author ] || fail "log filter --a is completed to '$(complete_words terrain log filter a.jsonl --a)'"
    [ "$(complete_words terrain gen --pre)" = --preset ] || fail "gen --pre is completed to '$(complete_words terrain gen --pre)'"
fi

# Any encoding becomes any other, and the normal form is the same whichever way it went.
expect 0 "a.jsonl: $edits, JSON Lines in normal form" log convert "$sample" -o a.jsonl
expect 0 "a.json: $edits, JSON" log convert a.jsonl -o a.json
expect 0 "a.msgpack: $edits, MessagePack" log convert a.json -o a.msgpack
"$terrain" log convert -q a.msgpack -o - >back.jsonl 2>err.txt || fail "convert to standard output"
[ ! -s err.txt ] || fail "--quiet says $(cat err.txt)"
cmp -s a.jsonl back.jsonl || fail "another normal form by way of MessagePack"
"$terrain" log convert -q - -o back.bin --format msgpack <a.jsonl || fail "convert from standard input"
cmp -s a.msgpack back.bin || fail "another MessagePack from standard input"
expect 2 "'a.txt' does not end in .jsonl, .json or .msgpack, expected that or --format" log convert a.json -o a.txt
expect_absent a.txt
expect 2 "no output named, expected: terrain log convert LOG -o LOG" log convert a.json
expect 2 "--format is 'yaml'" log convert a.json -o a.yaml --format yaml
cp a.json old.json
expect 4 "--force" log convert "$sample" -o a.json
cmp -s a.json old.json || fail "an output that exists was replaced without --force"
expect 0 "a.json: $edits" log convert "$sample" -o a.json --force
expect 4 "missing.json" log convert missing.json -o b.json
expect_absent b.json
echo '{"edits": []}' >bad.json
expect 3 "bad.json:1: " log convert bad.json -o b.json
expect_absent b.json
printf '%s' '[{"t": 5, "brush": {"position": [1, 2, 3], "radius": 4, "strength": 5, "falloff": "smooth", "operation": "raise"}}]' >web.json
expect 0 "1 edit" log convert web.json -o web.jsonl
sed 's/"id":"e-[0-9a-f]\{12\}",//' web.jsonl >without_id
expect_lines without_id <<'END'
{"at":[1,3],"op":"raise","radius":4,"strength":5,"time":5}
END
# A torn last line.
{ head -n 9 a.jsonl; sed -n 10p a.jsonl | head -c 100; } >torn.jsonl
offset=$(head -n 9 a.jsonl | wc -c)
expect 3 "torn.jsonl:10: last line, at byte offset $offset, is torn, last good edit is 'theatre'" log convert torn.jsonl -o b.jsonl
expect_absent b.jsonl
expect 0 "torn.jsonl:10: left out the last line, at byte offset $offset, which is torn" log convert torn.jsonl --recover -o b.jsonl
head -n 9 a.jsonl | cmp -s - b.jsonl || fail "--recover wrote $(cat b.jsonl)"

# Images and meshes: named beside the log that is read, in the one that is written.
grep -q '"file"' "$sample" || fail "the sample names no file"
grep -q '"file"' a.jsonl && fail "the normal form names a file"
mkdir elsewhere && cp a.jsonl elsewhere && expect 0 "elsewhere/a.jsonl: $edits" log check elsewhere/a.jsonl
cp "$root/samples/stamp.png" stamp.png
lines stamp.jsonl <<'END'
{"at":[10,20],"id":"print","image":{"file":"stamp.png"},"op":"stamp","radius":8,"strength":2}
END
expect 0 "1 edit" log convert stamp.jsonl -o stamped.jsonl
sed 's|{"file":"stamp.png"}|{"data":"'"$(base64 -w 0 stamp.png)"'"}|' stamp.jsonl | cmp -s - stamped.jsonl || fail "not the bytes of the image: $(cat stamped.jsonl)"
"$terrain" log check - <stamp.jsonl >out.txt 2>err.txt
[ $? = 3 ] && grep -q "standard input:2: edit 'print': \"file\" in \"image\" names a file, but the log has no folder" err.txt || fail "standard input has no folder: $(cat out.txt err.txt)"
rm stamp.png
expect 4 "stamp.jsonl:2: edit 'print': \"image\": cannot open \"stamp.png\"" log check stamp.jsonl
ln -s "$root/samples/stamp.png" stamp.png
expect 4 "symbolic link, which is not followed" log check stamp.jsonl
rm stamp.png

# check
expect_out 0 log check a.jsonl a.json a.msgpack web.json <<END
a.jsonl: $edits, JSON Lines, normal form
a.json: $edits, JSON
a.msgpack: $edits, MessagePack
web.json: 1 edit, JSON
END
expect_out 0 log check -q a.jsonl </dev/null
expect_out 0 log check --json a.jsonl web.json <<END
{"logs":[{"path":"a.jsonl","ok":true,"edits":${edits% edits},"encoding":"JSON Lines","normal_form":true},{"path":"web.json","ok":true,"edits":1,"encoding":"JSON","normal_form":false}]}
END
expect 3 "bad.json:1: " log check bad.json
expect 4 "missing.json" log check missing.json
"$terrain" log check torn.jsonl a.json bad.json >out.txt 2>err.txt
[ $? = 3 ] && [ "$(cat out.txt)" = "a.json: $edits, JSON" ] && [ "$(cut -d : -f 1 err.txt | tr '\n' ' ')" = "torn.jsonl bad.json " ] ||
    fail "each of three logs is checked: $(cat out.txt err.txt)"
"$terrain" log check --json bad.json a.json >out.txt 2>err.txt
[ $? = 3 ] && grep -q '^{"logs":\[{"path":"bad.json","ok":false,"error":"bad.json:1: .*"},{"path":"a.json","ok":true,.*}\]}$' out.txt || fail "--json of a bad log: $(cat out.txt)"
"$terrain" gen -q --preset hills --size 4x4 -o world || fail "gen"
"$terrain" gen -q --preset flat --size 1x1 -o small || fail "gen"
expect 0 "a.jsonl: $edits" log check a.jsonl --world world
expect 3 "a.jsonl:5: edit 'gully' lies outside the world" log check a.jsonl --world small
expect 4 "nowhere" log check a.jsonl --world nowhere
lines wide.jsonl <<'END'
{"id":"wide","op":"raise","at":[1,1],"radius":200000,"strength":1}
END
expect 0 "1 edit" log check wide.jsonl
expect 3 "wide.jsonl:2: edit 'wide': \"radius\" must be at most" log check wide.jsonl --world world

# stats
lines team.jsonl <<'END'
{"id":"a","author":"Ada","time":1700000000000,"op":"raise","at":[10,20],"radius":4,"strength":1}
{"id":"b","author":"Bo","time":1600000000123,"op":"smooth","path":[[100,0],[110,0]],"radius":10,"strength":1}
{"id":"c","author":"Ada","time":1700000000000,"op":"add","at":[0,50,0],"radius":2.5,"strength":1}
{"id":"d","op":"subtract","shape":{"type":"union","of":[{"type":"sphere","center":[-5,0,0],"radius":2},{"type":"sphere","center":[5,0,0],"radius":2}]}}
END
expect_out 0 log stats team.jsonl <<'END'
team.jsonl: 4 edits
  heights     raise 1, smooth 1
  in 3D       add 1
  shapes      subtract 1
  authors     (none) 1, Ada 2, Bo 1
  times       2020-09-13T12:26:40.123Z to 2023-11-14T22:13:20Z, some without
  stamps      6, with a radius of at most 10.0 m
  shapes of   3 nodes in all
  writes      x -23 to 120 m, z -18 to 24 m: chunks -1,-1 to 1,0
              y -18 to 52 m in 3D
  in boxes    1404 columns of heights, 64468 samples in 3D, with voxels of 1 m
END
"$terrain" log stats --json team.jsonl >out.txt
cat >expected.txt <<'END'
{"path":"team.jsonl","edits":4,"operations":{"height_brushes":{"raise":1,"smooth":1},"volume_brushes":{"add":1},"shapes":{"subtract":1}},"authors":[{"name":null,"edits":1},{"name":"Ada","edits":2},{"name":"Bo","edits":1}],"edits_with_time":3,"first_time_ms":1600000000123,"last_time_ms":1700000000000,"stamps":6,"greatest_radius_m":10,"shape_nodes":3,"voxel_size_m":1,"x_m":[-23,120],"y_m":[-18,52],"z_m":[-18,24],"chunks_x":[-1,1],"chunks_z":[-1,0],"columns_in_boxes":1404,"samples_in_boxes":64468}
END
cmp -s expected.txt out.txt || fail "stats --json: $(diff expected.txt out.txt)"
expect 0 "x -11 to 120 m, z -10 to 24 m: chunks -1,-1 to 7,1" log stats team.jsonl --voxel-size 0.25
sed '1p;$!d' team.jsonl >shapes.jsonl
expect_out 0 log stats shapes.jsonl <<'END'
shapes.jsonl: 1 edit
  shapes      subtract 1
  authors     (none) 1
  stamps      1
  shapes of   3 nodes in all
  writes      x -23 to 23 m, z -18 to 18 m: chunks -1,-1 to 0,0
              y -18 to 18 m in 3D
  in boxes    0 columns of heights, 64343 samples in 3D, with voxels of 1 m
END
echo "$header" >empty.jsonl
expect_out 0 log stats empty.jsonl <<'END'
empty.jsonl: 0 edits
END
expect 3 "wide.jsonl:2: edit 'wide': \"radius\"" log stats wide.jsonl
expect 0 "1 edit" log stats wide.jsonl --voxel-size 10

# filter. kept "N of 4" IDS OPTIONS...
kept() {
    count=$1
    ids=$2
    shift 2
    expect 0 "f.jsonl: $count edits kept" log filter team.jsonl "$@" -o f.jsonl --force
    left=$(sed 1d f.jsonl | sed 's/.*"id":"\([a-z]*\)".*/\1/' | tr -d '\n')
    [ "$left" = "$ids" ] || fail "filter $*: kept '$left', expected '$ids'"
}
kept "2 of 4" ac --author Ada
kept "0 of 4" "" --author ada
kept "3 of 4" abc --since 1600000000123
kept "2 of 4" ac --since 1600000000124
kept "3 of 4" abc --since 2020-09-13T12:26:40.123Z
kept "2 of 4" ac --since 2020-09-13T12:26:41Z
kept "3 of 4" abc --since 2020-09-13T12:26Z
kept "2 of 4" ac --since 2023-11-14
kept "0 of 4" "" --since 2023-11-15
kept "3 of 4" abc --since -1
kept "3 of 4" acd --chunk 0,0
kept "2 of 4" cd --chunk 0,-1
kept "1 of 4" b --chunk 1,0
kept "0 of 4" "" --chunk 2,2
kept "1 of 4" a --bounds 6,20,14,24
kept "1 of 4" b --bounds 100,-1000,100,1000
kept "2 of 4" cd --bounds -1,0,-1,1,60,1
kept "1 of 4" c --bounds -1,40,-1,1,60,1
kept "1 of 4" a --bounds 6,20,14,24 --author Ada --since 2023-01-01
kept "0 of 4" "" --bounds 6,20,14,24 --author Bo
kept "1 of 4" a --chunk 0,1 --voxel-size 0.25
expect 2 "expected one of --bounds, --chunk, --author and --since" log filter team.jsonl -o g.jsonl
expect 2 "exclude each other" log filter team.jsonl -o g.jsonl --chunk 0,0 --bounds 0,0,1,1
for bad in 1,2,3 1,2,3,4,5 2,0,1,1 0,2,1,1 0,0,0,1,-1,1 a,b,c,d 1,2,3,4,; do
    expect 2 "--bounds is '$bad', expected X0,Z0,X1,Z1 or" log filter team.jsonl -o g.jsonl --bounds "$bad"
done
for bad in 1 1,2,3 0.5,1 1000001,0; do
    expect 2 "--chunk is '$bad', expected CX,CZ" log filter team.jsonl -o g.jsonl --chunk "$bad"
done
for bad in today 2024-02-30 2023-02-29 2024-13-01 2024-00-10 2024-1-1 2024-01-31T12 2024-01-31T24:00Z 2024-01-31T12:00 2024-01-31T12:00:60Z 2024-01-31Z 1.5 1e99 "2024-01-31 12:00Z"; do
    expect 2 "--since is '$bad', expected milliseconds or a time in UTC" log filter team.jsonl -o g.jsonl --since "$bad"
done
kept "3 of 4" abc --since 2000-02-29
expect 3 "wide.jsonl:2: edit 'wide': \"radius\"" log filter wide.jsonl --chunk 0,0 -o g.jsonl
expect_absent g.jsonl
expect 0 "g.jsonl: 0 of 1 edit kept" log filter wide.jsonl --author Ada -o g.jsonl

# merge
edit() { # ID TIME AUTHOR
    echo "{\"at\":[1,2],\"author\":\"$3\",\"id\":\"$1\",\"op\":\"raise\",\"radius\":3,\"strength\":4,\"time\":$2}"
}
{ edit a 1 Bo; edit b 5 Bo; edit c 5 Ada; } | lines one.jsonl
{ edit d 0 Ada; edit b 5 Bo; edit e 5 Bo; } | lines two.jsonl
expect 0 "m.jsonl: 5 edits of 2 logs; 1 that more than one has" log merge one.jsonl two.jsonl -o m.jsonl
{ edit d 0 Ada; edit a 1 Bo; edit c 5 Ada; edit b 5 Bo; edit e 5 Bo; } | expect_lines m.jsonl
expect 0 "standard output: 5 edits of 1 log" log merge m.jsonl -o - --format json
"$terrain" log merge -q m.jsonl one.jsonl -o - | cmp -s - m.jsonl || fail "a log merged with a part of it is that log"
{ edit b 5 Cy; } | lines other.jsonl
expect 3 "other.jsonl:2: edit 'b': differs from the edit of that id at one.jsonl:3, expected an equal one or another id" log merge one.jsonl other.jsonl -o n.jsonl
{ edit a 5 Bo; edit b 4 Bo; } | lines back.jsonl
expect 3 "back.jsonl:3: edit 'b': \"time\" must not go backwards in a log to merge, found 4 after 5" log merge one.jsonl back.jsonl -o n.jsonl
expect 3 "a.jsonl:2: edit 'hill': \"time\" is missing, expected one to merge by" log merge one.jsonl a.jsonl -o n.jsonl
expect_absent n.jsonl

# optimize: what is left out, and that the world is the same.
ball='{"center":[60,0,60],"radius":9,"type":"sphere"}'
rod='{"from":[40,3,60],"radius":4,"to":[80,3,60],"type":"capsule"}'
lines long.jsonl <<END
{"at":[50,50],"id":"hill","op":"raise","radius":40,"strength":20}
{"at":[50,50],"id":"breath","op":"raise","radius":40,"strength":1e-9}
{"id":"still","op":"subtract","shape":{"by":1,"of":{"by":[0,0,0],"of":$ball,"type":"translate"},"type":"scale"}}
{"id":"again","op":"subtract","shape":$ball}
{"id":"there","op":"subtract","shape":{"by":[10,5,0],"of":{"by":[2,0,1],"of":$rod,"type":"translate"},"type":"translate"}}
{"id":"twice","op":"union","shape":{"about":[60,0,60],"by":2,"of":{"about":[60,0,60],"by":0.25,"of":$ball,"type":"scale"},"type":"scale"}}
{"blend":{"type":"smooth","width":1e-20},"id":"narrow","op":"subtract","shape":{"blend":{"type":"smooth","width":1e-20},"of":[$rod,$ball],"type":"subtract"}}
{"at":[60,60],"falloff":"constant","height":3,"id":"floor","op":"set","radius":20}
{"at":[60,60],"falloff":"constant","height":3,"id":"floor2","op":"set","radius":20}
{"at":[60,60],"id":"red","material":3,"op":"paint","radius":20}
{"at":[60,60],"id":"red2","material":3,"op":"paint","radius":20}
{"id":"rest","op":"smooth","at":[50,50],"radius":30,"strength":0.5}
END
expect 0 "s.jsonl: 8 edits; dropped 4 edits and 4 transforms, made 2 blends hard" log optimize long.jsonl -o s.jsonl
expect_lines s.jsonl <<END
{"at":[50,50],"id":"hill","op":"raise","radius":40,"strength":20}
{"id":"still","op":"subtract","shape":$ball}
{"id":"there","op":"subtract","shape":{"by":[12,5,1],"of":$rod,"type":"translate"}}
{"id":"twice","op":"union","shape":{"about":[60,0,60],"by":0.5,"of":$ball,"type":"scale"}}
{"id":"narrow","op":"subtract","shape":{"of":[$rod,$ball],"type":"subtract"}}
{"at":[60,60],"falloff":"constant","height":3,"id":"floor","op":"set","radius":20}
{"at":[60,60],"id":"red","material":3,"op":"paint","radius":20}
{"at":[50,50],"id":"rest","op":"smooth","radius":30,"strength":0.5}
END
expect 0 "dropped 0 edits and 0 transforms, made 0 blends hard" log optimize s.jsonl -o s2.jsonl
for log in long s; do
    "$terrain" apply-log -q world $log.jsonl -o world_$log || fail "apply-log $log.jsonl"
done
expect 0 "" diff world_long world_s
expect 1 "" diff world world_s
[ "$("$terrain" info --json world_long | sed 's/.*"hash":"\([0-9a-f]*\)".*/\1/')" = "$("$terrain" info --json world_s | sed 's/.*"hash":"\([0-9a-f]*\)".*/\1/')" ] || fail "an optimized log makes another world"

# The sample log does what it says on the world that it is for.
expect 0 "$edits" apply-log world "$sample" -o sculpted
expect 1 "edits added ${edits% edits}: hill, rocks, worn" diff world sculpted
expect 0 "" verify sculpted
# what did not arrive is not told of as if it had
if [ -e /dev/full ]; then
    found=0
    "$terrain" log convert "$root/samples/edits.example.jsonl" -o - >/dev/full 2>err.txt || found=$?
    [ $found = 4 ] || fail "a full standard output: exit $found, expected 4"
    [ "$(wc -l <err.txt)" = 1 ] && grep -q "cannot write to standard output" err.txt || fail "a full standard output: $(cat err.txt)"
fi
finish
