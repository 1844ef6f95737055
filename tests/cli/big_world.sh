# A world of 128 x 128 chunks, 8 km at 1 m: filled, edited, compared and verified within 512 MiB of address space; an edit decodes and
# writes only the chunks that it touches, and links all others.
. "$(dirname "$0")/../support/cli.sh"
limit_kib=524288
if grep -q __asan_init "$terrain"; then
    echo "no limit on memory: a sanitizer reserves more than that by itself"
    limit_kib=unlimited
elif (ulimit -v 4096 && "$terrain" help) >/dev/null 2>&1; then
    fail "a limit of 4 MiB limits nothing"
fi

# Every thread reserves address space that it never uses, so their number is set.
limited() {
    wanted=$1
    text=$2
    shift 2
    found=0
    (ulimit -v $limit_kib && exec "$terrain" "$@" --jobs 2) >out.txt 2>err.txt </dev/null || found=$?
    [ $found = "$wanted" ] || fail "terrain $*: exit $found, expected $wanted: $(head -n 3 out.txt err.txt)"
    cat out.txt err.txt | grep -qF -- "$text" || fail "terrain $*: said '$(head -n 3 out.txt err.txt)', expected '$text' in it"
}

# A line for each file below a folder: its name, its inode.
list() {
    (cd "$1" && find . -type f -printf '%P %i\n') | LC_ALL=C sort
}

# The chunk files of a world that are not those of `big`, as `diff --name-only` names chunks.
written() {
    list "$1/chunks" >written.txt
    LC_ALL=C comm -13 big.txt written.txt | sed 's/.*c\.\([0-9]*\)\.\([0-9]*\)\.trc .*/\1 \2/' | sort
}

limited 0 "128 x 128 chunks, 8192 m x 8192 m" gen --preset hills --size 128x128 --device cpu -o big
list big/chunks >big.txt
[ "$(wc -l <big.txt)" = 16641 ] || fail "129 x 129 chunks were expected, found $(wc -l <big.txt)"

# a cave at the corner of four chunks
echo '{"format": "terrain-edits", "version": 1, "edits": [{"op": "subtract", "shape": {"type": "sphere", "center": [4096, 20, 4096], "radius": 30}}]}' >cave.json
printf '63 63\n63 64\n64 63\n64 64\n' >cave.txt
limited 0 "1 edit, 4 chunks changed" apply-log big cave.json --device cpu -o edited
limited 1 "4 of 16641 chunks differ" diff big edited
cp out.txt differ.txt
limited 1 "" diff --name-only big edited
sort out.txt | cmp -s - cave.txt || fail "other chunks differ than the cave reaches: $(cat out.txt)"
limited 0 "big: good, 16641 chunks" verify big
limited 0 "edited: good, 16641 chunks" verify edited
expect 0 '"distance_m":30,"solid":false' sample --json edited 4096,20,4096

# written are those four; the others are the same files, and so are the four of before, which the new world keeps as base
written edited | cmp -s - cave.txt || fail "written were: $(written edited)"
list edited/base | sed 's/ .*//' >base.txt
[ "$(sed 's/.*c\.\([0-9]*\)\.\([0-9]*\)\.trc/\1 \2/' base.txt | sort)" = "$(cat cave.txt)" ] || fail "bases are: $(cat base.txt)"
[ "$(list edited/base | LC_ALL=C comm -12 - big.txt | wc -l)" = 4 ] || fail "a base is no link to the chunk before"

# with every other chunk damaged the edit does the same, so it does not decode them; nor does diff
sed 's/\(.*\)/\1.trc/; s/ /./; s/^/c./' cave.txt >kept.txt
find big/chunks -name '*.trc' | grep -vFf kept.txt >others.txt
[ "$(wc -l <others.txt)" = 16637 ] || fail "16637 other chunks were expected"
xargs chmod u+w <others.txt
xargs truncate -s 1 <others.txt
xargs chmod a-w <others.txt
expect 1 "big: bad, 16637 defects" verify big
limited 0 "1 edit, 4 chunks changed" apply-log big cave.json --device cpu -o again
written again | cmp -s - cave.txt || fail "beside damage, written were: $(written again)"
for file in world.json chunks.idx edits.jsonl $(sed 's|^|chunks/|' base.txt); do
    cmp "edited/$file" "again/$file" || fail "beside damage, $file is another"
done
limited 1 "" diff big again
cmp -s differ.txt out.txt || fail "beside damage, diff said: $(cat out.txt)"
finish
