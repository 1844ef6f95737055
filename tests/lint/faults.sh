#!/bin/sh
# The SPIR-V lint finds every planted fault by its rule, and nothing in what is clean.
#   tests/lint/faults.sh build/<config>/spirv_lint
# Each faults/*.comp begins with "/* expect RULE: why */"; RULE is `nothing` where the kernel keeps to the rules.
set -u
lint=$1
here=$(dirname "$0")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

fail() {
    failed=$((failed + 1))
    printf 'not ok %s: %s\n' "$1" "$2"
}

# Runs the lint on one module: $1 its name, $2 the file, $3 the rule that must be named, or nothing.
expect() {
    status=0
    "$lint" "$2" >"$scratch/found" 2>&1 || status=$?
    if [ "$3" = nothing ]; then
        [ $status = 0 ] && [ ! -s "$scratch/found" ] || fail "$1" "expected no finding, got status $status: $(cat "$scratch/found")"
    elif [ $status != 1 ] || ! grep -q "^$2: $3: " "$scratch/found"; then
        fail "$1" "expected rule $3, got status $status: $(cat "$scratch/found")"
    fi
}

for source in "$here"/faults/*.comp; do
    name=$(basename "$source" .comp)
    rule=$(sed -n '1s|^/\* expect \([a-z-]*\): .*|\1|p' "$source")
    if [ -z "$rule" ]; then
        fail "$name" "no line that says what to expect"
    elif ! glslc -O --target-env=vulkan1.2 "$source" -o "$scratch/$name.spv" 2>"$scratch/log"; then
        fail "$name" "does not compile: $(cat "$scratch/log")"
    else
        expect "$name" "$scratch/$name.spv" "$rule"
    fi
done

# What is no whole module is a finding, not a crash.
head -c 400 "$scratch/clean.spv" >"$scratch/cut.spv"
expect cut "$scratch/cut.spv" module
head -c 16 "$scratch/clean.spv" >"$scratch/head.spv"
expect head "$scratch/head.spv" module
head -c 400 /dev/zero >"$scratch/zero.spv"
expect zero "$scratch/zero.spv" module

# Every rule has a fault of its own.
for rule in $(sed -n 's/.*find(module, "\([a-z-]*\)".*/\1/p' "$here/spirv_lint.c" | sort -u); do
    [ "$rule" = module ] || grep -q "^/\* expect $rule: " "$here"/faults/*.comp || fail "$rule" "no planted fault for this rule"
done

[ $failed = 0 ] && echo "ok: every planted fault was found"
[ $failed = 0 ]
