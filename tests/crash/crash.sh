#!/bin/sh
# shellcheck disable=SC2086,SC2015 # commands are lists of words here
# Worlds that cannot be lost: every call to the system fails once, the process is killed before every call that changes something and at
# random moments, two processes write at once: by chance, and each time before another call of the first.
#   sh tests/crash/crash.sh TERRAIN BUILD         the helpers are compiled into BUILD/crash
#   CRASH_KILLS=N   moments to kill at, 200 when not given       CRASH_SEED=N   which moments, 1 when not given
#
# What must hold after a failure, whatever failed: under the final name is what was there before or the whole new one, byte for byte;
# the exit status is 4, with one line on standard error, or 0 and silence, with the new output in place; and the next run succeeds and
# leaves nothing beside. A command may succeed all the same when what failed was
#   - the closing or locking of a file (what was written is synced before; a lock serves cleaning up alone),
#   - the removal of what is no longer needed: then its rest stays beside, for the next run to remove,
#   - looking for what others have left.
set -u
terrain=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2/crash"
tools=$(cd "$2/crash" && pwd)
kills=${CRASH_KILLS:-200}
seed=${CRASH_SEED:-1}
flags="-std=c17 -D_GNU_SOURCE -O1 -Wall -Wextra"
${CC:-cc} $flags -shared -fPIC -o "$tools/fail_calls.so" "$here/fail_calls.c" -ldl -lpthread &&
    ${CC:-cc} $flags -o "$tools/kill_after" "$here/kill_after.c" || exit 2
scratch=$(mktemp -d)
scratch=$(cd "$scratch" && pwd -P)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

# What each part says goes through a file, for parts run side by side.
ok() {
    echo "ok $*"
}
bad=0 # findings of the claim at hand
fail() {
    bad=$((bad + 1))
    [ $bad -gt 5 ] || echo "not ok $*"
}
# claim TEXT: closes a claim, which holds when nothing failed since the last one.
claim() {
    [ $bad = 0 ] && ok "$*"
    [ $bad -le 5 ] || echo "# $* : $bad findings, 5 shown"
    bad=0
}
must() {
    "$@" || {
        echo "not ok preparing: $*"
        exit 1
    }
}
same() {
    diff -rq "$1" "$2" >/dev/null 2>&1
}
# Names of leftovers beside the output $1.
leftovers() {
    for left in ".$1".tmp-*; do
        [ ! -e "$left" ] || printf '%s ' "$left"
    done
}
# one_line FILE: it has one line.
one_line() {
    { read -r _ && ! read -r _; } <"$1"
}
copy() {
    rm -rf "$2"
    cp -al "$1" "$2"
}

# ---- calls that fail ----

# with_faults ERRNO STAYS CALLS N: runs the command $command with the N-th of these calls failing; leaves status, err and calls.
with_faults() {
    : >"$logs/calls"
    status=0
    env FAIL_UNDER="$PWD" FAIL_COUNT_FILE="$logs/calls" ${1:+FAIL_ERRNO="$1"} ${2:+FAIL_STAYS=1} ${3:+FAIL_CALLS="$3"} FAIL_AT="$4" \
        LD_PRELOAD="$tools/fail_calls.so" "$terrain" $command >"$logs/out" 2>"$logs/err" </dev/null || status=$?
}

# Puts what was there before under the name again: $before, or nothing where there is none.
restore() {
    rm -rf "$output" ".$output".tmp-*
    [ -z "$before" ] || cp -al "$before" "$output"
}

# check_failure WHAT KIND PATH HOW: what must hold after the command has run with that call failing. HOW: STAYS, KILL or nothing.
check_failure() {
    if [ -e "$output" ]; then
        if same "$output" "$after"; then
            state=new
        elif [ -n "$before" ] && same "$output" "$before"; then
            state=old
        else
            state=broken
        fi
    else
        state=absent
        [ -z "$before" ] && state=old
    fi
    case $state in
    broken) fail "$1: \"$output\" is neither the old nor the new one" ;;
    absent) fail "$1: \"$output\" is gone" ;;
    esac
    case $status in
    0)
        [ ! -s "$logs/err" ] || fail "$1: success, but it said: $(cat "$logs/err")"
        [ $state = new ] || fail "$1: success, but \"$output\" is the old one"
        case $2 in
        close | lock | remove) ;;
        open | dup)
            case $3 in
            "$PWD") # to look for leftovers, before anything is made; later it is opened to be synced
                ! grep -q "^mkdir \|^create " "$logs/calls" || [ "$(grep -m 1 -n "^mkdir \|^create " "$logs/calls" | cut -d : -f 1)" -gt "$n" ] ||
                    fail "$1: success, expected a failure"
                ;;
            "$PWD/$output" | "$PWD/.$output.tmp-"*) ;; # to take the old world apart
            # to compare what was made, when it is whole and synced, with the old one: without an answer they count as different
            # and, right before a file is made in a new folder, to look there for leftovers, too
            "$PWD/$output/"* | "$PWD/./$output" | "$PWD/./.$output.tmp-"*)
                head -n $((n - 1)) "$logs/calls" | grep -q "^sync " || sed -n "$((n + 1))p" "$logs/calls" | grep -qF "create $3/" ||
                    fail "$1: success, expected a failure"
                ;;
            *) fail "$1: success, expected a failure" ;;
            esac
            ;;
        *) fail "$1: success, expected a failure" ;;
        esac
        ;;
    4)
        one_line "$logs/err" || fail "$1: not one line on standard error: $(cat "$logs/err")"
        ;;
    137) [ "$4" = KILL ] || fail "$1: killed" ;;
    *) fail "$1: exit $status, expected 4: $(cat "$logs/err")" ;;
    esac
    # rubbish may stay where it could not be removed: that call failed, or all do since, or there was nobody to do it
    case $status$2$4 in
    0remove | 0open | 0dup | 4remove | *STAYS | *KILL) ;;
    *) [ -z "$(leftovers "$output")" ] || fail "$1: left $(leftovers "$output") behind" ;;
    esac
}

# check_debris WHAT OUTPUT OLD NEW: what was left, if anything, is refused, unless it is the old or the new one, whole. Counts what it finds.
debris=0
whole=0
check_debris() {
    for left in $(leftovers "$2"); do
        debris=$((debris + 1))
        "$terrain" info "$left" >/dev/null 2>&1 || continue
        whole=$((whole + 1))
        same "$left" "$3" || same "$left" "$4" || fail "$1: $left, which is not whole, is taken for a whole one"
    done
}

# check_next WHAT: the command without faults succeeds, and nothing is left beside.
check_next() {
    # where the name was free and is taken now, the command has nothing left to do
    if [ -z "$before" ] && [ -e "$output" ]; then
        rm -rf "$output"
    elif [ $state = new ] && [ -n "$in_place" ]; then # the same edits again would be refused
        copy "$before" "$output"
    fi
    "$terrain" $command >"$logs/out" 2>"$logs/err" </dev/null || fail "$1: the next run fails: $(cat "$logs/err")"
    same "$output" "$after" || fail "$1: the next run makes something else"
    [ -z "$(leftovers "$output")" ] || fail "$1: the next run leaves $(leftovers "$output")"
}

# every_call_fails NAME ERRNO HOW CALLS: lets each call of $command fail in turn. CALLS empty: all kinds.
every_call_fails() {
    stays=
    [ "$3" != STAYS ] || stays=1
    restore
    with_faults "$2" "" "$4" 0
    [ $status = 0 ] || fail "$1: fails without a fault: $(cat "$logs/err")"
    same "$output" "$after" || fail "$1: not the expected result without a fault"
    total=$(wc -l <"$logs/calls")
    # what must not be missing: or it would be neither done nor made to fail
    [ -n "$4" ] || for call in "write $PWD/.$output.tmp-" "sync $PWD/.$output.tmp-" "rename $PWD/$output"; do
        grep -qF "$call" "$logs/calls" || fail "$1: no call \"$call\""
    done
    [ -n "$4" ] || grep -qxF "sync $PWD" "$logs/calls" || fail "$1: the output's folder is not synced"
    n=1
    while [ $n -le "$total" ]; do
        restore
        with_faults "$2" "$stays" "$4" $n
        hit=$(sed -n "${n}p" "$logs/calls")
        what="$1: ${2:-error} at call $n ($hit)"
        check_failure "$what" "${hit%% *}" "${hit#* }" "$3"
        check_debris "$what" "$output" "$before" "$after"
        check_next "$what"
        n=$((n + 1))
    done
    case $3 in
    KILL) claim "$1: killed before each of $total calls that change something" ;;
    STAYS) claim "$1: the disk becomes read-only before each of $total calls that change something" ;;
    *) claim "$1: each of $total calls fails once" ;;
    esac
}

# faults NAME OUTPUT BEFORE AFTER COMMAND...: the three ways of failing. BEFORE is a copy of what is there, "" for nothing.
faults() {
    name=$1
    output=$2
    before=$3
    after=$4
    shift 4
    command=$*
    every_call_fails "$name" "" "" ""
    every_call_fails "$name" EROFS STAYS create,mkdir,write,link,rename,remove
    every_call_fails "$name" KILL KILL create,mkdir,write,sync,link,rename,remove
}

# Edits of tiny worlds. down.jsonl takes back what up.jsonl does, so that the base that was kept goes again.
small_logs() {
    head='{"format":"terrain-edits","version":1}'
    cat >one.jsonl <<END
$head
{"at":[20,20],"id":"hill","op":"raise","radius":9,"strength":4}
END
    cat >two.jsonl <<END
$head
{"id":"cave","op":"subtract","shape":{"center":[30,2,30],"radius":6,"type":"sphere"}}
END
    cat >up.jsonl <<END
$head
{"at":[96,30],"id":"up","op":"raise","radius":5,"strength":3}
END
    cat >down.jsonl <<END
$head
{"at":[96,30],"id":"down","op":"lower","radius":5,"strength":3}
END
    cat >three.jsonl <<END
$head
{"at":[40,40],"id":"dip","op":"lower","radius":9,"strength":4}
END
}

part_faults() {
    cd "$scratch/faults" || exit 2
    logs=$scratch/faults-logs
    in_place=
    small_logs
    must "$terrain" gen -q --preset flat --size 2x1 -o a
    must "$terrain" gen -q --preset flat --size 2x1 --voxel-size 2 -o a2
    must "$terrain" apply-log -q a one.jsonl -o b
    must "$terrain" apply-log -q b two.jsonl -o c
    must "$terrain" apply-log -q a up.jsonl -o u
    must "$terrain" apply-log -q u down.jsonl -o d
    [ -d u/base ] && [ ! -e d/base ] || fail "a base is kept where samples change, and only there"
    must "$terrain" mesh -q a -o a.tpack
    must "$terrain" mesh -q c -o c.tpack
    must "$terrain" export -q a.tpack -o a.glb
    must "$terrain" export -q c.tpack -o c.glb
    must "$terrain" export -q c.tpack -o c.stl
    must "$terrain" export -q a.tpack --format glb --tiles-per-file 1 -o a.parts
    must "$terrain" export -q c.tpack --format glb --tiles-per-file 1 -o c.parts
    echo '{"format":"terrain-scatter","version":1,"layers":[{"id":"a","model":"m","cell":16,"avoid":["cave","edited"]}]}' >rules.json
    must "$terrain" scatter -q a rules.json -o a.json
    must "$terrain" scatter -q c rules.json -o c.json
    for good in a a2 b c d u a.tpack c.tpack; do
        must "$terrain" verify -q $good
    done
    faults "gen to a new name" w "" a gen -q --preset flat --size 2x1 --jobs 1 -o w
    faults "gen --force" w b a2 gen -q --preset flat --size 2x1 --voxel-size 2 --jobs 1 -o w --force
    faults "apply-log to a new name" w "" d apply-log -q u down.jsonl --jobs 1 -o w
    in_place=1
    faults "apply-log in place" w b c apply-log -q w two.jsonl --jobs 1 -o w --force
    in_place=
    faults "mesh to a new name" w.tpack "" c.tpack mesh -q c --jobs 1 -o w.tpack
    faults "mesh --force" w.tpack a.tpack c.tpack mesh -q c --jobs 1 -o w.tpack --force
    faults "export --force, GLB" w.glb a.glb c.glb export -q c.tpack -o w.glb --force
    faults "export to a new name, STL" w.stl "" c.stl export -q c.tpack -o w.stl
    faults "export to a new name, GLB in parts" w.parts "" c.parts export -q c.tpack --format glb --tiles-per-file 1 -o w.parts
    faults "export --force, GLB in parts" w.parts a.parts c.parts export -q c.tpack --format glb --tiles-per-file 1 -o w.parts --force
    faults "scatter --force" w.json a.json c.json scatter -q c rules.json --jobs 1 -o w.json --force
}

# ---- SIGKILL ----

# moments COUNT SEED: that many moments in thousandths of what the command took when it last ran to its end: every other one out of all of
# it, the others out of its last quarter and a little beyond, where worlds change names and the old one goes.
moments() {
    awk -v count="$1" -v seed="$2" 'BEGIN {
        srand(seed)
        for (i = 0; i < count; i++) print int(1000 * (i % 2 ? rand() : 0.75 + 0.4 * rand()))
    }'
}

# Nothing has come into being but the world and leftovers of its name.
check_names() {
    for entry in .w.tmp-* .[!.]* w*; do
        case $entry in
        w | .w.tmp-[0-9]*-[0-9]* | '.w.tmp-*' | '.[!.]*') ;;
        *) fail "$1: $entry came into being" ;;
        esac
    done
}

# check_killed WHAT OLD NEW: under the name is one of the two, and it verifies.
check_killed() {
    "$terrain" verify -q w >"$logs/out" 2>&1 || fail "$1: the world does not verify: $(cat "$logs/out")"
    if same w "$3"; then
        state=new
        finished=$((finished + 1))
    else
        state=old
        same w "$2" || fail "$1: the world is neither the old nor the new one"
    fi
    check_debris "$1" w "$2" "$3"
    check_names "$1"
}

# check_after WHAT NEW COMMAND...: the next run succeeds, makes the new world, and removes what was left. Leaves its microseconds in span.
check_after() {
    what=$1
    new=$2
    shift 2
    span=$("$tools/kill_after" measure "$terrain" "$@" 2>"$logs/err") || fail "$what: the next run fails: $(cat "$logs/err")"
    same w "$new" || fail "$what: the next run makes something else"
    [ -z "$(leftovers w)" ] || fail "$what: the next run leaves $(leftovers w)"
}

killed_claim() {
    claim "$1: killed at $2 moments; the new world was in place after $finished; $debris leftovers ($whole of them whole worlds) were removed"
    debris=0
    finished=0
    whole=0
}

# 200 hills and holes, spread over 8 x 8 chunks.
many_edits() {
    awk 'BEGIN {
        print "{\"format\":\"terrain-edits\",\"version\":1}"
        srand(5)
        for (i = 0; i < 200; i++) {
            x = int(rand() * 512); z = int(rand() * 512)
            if (i % 2) printf "{\"at\":[%d,%d],\"id\":\"e%d\",\"op\":\"raise\",\"radius\":%d,\"strength\":4}\n", x, z, i, 6 + i % 20
            else printf "{\"id\":\"e%d\",\"op\":\"subtract\",\"shape\":{\"center\":[%d,%d,%d],\"radius\":7,\"type\":\"sphere\"}}\n", i, x, 20 + i % 40, z
        }
    }' >many.jsonl
}

part_kills() {
    cd "$scratch/kills" || exit 2
    logs=$scratch/kills-logs
    many_edits
    gen="gen -q --preset hills --size 8x8 --jobs 2 -o w --force --seed"
    must "$terrain" gen -q --preset hills --size 8x8 --seed 1 -o 1
    must "$terrain" gen -q --preset hills --size 8x8 --seed 2 -o 2
    must "$terrain" apply-log -q 1 many.jsonl -o e
    must "$terrain" verify -q e
    finished=0

    copy 1 w
    check_after "gen --force" 2 $gen 2
    new=2
    for moment in $(moments $((kills / 2)) "$seed"); do
        old=$new
        new=$((3 - old))
        moment=$((moment * span / 1000 + 1))
        "$tools/kill_after" $moment "$terrain" $gen $new >/dev/null 2>&1
        check_killed "gen --force killed after $moment us" $old $new
        check_after "gen --force killed after $moment us" $new $gen $new
    done
    killed_claim "gen --force" $((kills / 2))

    set -- apply-log -q w many.jsonl --jobs 2 -o w --force
    copy 1 w
    check_after "apply-log in place" e "$@"
    for moment in $(moments $((kills - kills / 2)) $((seed + 1))); do
        copy 1 w
        moment=$((moment * span / 1000 + 1))
        "$tools/kill_after" $moment "$terrain" "$@" >/dev/null 2>&1
        check_killed "apply-log in place killed after $moment us" 1 e
        [ $state = old ] || copy 1 w # the same edits again would be refused
        check_after "apply-log in place killed after $moment us" e "$@"
    done
    killed_claim "apply-log in place" $((kills - kills / 2))
}

# ---- who else writes ----

# check_race WHAT STATUS1 STATUS2 OUTPUT RESULT...: one at least has won, who has not says why in one line, and the output is one of the results.
check_race() {
    what=$1
    result=$4
    [ "$2" = 0 ] || [ "$3" = 0 ] || fail "$what: both failed: $(cat err1 err2)"
    for side in 1 2; do
        [ $side = 1 ] && found=$2 || found=$3
        case $found in
        0) [ ! -s err$side ] || fail "$what: success, but it said: $(cat err$side)" ;;
        4)
            lost=$((lost + 1))
            one_line err$side || fail "$what: not one line on standard error: $(cat err$side)"
            ;;
        *) fail "$what: exit $found: $(cat err$side)" ;;
        esac
    done
    [ -z "$(leftovers "$result")" ] || fail "$what: left $(leftovers "$result") behind"
    # a name that only the first writes to stays free when it fails
    [ "$2" = 0 ] || [ "$result" = w ] || [ -e "$result" ] || return
    shift 4
    for candidate in "$@"; do
        same "$result" "$candidate" && return
    done
    fail "$what: \"$result\" is none of: $*"
}

# both COMMAND1 COMMAND2: runs them at once; leaves status1 and status2.
both() {
    "$terrain" $1 >/dev/null 2>err1 &
    first=$!
    status2=0
    "$terrain" $2 >/dev/null 2>err2 || status2=$?
    status1=0
    wait $first || status1=$?
}

# check_one_winner WHAT COMMANDS STATUS1 STATUS2: without --force a name is taken once.
check_one_winner() {
    case $2 in
    *--force*) ;;
    *) [ $(($3 + $4)) = 4 ] || fail "$1: exit $3 and $4, expected one winner" ;;
    esac
}

# race WHAT BEFORE COMMAND1 COMMAND2 OUTPUT RESULT...: both at once, some rounds by chance, and then with the second run whole before each call
# of the first. w is a copy of the world BEFORE at the beginning, or absent where that is "".
race() {
    title=$1
    before=$2
    one=$3
    other=$4
    shift 4
    rounds=0
    while [ $rounds -lt 10 ]; do
        prepare_race "$1"
        both "$one" "$other"
        check_race "$title" $status1 $status2 "$@"
        check_one_winner "$title" "$one $other" $status1 $status2
        rounds=$((rounds + 1))
    done
    n=0
    while :; do
        n=$((n + 1))
        prepare_race "$1"
        : >calls
        status1=0
        env FAIL_UNDER="$PWD" FAIL_COUNT_FILE="$PWD/calls" FAIL_AT=$n FAIL_RUN="$terrain $other >/dev/null 2>err2; echo \$? >status2" \
            LD_PRELOAD="$tools/fail_calls.so" "$terrain" $one >/dev/null 2>err1 || status1=$?
        [ -e status2 ] || break # the first has ended before its n-th call
        hit=$(sed -n "${n}p" calls)
        status2=$(cat status2)
        check_race "$title: at call $n ($hit)" $status1 "$status2" "$@"
        check_one_winner "$title: at call $n ($hit)" "$one $other" $status1 "$status2"
        rounds=$((rounds + 1))
    done
    claim "$title, $rounds times: one wins whole, the other later or not at all ($lost lost)"
    lost=0
}
prepare_race() {
    rm -rf w "$1" status2
    [ -z "$before" ] || cp -al "$before" w
    : >err1
    : >err2
}

part_races() {
    cd "$scratch/races" || exit 2
    small_logs
    lost=0
    must "$terrain" gen -q --preset hills --size 1x1 --seed 1 -o 1
    must "$terrain" gen -q --preset hills --size 1x1 --seed 2 -o 2
    must "$terrain" apply-log -q 1 one.jsonl -o 1e
    must "$terrain" apply-log -q 2 one.jsonl -o 2e
    must "$terrain" apply-log -q 1e three.jsonl -o 1ee
    must "$terrain" apply-log -q 2 three.jsonl -o 2ee
    must "$terrain" mesh -q 1 -o 1.tpack
    must "$terrain" mesh -q 2 -o 2.tpack
    gen="gen -q --preset hills --size 1x1 --jobs 1 -o w --seed"
    race "two gen to a new name" "" "$gen 1" "$gen 2" w 1 2
    race "two gen --force" 1 "$gen 1 --force" "$gen 2 --force" w 1 2
    race "two gen --force to a new name" "" "$gen 1 --force" "$gen 2 --force" w 1 2
    race "apply-log in place and gen --force" 1 "apply-log -q w one.jsonl --jobs 1 -o w --force" "$gen 2 --force" w 2 1e 2e
    race "a world read while it is replaced" 1e "apply-log -q w three.jsonl --jobs 1 -o x" "$gen 2 --force" x 1ee 2ee
    race "two mesh --force" 1 "mesh -q 1 --jobs 1 -o w.tpack --force" "mesh -q 2 --jobs 1 -o w.tpack --force" w.tpack 1.tpack 2.tpack

    # a temporary that a living process holds is nobody else's to remove; one with a stranger's file in it is left alone too
    rm -rf w
    mkdir .w.tmp-1-0 .w.tmp-999999999-0 .w.tmp-999999999-1 .w.tmp-x-1
    echo mine >.w.tmp-999999999-0/mine
    flock .w.tmp-1-0 "$terrain" gen -q --preset flat --size 1x1 -o w || fail "gen beside a temporary of a living process"
    [ "$(leftovers w)" = ".w.tmp-1-0 .w.tmp-999999999-0 .w.tmp-x-1 " ] || fail "left after gen: $(leftovers w)"
    "$terrain" gen -q --preset flat --size 1x1 -o w --force || fail "gen beside an abandoned temporary"
    [ "$(leftovers w)" = ".w.tmp-999999999-0 .w.tmp-x-1 " ] || fail "left after the next gen: $(leftovers w)"
    claim "only what nobody holds, and holds nothing but a world, is removed"
}

mkdir "$scratch/faults" "$scratch/faults-logs" "$scratch/kills" "$scratch/kills-logs" "$scratch/races" || exit 2
part_faults >"$scratch/faults.txt" 2>&1 &
faults_process=$!
(part_kills) >"$scratch/kills.txt" 2>&1
(part_races) >"$scratch/races.txt" 2>&1
wait $faults_process
cat "$scratch"/*.txt
passed=$(cat "$scratch"/*.txt | grep -c '^ok ')
failed=$(cat "$scratch"/*.txt | grep -cv '^ok \|^#')
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
