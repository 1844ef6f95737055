# samples/edits.schema.json and the program accept and refuse the same files. The corpus lies in log_schema/: accept.jsonl and refuse.jsonl,
# one edit a line, the refused ones wrong in one thing, which "x-why" names; documents.jsonl, whole documents; reader_only.txt, a reason and
# an edit a line, what no schema can refuse.
. "$(dirname "$0")/../support/cli.sh"
corpus=$root/tests/cli/log_schema
schema=$root/samples/edits.schema.json
cp "$root/samples/stamp.png" "$root/samples/rock.obj" . || exit 2 # what edits of the corpus name as "file"
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'from jsonschema import Draft202012Validator' >/dev/null 2>&1; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "[  SKIPPED ] schema and reader agree: python3-jsonschema is not there"
    exit 0
fi

wrap() { # stdin: an edit a line -> a document a line
    sed 's/^/{"format": "terrain-edits", "version": 1, "edits": [/; s/$/]}/'
}
claim() { # how many, what; counts a claim that no failure has touched
    [ $failures = "$before" ] && echo "ok $1 $2"
    before=$failures
}
before=0

# agree FILE EXPECTED: of each document (a line), schema and program say EXPECTED, yes or no; the program's refusal is one line with its place.
agree() {
    "$python" "$corpus/validate.py" "$schema" <"$1" >verdicts || fail "$1: the validator died"
    number=0
    while IFS= read -r document <&3 && IFS= read -r verdict <&4; do
        number=$((number + 1))
        printf '%s\n' "$document" >log.json
        [ "$verdict" = "$2" ] || fail "$1:$number:$(why) the schema says $verdict, expected $2"
        judge "$1:$number" "$2"
    done 3<"$1" 4<verdicts
    [ "$number" = "$(wc -l <"$1")" ] || fail "$1: $number of $(wc -l <"$1") documents judged"
    count=$number
}

why() { # what log.json is in the corpus for
    sed -n 's/.*"x-why": "\([^"]*\)".*/ (\1)/p' log.json
}

# judge PLACE yes|no: what the program says of log.json.
judge() {
    status=0
    "$terrain" log check log.json >out.txt 2>err.txt </dev/null || status=$?
    case $2:$status in
    yes:0) ;;
    no:3)
        { IFS= read -r said && ! IFS= read -r more; } <err.txt && [ ! -s out.txt ] || fail "$1:$(why) a refusal is one line: $(cat out.txt err.txt)"
        case $said in
        "log.json:1: "*) ;;
        *) fail "$1:$(why) the refusal names no place: $said" ;;
        esac
        ;;
    *) fail "$1:$(why) the reader exits with $status, expected $2: $(cat err.txt)" ;;
    esac
}

# The greatest lists, and one more of each: "list COUNT TEXT" is COUNT times a text with commas between.
list() {
    awk -v count="$1" -v text="$2" 'BEGIN { for (i = 1; i <= count; i++) printf "%s%s", text, i < count ? "," : "" }'
}
stroke() {
    printf '{"op": "raise", "path": [%s], "radius": [%s], "strength": [%s], "x-why": "%d points"}\n' "$(list "$1" '[0,0]')" "$(list "$1" 5)" "$(list "$1" 2)" "$1"
}
tree() {
    printf '{"op": "union", "shape": {"type": "union", "of": [%s]}, "x-why": "a union of %d"}\n' "$(list "$1" '{"type":"sphere","center":[1,2,3],"radius":4}')" "$1"
}

{ cat "$corpus/accept.jsonl"; stroke 4096; tree 4095; } | wrap >accept
agree accept yes
claim "$count" "edits that schema and reader accept"

{ cat "$corpus/refuse.jsonl"; stroke 4097; tree 4096; } | wrap >refuse
agree refuse no
claim "$count" "edits, wrong in one thing, that schema and reader refuse"

# (A document without "edits" is in neither: it is a log in JSON Lines of no edits.)
for expected in true false; do
    grep "\"accept\": $expected," "$corpus/documents.jsonl" | sed 's/.*"document": \(.*\)}$/\1/' >"documents_$expected"
    agree "documents_$expected" "$([ $expected = true ] && echo yes || echo no)"
    claim "$count" "documents of which both say: accepted is $expected"
done

# What only the reader can say: the schema has nothing against it.
cut -f 2 "$corpus/reader_only.txt" | wrap >reader_only
"$python" "$corpus/validate.py" "$schema" <reader_only >verdicts || fail "reader_only: the validator died"
[ "$(grep -c yes verdicts)" = "$(wc -l <reader_only)" ] || fail "reader_only: the schema refuses one: $(cat verdicts)"
number=0
while IFS= read -r document; do
    number=$((number + 1))
    printf '%s\n' "$document" >log.json
    judge "reader_only:$number" no
done <reader_only
claim "$number" "edits that only the reader can refuse"

# The lines of JSON Lines are the schema's edit and header, and the sample log is one that both accept.
sample=$root/samples/edits.example.jsonl
sed 1d "$sample" | "$python" "$corpus/validate.py" "$schema" edit >verdicts || fail "the validator died"
sed -n 1p "$sample" | "$python" "$corpus/validate.py" "$schema" header >>verdicts || fail "the validator died"
[ "$(grep -c yes verdicts)" = "$(wc -l <"$sample")" ] || fail "the schema refuses line $(grep -n no verdicts | head -n 1) of the sample log"
expect 0 "JSON Lines" log check "$sample"
"$python" "$corpus/unused.py" "$schema" "$corpus/accept.jsonl" "$sample" >unused.txt || fail "unused.py died"
[ ! -s unused.txt ] || fail "the sample log does not use $(tr '\n' ',' <unused.txt)"
claim 1 "sample log, every line the schema's edit or header, that uses each operation, shape, blend and falloff"
finish
