# An output that would be equal is left untouched, with its times, so that build tools stop there; a different or damaged one is replaced.
. "$(dirname "$0")/../support/cli.sh"
printf '{"format": "terrain-edits", "version": 1, "edits": [{"id": "a", "op": "union", "shape": {"type": "sphere", "center": [64, 0, 64], "radius": 9}}, {"id": "b", "op": "raise", "at": [64, 64], "radius": 9, "strength": 3}]}' >log.json
build() {
    "$terrain" gen -q --preset hills --size 2x2 --seed "$1" -o world --force && "$terrain" apply-log -q world log.json -o edited --force &&
        "$terrain" mesh -q edited -o m.tpack --force && "$terrain" export -q m.tpack -o m.glb --force && "$terrain" preview -q edited -o m.png --force
}
inodes() {
    stat -c '%n %i %y' world edited m.tpack m.glb m.png
}
build 1 || fail "first"
first=$(inodes)
build 1 || fail "again"
[ "$first" = "$(inodes)" ] || fail "equal outputs were replaced: $first, $(inodes)"
build 2 || fail "another"
inodes | sort >now.txt
echo "$first" | sort >then.txt
[ "$(comm -12 then.txt now.txt | wc -l)" = 0 ] || fail "other outputs were not replaced"
# an equal world with a damaged file is not equal
damaged=$(find edited/chunks -type f | head -n 1)
cp "$damaged" copy && printf x | dd of=copy bs=1 seek=30 conv=notrunc 2>/dev/null && mv -f copy "$damaged"
expect 1 "bad" verify edited
build 2 || fail "repair"
expect 0 "good" verify edited
# nor one with a file too few
"$terrain" apply-log -q world log.json -o other && rm -rf other/base
chmod -R u+w other
expect 0 "" apply-log -q world log.json -o other --force
[ -d other/base ] || fail "a world without its base was taken for equal"
for left in .*.tmp-*; do
    [ ! -e "$left" ] || fail "$left was left behind"
done
finish
