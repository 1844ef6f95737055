# Worlds that were damaged, and folders that are not worlds: verify finds every defect, --force replaces nothing else than a world.
. "$(dirname "$0")/../support/cli.sh"
printf 'ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\nnodata_value -9999\n1 2 3\n4 5 6\n' >good.asc
printf '{"format": "terrain-edits", "version": 1, "edits": [{"id": "hill", "op": "raise", "at": [10, 5], "radius": 8, "strength": 2}]}' >hill.json
expect 0 "" gen --dem good.asc -o plain
expect 0 "" apply-log plain hill.json -o edited
expect 0 "plain: good, 4 chunks" verify plain
expect 0 "edited: good" verify edited
chunk=chunks/b2/c.0.0.trc
[ -f "edited/base/b2/c.0.0.trc" ] || fail "the log left no base of chunk (0, 0)"

# A copy of a world to be damaged.
copy() {
    rm -rf bad
    cp -r "$1" bad
    chmod -R u+w bad
}

# defects COUNT TEXT...: verify says that bad has so many, and each text.
defects() {
    [ "$1" = 1 ] && count="1 defect" || count="$1 defects"
    expect 1 "bad: bad, $count" verify bad
    cp out.txt told.txt
    shift
    for text in "$@"; do
        grep -qF -- "$text" told.txt || fail "verify bad: said '$(cat told.txt)', expected '$text' in it"
    done
    expect 1 '"good":false' verify --json bad
    expect 1 "" verify --quiet --jobs 1 bad
    [ ! -s out.txt ] || fail "verify --quiet printed: $(cat out.txt)"
}

# the log
copy edited
sed -i 's/"radius":8/"radius":9/' bad/edits.jsonl
defects 1 '"bad/edits.jsonl" has '
copy edited
echo '{' >>bad/edits.jsonl
defects 2 '"bad/edits.jsonl" has ' 'bad/edits.jsonl:3: '
copy edited
rm bad/edits.jsonl
defects 1 '"bad/edits.jsonl" is missing'
copy plain
cp edited/edits.jsonl bad/
defects 1 '"bad/edits.jsonl" is there, but world.json has no log'

# the base
copy plain
cp -r edited/base bad/
defects 2 '"bad/base" is there, but world.json has no log' '"bad/base/b2/c.0.0.trc": chunk hash'
copy edited
printf X | dd of=bad/base/b2/c.0.0.trc bs=1 seek=100 conv=notrunc 2>/dev/null
defects 1 '"bad/base/b2/c.0.0.trc": '
copy edited
cp bad/$chunk bad/base/b2/c.0.0.trc
defects 1 'expected another than that of the chunk'
copy edited
mv bad/base/b2/c.0.0.trc bad/base/b2/c.7.0.trc
defects 1 '"bad/base/b2/c.7.0.trc" is the place of no chunk'
copy edited
mv bad/base elsewhere
ln -s ../elsewhere bad/base
defects 1 '"bad/base" is a symbolic link, expected a folder'
expect 4 'holds "base"' gen --dem good.asc -o bad --force
[ -f elsewhere/b2/c.0.0.trc ] || fail "what a link leads to was removed"

# names
copy plain
echo mine >bad/notes.txt
echo mine >bad/chunks/mine.txt
echo mine >bad/chunks/b2/c.00.0.trc
mkdir bad/chunks/B2
cp bad/$chunk bad/chunks/b2/c.2.2.trc
mkdir bad/chunks/00
cp bad/$chunk bad/chunks/00/
defects 6 'bad/notes.txt" is no part' 'bad/chunks/mine.txt" is no part' 'c.00.0.trc" is no part' 'B2" is no part' 'c.2.2.trc" is the place of no chunk' '00/c.0.0.trc" is the place of no chunk'

# chunk files: all that are damaged, in one order
copy plain
rm bad/chunks/b2/c.1.1.trc
: >bad/chunks/b2/c.0.1.trc
printf X | dd of=bad/$chunk bs=1 seek=100 conv=notrunc 2>/dev/null
rm bad/chunks/b2/c.1.0.trc
ln -s c.1.1.trc bad/chunks/b2/c.1.0.trc
defects 4 'c.0.0.trc": heights at byte 88: checksum' 'c.1.0.trc": "c.1.0.trc" is a symbolic link' 'c.0.1.trc": header at byte 0' 'c.1.1.trc" is missing'
expect 1 "" verify --jobs 7 bad
cmp -s out.txt told.txt || fail "defects differ by the number of jobs: $(cat out.txt)"
copy plain
mv bad/chunks bad-chunks
defects 1 '"bad/chunks" is missing, expected a folder'
copy plain
chmod 600 bad/$chunk
expect 0 "bad: good" verify bad

# world.json and the index
copy plain
sed -i 's/"source": "/&x/' bad/world.json
defects 1 'bad/world.json: checksum'
expect 1 '"defects":["bad/world.json: checksum' verify --json bad
copy plain
printf X | dd of=bad/chunks.idx bs=1 seek=50 conv=notrunc 2>/dev/null
defects 1 '"bad/chunks.idx": checksum'

# --force leaves alone what is no world
kept() {
    find kept | sort >before.txt
    expect 4 "$1" gen --dem good.asc -o kept --force
    find kept | sort | cmp -s - before.txt || fail "a folder that is no world was touched: $1"
    rm -rf kept
    expect_absent kept
}
mkdir -p kept/base && echo mine >kept/base/mine
kept 'holds "base/mine"'
mkdir -p kept/chunks && echo mine >kept/chunks/mine.txt
kept 'holds "chunks/mine.txt"'
mkdir -p kept/chunks/b2 && echo mine >kept/$chunk
kept "no world.json"
mkdir kept && echo '{}' >kept/world.json
kept '"kept/world.json" is not that of a world'
mkdir -p kept/world.json
kept 'holds "world.json"'
mkdir kept && ln -s ../plain/world.json kept/world.json
kept 'holds "world.json"'
cp -r plain kept && echo mine >kept/chunks/b2/mine
kept 'holds "chunks/b2/mine"'
cp -r plain kept && mkdir kept/base && ln -s ../../plain kept/base/00
kept 'holds "base/00"'
[ -f plain/world.json ] || fail "what a link leads to was removed"

# but replaces a world that is damaged, and an empty folder
copy plain
rm bad/chunks.idx bad/$chunk
sed -i 's/"source": "/&x/' bad/world.json
expect 0 "" gen --dem good.asc -o bad --force
expect 0 "bad: good" verify bad
mkdir empty
expect 0 "" gen --dem good.asc -o empty --force
expect 0 "empty: good" verify empty
finish
