#!/bin/sh
# The source lint finds each planted fault and nothing in what is clean.
set -u
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# plant FILE TEXT EXPECTED: a tree with that one file beside a clean one; the lint must say EXPECTED, or nothing when it is empty.
plant() {
    rm -rf "$scratch/tree"
    mkdir -p "$scratch/tree/$(dirname "$1")" "$scratch/tree/lib/base" "$scratch/tree/shaders" "$scratch/tree/cmd" "$scratch/tree/tests"
    printf '#include "lib/base/status.h"\n/* sqrt( and pow( in a comment */\nconst char *text = "exp(1)";\n' >"$scratch/tree/lib/base/clean.c"
    printf '%s\n' "$2" >"$scratch/tree/$1"
    status=0
    found=$(sh "$here/source_lint.sh" "$scratch/tree") || status=$?
    if [ -z "$3" ]; then
        [ $status = 0 ] && [ -z "$found" ] && return
    else
        [ $status = 1 ] && [ "$(echo "$found" | wc -l)" = 1 ] && echo "$found" | grep -qF "$3" && return
    fi
    failed=$((failed + 1))
    echo "not ok: $1 with '$2': expected '$3', status $status, found '$found'"
}

plant lib/world/a.c '#include "lib/base/file.h"' ''
plant lib/base/a.c '#include "lib/world/world.h"' 'lib/base/a.c: layer base includes lib/world/world.h of a layer above'
plant lib/edit/a.h '#include "lib/run/replay.h"' 'lib/edit/a.h: layer edit includes lib/run/replay.h of a layer above'
plant lib/run/a.c '#include "cmd/command.h"' 'layer run includes cmd/command.h of a layer above'
plant lib/gpu/a.c '#include "lib/world/chunk.h"' 'lib/gpu/a.c: gpu sees base only'
plant lib/mesh/a.c '#include "tests/naive/naive.h"' 'which is in no layer'
plant tests/naive/a.c '#include "lib/edit/edit.h"' 'the naive replay includes nothing of what it judges'
plant tests/naive/a.c '#include "../../shaders/exact.h"' 'the naive replay includes nothing of what it judges'
plant lib/edit/a.c 'double f(double x) { return pow(x, 2); }' 'lib/edit/a.c:1: no libm'
plant lib/mesh/a.c 'float f(float x) { return sqrtf(x); }' 'no libm'
plant lib/gen/a.c 'double f(double x) { return tr_pow(x, 2) + sqrt(x); }' ''
plant lib/pack/a.c 'double f(double x) { return x + sin (x); }' 'no libm'
plant lib/run/a.c 'double f(double x) { return sin(x); }' ''
plant shaders/a.h 'PF a = sqrt(b);' 'shaders/a.h:1: no built-in float function'
plant shaders/a.comp 'precise float a = mix(b, c, d);' 'no built-in float function'
plant shaders/a.comp 'precise float a = floor(b); /* mix(b, c) */' ''
plant shaders/a.glsl 'uint at = atomicAdd(count, 1u);' 'no atomic'
plant lib/edit/a.c '#pragma STDC FP_CONTRACT ON' 'contraction and fast math stay off'
[ $failed = 0 ] && echo "ok: every planted fault was found"
[ $failed = 0 ]
