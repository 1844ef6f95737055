# Functions for the command-line tests, which are run as: sh tests/cli/NAME.sh TERRAIN SCRATCH ROOT
set -u
terrain=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scratch=$2
root=$(cd "$3" && pwd)
cd "$scratch" || exit 2
failures=0

fail() {
    echo "not ok: $*"
    failures=$((failures + 1))
}

# expect STATUS TEXT ARGUMENTS...: terrain exits so, and what it says (both streams) holds the text; one line of it when it refuses.
expect() {
    wanted=$1
    text=$2
    shift 2
    found=0
    "$terrain" "$@" >out.txt 2>err.txt </dev/null || found=$?
    [ "$found" = "$wanted" ] || fail "terrain $*: exit $found, expected $wanted: $(cat out.txt err.txt)"
    [ -z "$text" ] || cat out.txt err.txt | grep -qF -- "$text" || fail "terrain $*: said '$(cat out.txt err.txt)', expected '$text' in it"
    if [ "$wanted" -ge 2 ]; then
        [ ! -s out.txt ] || fail "terrain $*: a refusal wrote to standard output: $(cat out.txt)"
        [ "$(wc -l <err.txt)" = 1 ] || fail "terrain $*: a refusal is one line, found: $(cat err.txt)"
    fi
}

# Nothing of that name, and nothing half-written beside it.
expect_absent() {
    [ ! -e "$1" ] || fail "$1 exists"
    for left in ".$1".tmp-*; do
        [ ! -e "$left" ] || fail "$left was left behind"
    done
}

finish() {
    [ $failures = 0 ] && exit 0
    echo "$failures failures"
    exit 1
}
