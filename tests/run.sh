#!/bin/sh
# Runs every test of a build and ends with the line "N passed, N failed". A unit or property test is a cmocka program, a fuzz target runs
# over its corpus, a command-line test is a script that gets the program and an empty folder.
#   tests/run.sh build/<config>          TESTS_ONLY=unit leaves out the command-line tests
set -u
build=$1
here=$(dirname "$0")
passed=0
failed=0
skipped=0
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT

# A locale whose numbers have a comma, for the test that no locale matters.
if command -v localedef >/dev/null 2>&1 && mkdir "$scratch/locale" && localedef -i de_DE -f UTF-8 "$scratch/locale/de_DE.UTF-8" >/dev/null 2>&1; then
    export LOCPATH="$scratch/locale"
fi

# Adds a finished run to the counts: its name, its log, its exit status. cmocka prints a line for each test.
count() {
    good=$(grep -c '^\[       OK \]' "$2")
    bad=$(grep -c '^\[  FAILED  \] [^0-9]' "$2")
    skip=$(grep -c '^\[  SKIPPED \] [^0-9]' "$2")
    if [ "$good$bad$skip" = 000 ]; then # not cmocka: one test
        if [ "$3" = 0 ]; then good=1; else bad=1; fi
    elif [ "$3" != 0 ] && [ "$bad" = 0 ]; then # it died
        bad=1
    fi
    # cmocka lists failed tests a second time in its summary
    [ "$bad" -gt 1 ] && bad=$(grep '^\[  FAILED  \] [^0-9]' "$2" | sort -u | wc -l)
    [ "$skip" -gt 1 ] && skip=$(grep '^\[  SKIPPED \] [^0-9]' "$2" | sort -u | wc -l)
    passed=$((passed + good))
    failed=$((failed + bad))
    skipped=$((skipped + skip))
    if [ "$bad" != 0 ]; then
        echo "not ok $1"
        tail -n 60 "$2"
    elif [ "$skip" != 0 ]; then
        echo "ok $1 ($good, skipped $skip)"
    else
        echo "ok $1 ($good)"
    fi
}

# Queues a test: its name, then its command. As many run at a time as there are processors, and what they say is shown in order of the queue.
mkdir "$scratch/queue"
queued=0
queue() {
    queued=$((queued + 1))
    entry=$(printf '%s/queue/%04d' "$scratch" $queued)
    printf '%s\n' "$@" >"$entry"
}

for test in "$build"/tests/unit/*_test "$build"/tests/property/*_test; do
    [ -x "$test" ] && queue "${test#"$build"/tests/}" "$test"
done
for target in "$build"/tests/fuzz/*_fuzz; do
    [ -x "$target" ] || continue
    name=$(basename "$target")
    queue "fuzz/$name" "$target" "$here/fuzz/corpus/${name%_fuzz}"
done
if [ "${TESTS_ONLY:-}" != unit ]; then
    for script in "$here"/cli/*.sh; do
        [ -e "$script" ] || continue
        name=$(basename "$script" .sh)
        mkdir "$scratch/cli-$name"
        queue "cli/$name" sh "$script" "$build/terrain" "$scratch/cli-$name" "$here/.."
    done
    queue lint/source sh "$here/lint/source_lint.sh" "$here/.."
    queue lint/source_faults sh "$here/lint/source_faults.sh"
    if [ -x "$build/spirv_lint" ]; then
        queue lint/spirv "$build/spirv_lint" "$build"/spv/*.spv
        queue lint/faults sh "$here/lint/faults.sh" "$build/spirv_lint"
    fi
fi

# A queued test: its words are the lines of its entry but for the first. Folders of command-line tests go when they are done, for they are large.
cat >"$scratch/run_one" <<'END'
entry=$1
name=$(head -n 1 "$entry")
set --
while IFS= read -r word; do
    set -- "$@" "$word"
done <<WORDS
$(sed 1d "$entry")
WORDS
status=0
"$@" >"$entry.log" 2>&1 </dev/null || status=$?
echo "$status" >"$entry.status"
case $name in
cli/*)
    chmod -R u+w "$4"
    rm -rf "$4"
    ;;
esac
END
find "$scratch/queue" -type f | sort | xargs -P "$(nproc)" -n 1 sh "$scratch/run_one"

number=0
while [ $number -lt $queued ]; do
    number=$((number + 1))
    entry=$(printf '%s/queue/%04d' "$scratch" $number)
    status=$(cat "$entry.status" 2>/dev/null) || status=99
    [ -e "$entry.log" ] || echo "it was not run" >"$entry.log"
    count "$(head -n 1 "$entry")" "$entry.log" "$status"
done
if [ "$skipped" != 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" = 0 ]
