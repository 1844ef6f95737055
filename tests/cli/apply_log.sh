# terrain apply-log: --until, --dry-run, --skip-outside, --recover, several logs, and what a refusal names.
. "$(dirname "$0")/../support/cli.sh"
header='{"format":"terrain-edits","version":1}'
"$terrain" gen -q --preset flat --size 2x2 -o world || fail "gen"

raise() { # ID X
    echo "{\"id\":\"$1\",\"op\":\"raise\",\"at\":[$2,20],\"radius\":5,\"strength\":1}"
}
# Edits a, far (outside the world), b, far-2.
{ echo "$header" && raise a 20 && raise far 9000 && raise b 30 && raise far-2 9000; } >edits.jsonl
{ echo "$header" && raise c 40; } >more.jsonl
same_world() { # A B
    [ "$("$terrain" info --json "$1" | sed 's/.*"hash":"\([0-9a-f]*\)".*/\1/')" = "$("$terrain" info --json "$2" | sed 's/.*"hash":"\([0-9a-f]*\)".*/\1/')" ] ||
        fail "$1 and $2 differ"
}

# --until: what stands behind the edit is not asked about, be it outside the world or in another log.
expect 3 "edits.jsonl:3: edit 'far' lies outside the world" apply-log world edits.jsonl -o out
expect 0 "out: 1 edit, 1 chunk changed" apply-log world edits.jsonl --until a -o out
expect 1 "edits added 1: a" diff world out
expect 0 "1 edit would change" apply-log world edits.jsonl missing.jsonl --until a --dry-run
expect 3 "edits.jsonl:3: edit 'far' lies outside the world" apply-log world edits.jsonl --until b -o none
expect 3 "--until names edit 'z', which is not in the logs given" apply-log world more.jsonl --until z -o none
expect 3 "--until names edit 'a', which is not in the logs given" apply-log out more.jsonl --until a -o none
expect_absent none

# --until with --skip-outside: an edit that is left out still ends the log.
expect 0 "1 edit outside the world left out" apply-log world edits.jsonl --skip-outside --until far -o until_far
same_world out until_far
expect 0 "2 edits would change" apply-log world edits.jsonl --skip-outside --until far-2 --dry-run
expect 0 "3 edits would change" apply-log world edits.jsonl more.jsonl --skip-outside --until c --dry-run

# --recover counts all edits before the torn line, also those left out for another reason.
{ cat edits.jsonl && printf '{"id":"to'; } >torn.jsonl
expect 3 "torn.jsonl:6: last line, at byte offset $(wc -c <edits.jsonl), is torn, last good edit is 'far-2'" apply-log world torn.jsonl -o none
expect 0 "torn.jsonl:6: last line, at byte offset $(wc -c <edits.jsonl), is torn: left out, 4 edits before it" apply-log world torn.jsonl --recover --skip-outside --dry-run
expect 0 '"edits":2,"stamps":2,"skipped_outside":2,"torn_logs":1' apply-log world torn.jsonl --recover --skip-outside --dry-run --json -q

# --dry-run: chunks with their blocks, nothing written.
echo '{"id":"cave","op":"subtract","shape":{"type":"sphere","center":[32,-2,32],"radius":6}}' | { echo "$header" && raise c 100 && cat; } >cave.jsonl
"$terrain" apply-log world cave.jsonl -n >out.txt 2>err.txt || fail "dry run"
printf '%s\n' "2 edits would change 2 of 9 chunks, nothing was written" "chunk 0,0, with 2 blocks in 3D" "chunk 1,0" >expected.txt
cmp -s out.txt expected.txt || fail "dry run: $(diff expected.txt out.txt)"
expect 2 "--dry-run writes nothing, found --output too" apply-log world cave.jsonl -n -o none
expect_absent none

# An id that is used twice: both places, in this log, in another, and in that of the world.
{ echo "$header" && raise a 20 && raise a 30; } >twice.jsonl
expect 3 "twice.jsonl:3: edit 'a': \"id\" is used twice, first in line 2" apply-log world twice.jsonl -o none
expect 3 "more.jsonl:2: edit 'c': \"id\" is used twice, first at cave.jsonl:2" apply-log world cave.jsonl more.jsonl -o none
"$terrain" apply-log -q world cave.jsonl -o caved || fail "apply-log"
expect 3 "more.jsonl:2: edit 'c': \"id\" is used twice, first at caved/edits.jsonl:2" apply-log caved more.jsonl -o none
expect_absent none

# A refusal begins with the file and its place, also in MessagePack and where the name has blanks.
refusal() { # COMMAND... FILE: the line that it says
    "$terrain" "$@" 2>&1 >/dev/null
}
sed 's/"radius":5/"radius":-5/' more.jsonl >"my edits.jsonl"
line=$(refusal apply-log world "my edits.jsonl" -n)
[ "$line" = "my edits.jsonl:2: edit 'c': \"radius\" must be > 0, found -5" ] || fail "a name with a blank: $line"
"$terrain" log convert -q more.jsonl -o more.msgpack || fail "convert"
head -c 60 more.msgpack >cut.msgpack
line=$(refusal log check cut.msgpack)
case $line in "cut.msgpack: byte offset "*) ;; *) fail "MessagePack that is cut: $line" ;; esac
expect 4 "terrain apply-log: cannot open \"missing.jsonl\"" apply-log world missing.jsonl -n

# Standard input is one log.
expect 2 "standard input can be read once, expected one '-', found 2" apply-log world - - -n
expect 2 "standard input can be read once, expected one '-', found 2" log check - a.jsonl -
expect 2 "standard input can be read once, expected one '-', found 3" log merge - - - -o merged.jsonl
line=$("$terrain" apply-log world - -n -q <"my edits.jsonl" 2>&1)
[ "$line" = "standard input:2: edit 'c': \"radius\" must be > 0, found -5" ] || fail "standard input: $line"

# The result may take the place of the world that is read.
cp -r world again
expect 0 "again: 2 edits" apply-log again cave.jsonl -o again --force
same_world again caved
expect 4 "\"more.jsonl\" is no folder, expected a world to replace" apply-log world more.jsonl -o more.jsonl --force
finish
