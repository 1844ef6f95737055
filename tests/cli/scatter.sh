# scatter: the same bytes for any number of jobs, nothing on ground that edits moved, wrong rules refused in one line; its schema and the
# program accept and refuse the same rules.
. "$(dirname "$0")/../support/cli.sh"
expect 0 "" gen --preset hills --size 3x2 --seed 4 --device cpu -o ground
cat >edits.json <<'END'
{"format": "terrain-edits", "version": 1, "edits": [
  {"op": "raise", "at": [40, 40], "radius": 20, "strength": 5, "falloff": "constant"},
  {"op": "subtract", "shape": {"type": "capsule", "from": [90, 5, 100], "to": [140, 12, 90], "radius": 9}},
  {"op": "paint", "material": 2, "at": [150, 30], "radius": 20}
]}
END
expect 0 "" apply-log ground edits.json --device cpu -o world
cat >rules.json <<'END'
{"format": "terrain-scatter", "version": 1, "layers": [
  {"id": "all", "model": "m", "cell": 2, "avoid": []},
  {"id": "wild", "model": {"a": 1, "b": 1}, "cell": 2, "avoid": ["edited"], "distance": {"wild": 1.5}},
  {"id": "rocks", "model": "m", "cell": 2, "splat": {"rock": 1}}
]}
END

# jobs, formats, an equal output left alone
for format in json glb; do
    expect 0 "instances" scatter world rules.json -j 1 -o "one.$format"
    for jobs in 2 5; do
        expect 0 "instances" scatter world rules.json -j $jobs --memory 1 -o "more.$format" --force
        cmp -s "one.$format" "more.$format" || fail "$format: $jobs jobs give other bytes than 1"
    done
    before=$(stat -c '%i %y' "more.$format")
    expect 0 "" scatter world rules.json -o "more.$format" --force
    [ "$before" = "$(stat -c '%i %y' "more.$format")" ] || fail "$format: an equal output was replaced"
    expect 4 "--force" scatter world rules.json -o "more.$format"
done
expect 0 "" scatter world rules.json --format glb -o named.bin
cmp -s one.glb named.bin || fail "--format glb differs from .glb"
"$terrain" scatter -q world - -o stdin.json <rules.json 2>err.txt || fail "rules from standard input: $(cat err.txt)"
[ ! -s err.txt ] || fail "--quiet said $(cat err.txt)"
cmp -s one.json stdin.json || fail "rules from standard input give other bytes"

# counts: --json, the groups and the lines agree; one in each cell where nothing is avoided, and more in the cave
"$terrain" scatter --json world rules.json -o counted.json >out.txt 2>err.txt || fail "--json: $(cat err.txt)"
[ "$(wc -l <out.txt)" = 1 ] && [ ! -s err.txt ] || fail "--json prints one line alone: $(cat out.txt err.txt)"
lines=$(grep -c '^{"cell":' one.json)
grep -q '"instances":'"$lines"'}$' out.txt || fail "$lines lines of instances, --json says $(cat out.txt)"
[ "$(sed -n 's/^{"count":\([0-9]*\),.*/\1/p' one.json | awk '{ sum += $1 } END { print sum }')" = "$lines" ] || fail "counts do not sum to $lines"
of_layer() { # the instances of a layer: x z y floor
    awk -v layer="\"layer\":\"$1\"" '/^{"count"/ { on = index($0, layer) } on && /^{"cell"/ {
        floor = match($0, /"floor":[0-9]+/) ? substr($0, RSTART + 8, RLENGTH - 8) : 0
        match($0, /"at":\[[^]]*/); split(substr($0, RSTART + 6, RLENGTH - 6), at, ",")
        print at[1], at[3], at[2], floor }' one.json
}
of_layer all >all.txt
[ "$(awk '$4 == 0' all.txt | wc -l)" = $((96 * 64)) ] || fail "$(awk '$4 == 0' all.txt | wc -l) instances in the open, expected one in each of $((96 * 64)) cells"
[ "$(awk '$4 > 0' all.txt | wc -l)" -gt 50 ] || fail "$(awk '$4 > 0' all.txt | wc -l) instances in the cave"
awk 'NR % 50 == 1 && $4 == 0 { print $1 "," $2 }' all.txt >places.txt
awk 'NR % 50 == 1 && $4 == 0 { print $3 }' all.txt >heights.txt
"$terrain" sample --json world - <places.txt | grep -o '"surfaces":\[{"y_m":[-0-9.e]*' | sed 's/.*://' | paste -d ' ' - heights.txt >both.txt
[ "$(awk '($1 - $2) ^ 2 < 0.002 ^ 2' both.txt | wc -l)" = "$(wc -l <places.txt)" ] || fail "sample finds the ground elsewhere: $(awk '($1 - $2) ^ 2 >= 0.002 ^ 2' both.txt | head -n 3)"

# edited ground: nothing on the raised disc or in the cave; paint moves nothing
of_layer wild >wild.txt
[ "$(awk '($1 - 40) ^ 2 + ($2 - 40) ^ 2 < 19 ^ 2 || $4 > 0' wild.txt | wc -l)" = 0 ] || fail "instances stand on ground that the log moved"
[ "$(awk '($1 - 150) ^ 2 + ($2 - 30) ^ 2 < 18 ^ 2' wild.txt | wc -l)" -gt 20 ] || fail "paint keeps instances away"
rocks=$(of_layer rocks | awk '($1 - 150) ^ 2 + ($2 - 30) ^ 2 < 18 ^ 2' | wc -l)
[ "$rocks" -gt 230 ] || fail "$rocks rocks where rock is painted, expected one in each of 254 cells or so"
expect 0 "" scatter ground rules.json -o ground.json
grep -A 1000000 '"layer":"wild"' ground.json | awk '/^{"cell"/' | sort >ground.txt
grep -A 1000000 '"layer":"wild"' one.json | awk '/^{"cell"/' | sort >world.txt
[ "$(comm -12 ground.txt world.txt | wc -l)" -gt 2000 ] || fail "edits moved instances that stand elsewhere"

# refusals
expect 2 "found 1 argument, expected: terrain scatter WORLD RULES -o FILE" scatter world
expect 2 "no output named" scatter world rules.json
expect 2 "'out' ends in no format known, expected .json or .glb" scatter world rules.json -o out
expect 2 "--output is '-'" scatter world rules.json -o -
expect 2 "--format is 'obj'" scatter world rules.json --format obj -o out
expect 4 "nowhere" scatter nowhere rules.json -o out.json
expect 4 "nowhere.json" scatter world nowhere.json -o out.json
expect 3 "one.glb:1: found 'g'" scatter world one.glb -o out.json
printf '{"format": "terrain-scatter", "version": 1,\n"layers": [\n{"id": "a", "model": "m",\n"cell": 0}]}' >bad.json
expect 3 'bad.json:4: "cell" in "layers[0]" must be > 0, found 0' scatter world bad.json -o out.json
printf '{"format": "terrain-scatter", "version": 1,\n"layers": [\n{"id": "a", "model": "m",\n"cells": 1}]}' >bad.json
expect 3 'bad.json:4: unknown field "cells" in "layers[0]"' scatter world bad.json -o out.json
cp -r world broken
chmod -R u+w broken
printf 'X' | dd of="$(find broken/chunks -name 'c.0.0.trc')" bs=1 seek=70 conv=notrunc 2>/dev/null
expect 3 "c.0.0.trc" scatter broken rules.json -o out.json
expect_absent out.json

# the sample, and the schema
expect 0 "ferns" scatter world "$root/samples/scatter.example.json" -o sample.glb
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'from jsonschema import Draft202012Validator' >/dev/null 2>&1; then
        python=$candidate
        break
    fi
done
if [ -n "$python" ]; then
    layer() {
        printf '{"format": "terrain-scatter", "version": 1, "layers": [{"id": "a", "model": "m", "cell": 4%s}]}\n' "$1"
    }
    tr '\n' ' ' <"$root/samples/scatter.example.json" >accept
    echo >>accept
    tr '\n' ' ' <rules.json >>accept
    echo >>accept
    layer ', "x-note": 1, "slope": {"x-why": 2}, "splat": {}, "avoid": [], "yaw": [0, 0], "roof": 0, "distance": {}' >>accept
    layer ', "model": 3' | sed 's/"model": "m", //' >refuse
    for wrong in '"colour": 1' '"density": 2' '"jitter": -1' '"align": "x"' '"scale": [1]' '"scale": [0, 1]' '"yaw": [0, 400]' \
        '"slope": {"max": 91}' '"slope": {"least": 1}' '"height": 3' '"height": {"min": 1e10}' '"splat": {"lava": 1}' '"splat": {"rock": 2}' \
        '"noise": {}' '"noise": {"wavelength": 0}' '"noise": {"wavelength": 9, "octaves": 9}' '"noise": {"wavelength": 9, "seed": 0.5}' \
        '"avoid": ["sky"]' '"avoid": ["cave", "cave"]' '"roof": -1' '"distance": {"a": 0}' '"distance": [1]'; do
        layer ", $wrong" >>refuse
    done
    for verdict in accept refuse; do
        [ $verdict = accept ] && word=yes || word=no
        "$python" "$root/tests/cli/log_schema/validate.py" "$root/samples/scatter.schema.json" <$verdict >verdicts || fail "the validator died"
        number=0
        while IFS= read -r document <&3 && IFS= read -r said <&4; do
            number=$((number + 1))
            printf '%s\n' "$document" >log.json
            [ "$said" = $word ] || fail "$verdict:$number: the schema says $said: $document"
            if [ $word = yes ]; then
                expect 0 "instances" scatter world log.json -o judged.json --force
            else
                expect 3 "log.json:1: " scatter world log.json -o judged.json --force
            fi
        done 3<$verdict 4<verdicts
        [ $number = "$(wc -l <$verdict)" ] || fail "$number of $(wc -l <$verdict) judged"
    done
fi
finish
