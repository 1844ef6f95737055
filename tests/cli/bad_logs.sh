# Edit logs that must be refused: one clear line naming file, line, edit and field; exit 3; nothing written.
. "$(dirname "$0")/../support/cli.sh"
"$terrain" gen -q --preset flat --size 2x2 -o world || fail "gen"
before=$("$terrain" info --json world)

# refuse TEXT <<log on standard input>>
refuse() {
    cat >log.json
    expect 3 "$1" apply-log world log.json -o out
    expect_absent out
}
edit() { # one edit in a document; $1 its fields
    printf '{"format": "terrain-edits", "version": 1, "edits": [\n  {"id": "a", %s}\n]}\n' "$1"
}

: >log.json
expect 3 "log.json" apply-log world log.json -o out
expect_absent out
expect 4 "missing.json" apply-log world missing.json -o out
expect_absent out
edit '"op": "raise", "at": [10, 10], "radius": 5, "strength": 1' | head -c 90 >cut.json
expect 3 "cut.json" apply-log world cut.json -o out
expect_absent out
echo '[1, 2' | refuse "log.json:"
edit '"op": "raise", "at": "here", "radius": 5, "strength": 1' | refuse "log.json:2: edit 'a': \"at\""
edit '"op": "raise", "at": [10, 10], "radius": true, "strength": 1' | refuse "log.json:2: edit 'a': \"radius\""
edit '"op": "raise", "at": [10, 10], "radius": NaN, "strength": 1' | refuse "log.json:2:"
edit '"op": "raise", "at": [10, 10], "radius": 1e999, "strength": 1' | refuse "log.json:2: number 1e999"
edit '"op": "raise", "at": [10, 10], "radius": 0, "strength": 1' | refuse "log.json:2: edit 'a': \"radius\" must be > 0, found 0"
edit '"op": "raise", "at": [10, 10], "radius": -2, "strength": 1' | refuse "\"radius\" must be > 0, found -2"
edit '"op": "explode", "at": [10, 10], "radius": 5' | refuse "explode"
edit '"op": "melt", "at": [10, 10], "radius": 5' | refuse "melt"
edit '"op": "raise", "at": [10, 10], "raduis": 5, "strength": 1' | refuse "raduis"
edit '"op": "raise", "at": [10, 10], "at": [1, 1], "radius": 5, "strength": 1' | refuse "log.json:2: key \"at\""
edit '"op": "raise", "at": [9000, 10], "radius": 5, "strength": 1' | refuse "edit 'a'"
edit '"op": "smooth", "at": [10, 10], "radius": 5, "strength": 1.5' | refuse "\"strength\""
edit '"op": "subtract", "shape": {"type": "teapot"}' | refuse "teapot"
edit '"op": "union", "shape": {"type": "sphere", "center": [1, 2], "radius": 4}' | refuse "\"center\""
edit '"op": "union", "shape": {"type": "sphere", "center": [1, 2, 3], "radius": 4}, "blend": {"type": "smooth", "width": 40}' | refuse "\"width\""
echo '{"format": "terrain-edits", "version": 99, "edits": []}' | refuse "version"
echo '{"format": "something", "version": 1, "edits": []}' | refuse "something"

# What lies outside may be left out instead; the rest is applied.
printf '{"format": "terrain-edits", "version": 1, "edits": [{"id": "far", "op": "raise", "at": [9000, 0], "radius": 5, "strength": 1},
  {"id": "near", "op": "raise", "at": [20, 20], "radius": 5, "strength": 1}]}' >log.json
expect 0 "1 edit outside the world left out" apply-log world log.json --skip-outside -o out
expect 1 "edits added 1: near" diff world out
[ "$before" = "$("$terrain" info --json world)" ] || fail "the world that was read has changed"
finish
