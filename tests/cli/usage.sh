# Command lines: help for every command, one line and exit 2 for what is wrong, results on standard output and words on standard error.
. "$(dirname "$0")/../support/cli.sh"
for command in gen apply-log mesh export scatter diff info verify preview ls dump sample raycast devices bench help version; do
    expect 0 "terrain $command" help $command
    expect 0 "terrain $command" $command --help
done
expect 0 "usage: terrain COMMAND" help
expect 0 "terrain " version
expect 0 "complete -o filenames" help --completion
expect 2 "did you mean mesh?" mehs
expect 2 "unknown command 'fly'" fly
expect 2 "unknown option '--sice'" gen --sice 2x2
expect 2 "did you mean --size?" gen --sice 2x2
expect 2 "--size is '0x2'" gen --preset flat --size 0x2 -o w
expect 2 "--size is '2'" gen --preset flat --size 2 -o w
expect 2 "--seed is '-1'" gen --preset flat --seed -1 -o w
expect 2 "--voxel-size is '0'" gen --preset flat --voxel-size 0 -o w
expect 2 "--voxel-size is '1e999'" gen --preset flat --voxel-size 1e999 -o w
expect 2 "--preset is 'sea'" gen --preset sea -o w
expect 2 "expected one of --dem FILE and --preset NAME" gen -o w
expect 2 "no output named" gen --preset flat
expect 2 "--output needs a value" gen --preset flat -o
expect 2 "--jobs is 'x'" gen --preset flat -o w --jobs x
expect 2 "--force takes no value" gen --preset flat -o w --force=yes
expect 2 "given twice" gen --preset flat --preset flat -o w
expect 2 "found 0 arguments" mesh -o p
expect 2 "found 3 arguments" diff a b c
expect_absent w
expect 5 "no-such-device" gen --preset hills --device no-such-device -o w
expect_absent w

# A value that begins with a minus and a digit is a value; = works; -- ends options.
expect 0 "1 x 1 chunks" gen --preset=flat --size=1x1 -o w
expect 0 "1 x 1 chunks" gen --preset flat --size 1x1 -ow4
expect 0 "1 x 1 chunks" gen --preset flat --size 1x1 -o=w5
expect 2 "--output is '-'" gen --preset flat --size 1x1 -o -
expect 2 "writes mesh packs" mesh w -o w.obj
expect 2 "writes PNG" preview w -o w.jpg
"$terrain" info w >out.txt 2>err.txt
[ -s out.txt ] && [ ! -s err.txt ] || fail "info writes its data to standard output alone"
"$terrain" info --json w | grep -q '^{.*"hash":"[0-9a-f]\{32\}".*}$' || fail "info --json prints one object"
"$terrain" gen --preset flat --size 1x1 -o w2 >out.txt 2>err.txt
[ ! -s out.txt ] && [ -s err.txt ] || fail "gen says what it did on standard error alone"
"$terrain" gen -q --preset flat --size 1x1 -o w3 2>err.txt
[ ! -s err.txt ] || fail "--quiet says nothing"
expect 0 "" diff w w2
finish
