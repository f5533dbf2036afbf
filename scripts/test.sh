#!/bin/bash
# test.sh [--full] [--soak]: builds with GCC and with Clang, warnings being
# errors, and runs the tests plainly and under the address and undefined-
# behaviour sanitizers, with a short run of the fuzz targets. --full adds the
# thread and memory sanitizers, valgrind and the builds that users make (without
# assembler, without kernels, -O0, -Os, -m32, -march=native, LTO, ...). --soak
# adds ten minutes of traffic through the tunnel.
#
# Installs what is missing from Debian's packages when it is root; says what is
# missing otherwise. A test that needs a privilege or a CPU feature which is not
# here is skipped and says so. Every stage prints its seconds; logs are in
# build/log. Status: 0 when every stage passed.
set -u -o pipefail
. "$(dirname "$0")/common.sh"

full=0 soak=0
for option in "$@"; do
    case $option in
    --full) full=1 ;;
    --soak) soak=1 ;;
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
    *) say "usage: scripts/test.sh [--full] [--soak]"; exit 2 ;;
    esac
done

say "sealane tests: every build and test of this machine, on $jobs cores"
need $build_needs $tunnel_needs clang=clang cmocka.pc=libcmocka-dev libsodium.pc=libsodium-dev
want libcrypto.pc=libssl-dev ip=iproute2 ping=iputils-ping iperf3=iperf3
[ $full = 0 ] || want valgrind=valgrind ld.lld=lld gnu/stubs-32.h=gcc-multilib

cd "$root"
log=build/log
mkdir -p $log
: >$log/skipped
failed=""
started=$SECONDS

# stage NAME COMMAND...: runs it with its output in a log; says how it went and how long it took.
stage() {
    local name=$1 file=$log/$1.log since=$SECONDS status=0
    shift
    printf '%-28s' "$name"
    "$@" >"$file" 2>&1 || status=$?
    if [ $status = 0 ]; then
        printf 'passed %5d s\n' $((SECONDS - since))
    else
        printf 'FAILED %5d s   (%s)\n' $((SECONDS - since)) "$file"
        failed="$failed $name"
        grep -E '(error|FAILED|ERROR|Assertion|runtime error|warning):?' "$file" | head -20
    fi
    return $status
}

# closing PRESET NAME: the closing lines of the ctest run in the log of a stage; keeps the reasons of what was skipped.
closing() {
    sed -n '/tests passed/,$p' $log/"$2".log | grep -v '(Skipped)\|did not run:\|^$' | sed 's/^/    /'
    grep -h '^skipped: ' build/"$1"/Testing/Temporary/LastTest.log 2>/dev/null | sort -u | sed "s/^skipped: /$1\t/" >>$log/skipped
}

# One line for each reason: the reason, and the presets it was given in.
reasons() {
    awk -F'\t' '!(($2, $1) in seen) { seen[$2, $1]; where[$2] = where[$2] " " $1 }
        END { for (why in where) print "    " why " (" substr(where[why], 2) ")" }' $log/skipped | sort
}

build() {
    cmake --preset "$1" "${@:2}" && cmake --build --preset "$1"
}

# The sanitizers' shadow memory of older compilers does not fit machines that randomize more than 28 bits of address.
tame=""
[ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28)" -le 28 ] || tame="setarch -R"

run_ctest() {
    local preset=$1
    shift
    $tame ctest --test-dir build/"$preset" -j "$jobs" --output-on-failure --no-tests=error "$@"
}

# tests PRESET CTEST-OPTION...: builds a preset; runs its tests.
tests() {
    local preset=$1
    shift
    stage "$preset-build" build "$preset" || return
    stage "$preset-tests" run_ctest "$preset" "$@"
    closing "$preset" "$preset"-tests
}

tests gcc -LE soak
tests clang -L quick -LE soak
tests asan-ubsan -LE 'soak|plain'
if [ $full = 1 ]; then
    tests tsan -L 'quick|threads' -LE 'soak|plain'
    tests msan -L quick -LE 'soak|plain'
    if probe valgrind; then
        tests valgrind -L quick -LE 'soak|plain'
    else
        say "valgrind                    skipped: there is no valgrind"
    fi
    stage builds scripts/builds.sh
    grep '^build' $log/builds.log | sed 's/^/    /'
fi
if [ $soak = 1 ]; then
    stage soak run_ctest gcc -L soak
    closing gcc soak
fi

[ ! -s $log/skipped ] || { say "skipped tests, why, and where:"; reasons; }
say "total $((SECONDS - started)) s"
[ -z "$failed" ] || { say "failed:$failed"; exit 1; }
say "all stages passed"
