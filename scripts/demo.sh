#!/bin/bash
# demo.sh [OPTION...]: builds the sample tunnel and runs its demo: both ends of a VPN tunnel in one process over loopback
# UDP, throughput by MTU and by kernel level. No privilege needed. Options go to udp_tunnel --demo (--json FILE).
#
# Installs what is missing from Debian's packages when it is root; says what is missing otherwise. Status: 0 when the
# demo ran to its end.
set -eu -o pipefail
. "$(dirname "$0")/common.sh"

say "sealane demo: building the sample tunnel, then running both of its ends over loopback"
need $build_needs $tunnel_needs
cd "$root"
build=build/demo
mkdir -p $build
say "building in $build (log: $build/build.log)"
if ! { cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DSEALANE_TESTS=OFF -DSEALANE_BENCH=OFF &&
    cmake --build $build --target udp_tunnel; } >$build/build.log 2>&1; then
    tail -20 $build/build.log
    say "the build failed"
    exit 1
fi
tunnel=$(find $build/examples -name udp_tunnel -type f -perm -u+x | head -1)
[ -n "$tunnel" ] || { say "the build left no udp_tunnel below $build/examples"; exit 1; }
say "running: $tunnel --demo${*:+ $*}"
"$tunnel" --demo "$@" || { status=$?; say "the demo failed with status $status"; exit $status; }
