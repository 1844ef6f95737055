#!/bin/sh
# What may stand where in the sources below ROOT: includes go down the layers, the naive replay stands alone, and no function that devices or
# machines compute differently decides a stored byte. A line a finding; exit 1 when there are any.
#   tests/lint/source_lint.sh ROOT
set -u
cd "$1" || exit 2
findings=0
say() {
    findings=$((findings + 1))
    printf '%s\n' "$1"
}
files=$(find lib shaders cmd tests -name '*.[ch]' -o -name '*.comp' -o -name '*.glsl' | grep -v '^tests/lint/faults/' | LC_ALL=C sort)

# Layers: a file includes only from its own layer or below.
layers="base shaders world gen edit mesh gpu bake pack diff run cmd"
rank() {
    n=0
    for layer in $layers; do
        n=$((n + 1))
        [ "$layer" != "$1" ] || { echo $n; return; }
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
includes=$(grep -HoE '^#include "(lib|shaders|cmd|tests)/[^"]*"' $(echo "$files" | grep -E '^(lib|shaders|cmd)/') /dev/null | sed 's/#include //; s/"//g')
for pair in $includes; do
    file=${pair%%:*}
    include=${pair#*:}
    own=$(layer_of "$file")
    other=$(layer_of "$include")
    if [ -z "$other" ] || [ "$(rank "$other")" = 0 ]; then
        say "$file: includes $include, which is in no layer"
    elif [ "$own" = gpu ] && [ "$other" != gpu ] && [ "$other" != base ]; then
        say "$file: gpu sees base only, found $include"
    elif [ "$(rank "$other")" -gt "$(rank "$own")" ]; then
        say "$file: layer $own includes $include of a layer above, $other"
    fi
done

# The naive replay judges the product, so it has nothing of it.
for file in $(echo "$files" | grep '^tests/naive/'); do
    found=$(grep -nE '#include "(lib|shaders|cmd)/|#include "\.\.' "$file" | head -n 1)
    [ -z "$found" ] || say "$file: the naive replay includes nothing of what it judges, found $found"
done

# Code without its comments and strings, line numbers kept.
code_of() {
    awk '{
        line = $0; out = ""
        while (length(line)) {
            if (inside) { i = index(line, "*/"); if (!i) { line = ""; break } line = substr(line, i + 2); inside = 0; continue }
            i = index(line, "/*"); j = index(line, "//")
            if (j && (!i || j < i)) { out = out substr(line, 1, j - 1); line = ""; break }
            if (!i) { out = out line; break }
            out = out substr(line, 1, i - 1); line = substr(line, i + 2); inside = 1
        }
        gsub(/"([^"\\]|\\.)*"/, "\"\"", out); print out
    }' "$1"
}
in_kernels='sqrt|sin|cos|tan|asin|acos|atan|exp|exp2|log|log2|pow|mix|fma|dot|length|distance|normalize|inversesqrt|smoothstep|mod|fract|step|min|max|abs|clamp|round|cross|reflect|atomic[A-Z][A-Za-z]*'
on_host='sin|cos|tan|asin|acos|atan2?|sinh|cosh|tanh|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|fma|fmod|remainder|round|rint|nearbyint|lround|llround|sqrtf|sinf|cosf|tanf|expf|exp2f|logf|log2f|powf|fmaf|fmodf|hypotf|roundf|rintf|lrintf|lrint|fminf|fmaxf|fmin|fmax|tgamma|erf'
for file in $(echo "$files" | grep -E '^(shaders|lib/(base/dmath|world|gen|edit|mesh|bake|pack))'); do
    case "$file" in
    shaders/*) names=$in_kernels what='no built-in float function but floor, no atomic, in what kernels share' ;;
    *) names=$on_host what='no libm where bytes are decided (lib/base/dmath.h has our own)' ;;
    esac
    found=$(code_of "$file" | grep -nE "(^|[^A-Za-z_0-9.>])($names) *\(" | head -n 1)
    [ -z "$found" ] || say "$file:${found%%:*}: $what, found:$(echo "${found#*:}" | sed 's/^ */ /')"
    found=$(code_of "$file" | grep -nE '#pragma (STDC FP_CONTRACT ON|GCC optimize)|-ffast-math|__attribute__.*optimize' | head -n 1)
    [ -z "$found" ] || say "$file:${found%%:*}: contraction and fast math stay off, found:$(echo "${found#*:}" | sed 's/^ */ /')"
done
[ $findings = 0 ]
