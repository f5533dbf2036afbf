#!/bin/sh
# smoke.sh TARGET SEEDS RUNS: a short run of a fuzz target from its seeds, the same one every time. The folders stay as they
# are: libFuzzer writes what it finds into the first, which is a temporary one. A ctest of CMakeLists.txt.
set -eu
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
"$1" -seed=1 -runs="$3" -len_control=0 -max_len=700 -artifact_prefix=crash- "$corpus" "$2"
