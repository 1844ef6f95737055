# Chunk files compressed at another zstd level mean the same world: verify finds it good, diff equal, and what is made of it is the same.
. "$(dirname "$0")/../support/cli.sh"
recompress=$(dirname "$terrain")/tests/tools/recompress
edit='{"format": "terrain-edits", "version": 1, "edits": [{"id": "'
echo "$edit"'cave", "op": "subtract", "shape": {"type": "sphere", "center": [64, 10, 30], "radius": 12}}]}' >cave.json
echo "$edit"'hill", "op": "raise", "at": [20, 20], "radius": 15, "strength": 3}]}' >hill.json
expect 0 "" gen --preset hills --size 2x1 -o plain
expect 0 "2 chunks changed" apply-log plain cave.json -o world
expect 0 "" mesh world -o world.tpack
expect 0 "1 chunk changed" apply-log world hill.json -o hill
hash=$("$terrain" info --json world | sed 's/.*"hash":"\([0-9a-f]*\)".*/\1/')
one=chunks/b2/c.0.0.trc
(cd world && find chunks base -type f | LC_ALL=C sort) >files.txt
[ "$(grep -c '^chunks/' files.txt) $(grep -c '^base/' files.txt)" = "6 2" ] || fail "6 chunks and 2 bases were expected: $(cat files.txt)"

# again LEVEL FILE...: a copy of the world in which these files are compressed at this level
again() {
    chmod -R u+w again 2>/dev/null
    rm -rf again
    cp -r world again
    chmod -R u+w again
    level=$1
    shift
    for file in "$@"; do
        rm "again/$file"
        "$recompress" "world/$file" "again/$file" "$level" || fail "recompress $file at level $level"
    done
    cmp -s "world/$one" "again/$one" && fail "level $level made the same bytes, so this shows nothing"
}

same_world() {
    expect 0 "again: good, 6 chunks" verify again
    expect 0 "" diff world again
    expect 0 '"equal":true' diff --json again world
    expect 0 "\"hash\":\"$hash\"" info --json again
    expect 0 "" mesh again -o again.tpack --force
    cmp world.tpack again.tpack || fail "$1: another mesh"
}

again 19 $one
same_world "one chunk at level 19"
for level in -5 1 9 22; do
    again $level $(cat files.txt)
    same_world "all files at level $level"
done
# what is written anew has the bytes that it always has
expect 0 "1 chunk changed" apply-log again hill.json -o again_hill
cmp "hill/$one" "again_hill/$one" || fail "a chunk's file remembers how the one before was compressed"
expect 0 "" diff hill again_hill
expect 0 "again_hill: good" verify again_hill
finish
