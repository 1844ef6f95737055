# Ctrl-C and a terminated job: what was begun is removed, what was there stays, and the process dies by the signal.
. "$(dirname "$0")/../support/cli.sh"
"$terrain" gen -q --preset flat --size 2x2 -o old || fail "gen"
before=$("$terrain" info --json old)
for signal in INT TERM HUP; do
    "$terrain" gen -q --preset hills --size 96x96 --jobs 1 -o old --force 2>err.txt &
    process=$!
    while ! ls -d .old.tmp-*/chunks/*/* >/dev/null 2>&1 && kill -0 $process 2>/dev/null; do :; done
    kill -$signal $process
    status=0
    wait $process || status=$?
    # a shell starts background processes with SIGINT ignored: then it is to be ignored
    if [ $signal = INT ]; then
        [ $status = 0 ] || fail "an ignored SIGINT: exit $status"
        "$terrain" gen -q --preset flat --size 2x2 -o old --force
    else
        [ $status -gt 128 ] || fail "SIG$signal: exit $status"
        grep -q "stopped by SIG$signal" err.txt || fail "SIG$signal: said $(cat err.txt)"
        [ "$before" = "$("$terrain" info --json old)" ] || fail "SIG$signal: the old world has changed"
    fi
    for left in .old.tmp-*; do
        [ ! -e "$left" ] || fail "SIG$signal: $left was left behind"
    done
done
# a stop while a mesh is made a distance field, which is while a log is read, is not said to be a fault of the edit; the log is longer than a
# pipe holds, so that when it is written it is being read
mkfifo pipe
cube=$(printf '%s\n' "v 0 0 0" "v 8 0 0" "v 0 8 0" "v 8 8 0" "v 0 0 8" "v 8 0 8" "v 0 8 8" "v 8 8 8" \
    "f 1 3 4 2" "f 5 6 8 7" "f 1 2 6 5" "f 3 7 8 4" "f 1 5 7 3" "f 2 4 8 6" | base64 -w 0)
{
    echo '{"format":"terrain-edits","version":1}'
    echo '{"id":"cube","op":"union","shape":{"type":"mesh","cell":0.036,"mesh":{"data":"'"$cube"'"}},"x-long":"'"$(head -c 200000 /dev/zero | tr '\0' x)"'"}'
} >cube.jsonl
"$terrain" apply-log old - -o b <pipe 2>err.txt &
process=$!
cat cube.jsonl >pipe
kill -TERM $process
status=0
wait $process || status=$?
[ $status -gt 128 ] || fail "SIGTERM while a mesh is read: exit $status"
[ "$(cat err.txt)" = "terrain apply-log: stopped by SIGTERM, nothing was changed" ] || fail "SIGTERM while a mesh is read: said $(cat err.txt)"
expect_absent b
# a file size limit is an error like any other
"$terrain" mesh -q old -o a.tpack
status=0
(ulimit -f 1 && exec "$terrain" export a.tpack -o a.obj) 2>err.txt || status=$?
[ $status = 4 ] || fail "beyond the file size limit: exit $status"
expect_absent a.obj
# a closed standard input is no log
status=0
"$terrain" apply-log old - -o b <&- 2>err.txt || status=$?
[ $status = 4 ] || fail "closed standard input: exit $status: $(cat err.txt)"
expect_absent b
# names are printed in one line
[ "$("$terrain" "$(printf 'a\nb')" 2>&1 | wc -l)" = 1 ] || fail "a line break in a name makes two lines"
name=$(printf 'w\377')
"$terrain" gen -q --preset flat --size 1x1 -o "$name" && "$terrain" info --json "$name" | grep -q '"path":"w?"' || fail "a path that is not UTF-8 in JSON"
finish
