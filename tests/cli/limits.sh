# The lowest and highest samples that a world has can be carved and meshed: the surface below the lowest block row closes too.
. "$(dirname "$0")/../support/cli.sh"
"$terrain" gen -q --preset flat --size 1x1 -o w || fail "gen"
for y in -65536 -65530 65530 65536; do
    [ "$y" -lt 0 ] && op=subtract || op=union
    printf '{"format": "terrain-edits", "version": 1, "edits": [{"op": "%s", "shape": {"type": "sphere", "center": [32, %d, 32], "radius": 3}}]}' $op $y >log.json
    expect 0 "1 chunk" apply-log w log.json -o e --force
    expect 0 "triangles" mesh e -o e.tpack --force
    expect 0 "closed but for the world's sides; 2 parts" verify e.tpack
done
finish
