#!/bin/sh
# Installs the packages that a part of the project needs, on Debian; elsewhere says which ones. Nothing is done when all are there.
#   tests/deps.sh build|check|peers
set -eu
build="gcc make libc6-dev libvulkan-dev libvulkan-volk-dev glslc libstb-dev libzstd-dev libcjson-dev libmsgpack-dev libxxhash-dev libpng-dev
    libcglm-dev libmeshoptimizer-dev libcmocka-dev mesa-vulkan-drivers"
check="locales clang clang-format libclang-rt-14-dev vulkan-validationlayers python3-jsonschema"
peers="admesh nodejs npm"
case "${1:-}" in
build) wanted=$build ;;
check) wanted=$check ;;
peers) wanted=$peers; if command -v npm >/dev/null 2>&1; then wanted=admesh; fi ;;
*) echo "usage: $0 build|check|peers" >&2; exit 2 ;;
esac
missing=
if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "this is not Debian: install what these Debian packages hold, then run make all:" $wanted
    exit 1
fi
for package in $wanted; do
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || :)" != installed ]; then
        missing="$missing $package"
    fi
done
[ -n "$missing" ] || exit 0
echo "installing:$missing"
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
if [ -n "$sudo" ] && ! command -v sudo >/dev/null 2>&1; then
    echo "need root or sudo to run: apt-get install --no-install-recommends$missing" >&2
    exit 1
fi
log=$(mktemp)
if ! { $sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    echo "could not install:$missing" >&2
    exit 1
fi
rm -f "$log"
