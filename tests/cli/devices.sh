# The hashes that real devices computed are what cpu computes here; and when two worlds or packs differ, the first difference is named.
. "$(dirname "$0")/../support/cli.sh"
tools=$(dirname "$terrain")/tests/devices
sh "$root/tests/devices/hashes.sh" "$terrain" "$tools/make_log" cpu >cpu.txt || fail "hashes.sh: $(cat cpu.txt)"
[ "$(grep -c '^[a-z]' cpu.txt)" = 6 ] || fail "six worlds were expected: $(cat cpu.txt)"
for real in "$root"/tests/devices/*.txt; do
    grep -v '^#' "$real" >wanted.txt
    grep -v '^#' cpu.txt | diff wanted.txt - || fail "cpu does not compute what $(basename "$real" .txt) did"
done

"$terrain" gen -q --preset flat --size 2x1 -o a
edit='{"format": "terrain-edits", "version": 1, "edits": [{"id": "e", "op": '
echo "$edit"'"raise", "at": [70, 5], "radius": 1, "strength": 2}]}' >height.json
echo "$edit"'"union", "shape": {"type": "sphere", "center": [96, 40, 32], "radius": 1}}]}' >volume.json
for kind in height volume; do
    "$terrain" apply-log -q a $kind.json -o $kind
    "$terrain" mesh -q $kind -o $kind.tpack
done
"$terrain" mesh -q a -o a.tpack
"$tools/first_difference" a a || fail "a world differs from itself"
"$tools/first_difference" a.tpack a.tpack || fail "a pack differs from itself"
"$tools/first_difference" a height >out.txt && fail "no difference found"
grep -qx 'chunk (1, 0), height (6, 5): 0, 512' out.txt || fail "heights: $(cat out.txt)"
"$tools/first_difference" a volume >out.txt && fail "no difference found"
grep -q '^chunk (1, 0), block row 0, sample (.*): ' out.txt || fail "samples: $(cat out.txt)"
"$tools/first_difference" a.tpack height.tpack >out.txt && fail "no difference found"
grep -q '^tile of LOD 0, (1, 0, 0), vertex ' out.txt || fail "vertices: $(cat out.txt)"
finish
