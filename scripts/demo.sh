#!/bin/bash
# demo.sh [OPTION...]: builds the sample tunnel and runs its demo: both ends of a
# VPN tunnel in one process over loopback UDP, throughput by MTU and by kernel
# level. No privilege needed. Options go to udp_tunnel --demo (--json FILE).
#
# Installs what is missing from Debian's packages when it is root; says what is
# missing otherwise. Status: 0 when the demo ran to its end.
set -eu -o pipefail
. "$(dirname "$0")/common.sh"

case ${1:-} in
-h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
esac

say "sealane demo: builds the sample tunnel, runs both of its ends over loopback"
need $build_needs $tunnel_needs
build_tunnel
say "running: $tunnel --demo${*:+ $*}"
"$tunnel" --demo "$@" || { status=$?; say "the demo failed with status $status"; exit $status; }
