#!/bin/bash
# mtu-demo.sh [OPTION...]: what the kernels gain in a tunnel at MTU 1500 and 9000.
# Builds the sample tunnel, makes two network namespaces with a veth pair
# between them, and runs iperf3 (one TCP stream, cubic) through the tunnel
# with every kernel level, with bursts and without, through wireguard-go and
# OpenVPN, and over the bare pair: in turn, in rounds. Prints throughput, CPU
# seconds per gigabyte and the gain of each step, medians and spread. A sample
# during which the hypervisor and others had more than 5 % of the machine is
# taken again, up to three times. Needs root.
#
#   --rounds N     rounds (5)
#   --seconds S    of each iperf3 run (3)
#   --quick        one round of one second
#   --only LIST    names, split by commas, as in the table
#   --pieces       avx512 also without UDP GSO, without UDP GRO, without TUN
#                  offload, and without all three
#   --json FILE    all samples and medians; written after each round
#   --plot NAME    NAME.svg and NAME.png, by gnuplot (build/mtu-demo)
#   --doc FILE     puts the tables into a Markdown file, between its marks
#   --from FILE    no runs: tables and plots of an earlier --json FILE; may be
#                  repeated, and adds up
#
# Installs what is missing from Debian's packages when it is root. wireguard-go,
# OpenVPN and gnuplot may be missing. Status: 0 when every run came to its end.
set -eu -o pipefail
. "$(dirname "$0")/common.sh"

case " $* " in
*" -h "* | *" --help "*) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
*" --from "*)
    need python3=python3
    want gnuplot=gnuplot-nox
    exec python3 "$root/scripts/mtu_demo.py" "$@"
    ;;
esac

[ "$(id -u)" = 0 ] || { say "needs root: network namespaces and TUN devices (udp_tunnel --demo needs none)"; exit 1; }
[ -c /dev/net/tun ] || { say "there is no /dev/net/tun: TUN devices cannot be made here"; exit 1; }
need $build_needs $tunnel_needs python3=python3 ip=iproute2 ping=iputils-ping iperf3=iperf3
want wireguard-go=wireguard-go wg=wireguard-tools openvpn=openvpn openssl=openssl gnuplot=gnuplot-nox
build_tunnel
exec python3 "$root/scripts/mtu_demo.py" --tunnel "$tunnel" "$@"
