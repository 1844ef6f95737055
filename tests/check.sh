#!/bin/sh
# `make check`: format, what may stand where, warnings of both compilers, the lint over the shaders' SPIR-V. Ends with the number of findings.
set -u
cd "$(dirname "$0")/.." || exit 2
mkdir -p build
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

# Layers, the naive replay's independence, forbidden functions.
found=$(sh tests/lint/source_lint.sh .) || say "$found"
found=$(sh tests/lint/source_faults.sh) || say "$found"

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
