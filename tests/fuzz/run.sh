#!/bin/sh
# Runs each libFuzzer target for some seconds, as many at a time as there are processors, and says what was found.
#   tests/fuzz/run.sh build/fuzz SECONDS
set -u
build=$1
seconds=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$build/corpus" "$build/findings"
one='
    target=$1; build=$2; seconds=$3; here=$4
    name=$(basename "$target" _fuzz)
    mkdir -p "$build/corpus/$name"
    "$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$build/findings/$name-" "$build/corpus/$name" "$here/corpus/$name" >"$build/$name.log" 2>&1
    status=$?
    runs=$(sed -n "s/^stat::number_of_executed_units: *//p" "$build/$name.log")
    if [ $status = 0 ]; then echo "ok $name: $runs executions in $seconds s"; else echo "not ok $name: exit $status, see $build/$name.log"; fi
'
ls "$build"/tests/fuzz/*_fuzz | xargs -P "$(nproc)" -I{} sh -c "$one" one {} "$build" "$seconds" "$here" | tee "$build/summary"
! grep -q '^not ok' "$build/summary"
