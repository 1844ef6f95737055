#!/bin/sh
# `make check`: format, layers, what may stand where, warnings of both compilers, the SPIR-V lint. Ends with the number of findings.
set -u
cd "$(dirname "$0")/.." || exit 2
findings=0
say() {
    findings=$((findings + 1))
    printf '%s\n' "$1"
}
files=$(git ls-files -co --exclude-standard '*.c' '*.h')

# Format: one style, decided by .clang-format.
for file in $files; do
    clang-format --dry-run -Werror "$file" >/dev/null 2>&1 || say "$file: not in the style of .clang-format (make format)"
done

# Layers: a file includes only from its own layer or below.
layers="base shaders world gen edit mesh gpu bake pack diff run cmd"
rank() {
    n=0
    for layer in $layers; do
        n=$((n + 1))
        [ "$layer" = "$1" ] && echo $n && return
    done
    echo 0
}
layer_of() {
    case "$1" in
    lib/*/*) echo "$1" | cut -d/ -f2 ;;
    shaders/*) echo shaders ;;
    cmd/*) echo cmd ;;
    esac
}
for file in $(echo "$files" | grep -E '^(lib|shaders|cmd)/'); do
    own=$(layer_of "$file")
    for include in $(sed -n 's/^#include "\([a-z_]*\/[^"]*\)".*/\1/p' "$file"); do
        other=$(layer_of "$include")
        [ -n "$other" ] || { say "$file: includes $include, which is in no layer"; continue; }
        [ "$(rank "$other")" -le "$(rank "$own")" ] || say "$file: layer $own includes $include of the layer above, $other"
        [ "$own" != gpu ] || [ "$other" = gpu ] || [ "$other" = base ] || say "$file: gpu sees base only, found $include"
    done
done

# The oracle that tests compare with is independent of what it judges.
for file in $(echo "$files" | grep '^tests/naive/'); do
    grep -nE '#include "(lib|shaders)/|#include "\.\./\.\./' "$file" && say "$file: the naive replay includes nothing of lib or shaders"
done

# Arithmetic: no libm on a path to stored bytes, no built-in float function in what kernels share.
exact='lib/(base/dmath|world|gen|edit|mesh|bake|pack)|shaders/'
for file in $(echo "$files" | grep -E "^$exact") $(git ls-files -co --exclude-standard 'shaders/*.comp'); do
    forbidden='(sin|cos|tan|asin|acos|atan2?|exp2?|log2?|log10|pow|cbrt|hypot|fma|sqrtf|sinf|cosf|expf|logf|powf|fminf|fmaxf|fmodf|fmod|round|rint|nearbyint)'
    case "$file" in shaders/*) forbidden='(sqrt|sin|cos|tan|exp2?|log2?|pow|mix|fma|dot|length|distance|normalize|inversesqrt|smoothstep|mod|fract|step|min|max|abs|clamp|atomic[A-Z][A-Za-z]*)' ;; esac
    found=$(sed 's|//.*||; s|/\*.*\*/||' "$file" | grep -nE "(^|[^a-zA-Z_0-9.])$forbidden\(" | grep -v '^[0-9]*: *\*' | grep -v '^[0-9]*:/\*' | head -n 3)
    [ -z "$found" ] || say "$file: forbidden where bytes are decided: $found"
done

# Both compilers, warnings are errors; the kernels' SPIR-V.
for cc in gcc clang; do
    make -s CC=$cc config=check-$cc CFLAGS_check-$cc="-O1 -Werror" -j"$(nproc)" all-objects >build/check-$cc.log 2>&1 ||
        { cat build/check-$cc.log; say "$cc: does not compile without warnings"; }
done
make -s -j"$(nproc)" spv build/release/spirv_lint >build/check-spv.log 2>&1 || { cat build/check-spv.log; say "shaders do not compile"; }
build/release/spirv_lint build/release/spv/*.spv || say "SPIR-V lint"
sh tests/lint/faults.sh build/release/spirv_lint >build/check-faults.log 2>&1 || { cat build/check-faults.log; say "a planted fault was not found"; }

if [ $findings = 0 ]; then
    echo "check: no findings"
else
    echo "check: $findings findings"
    exit 1
fi
