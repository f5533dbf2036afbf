# common.sh: what the scripts of this folder share. Sourced by bash; the caller has set -u.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)

say() { printf '%s\n' "$*"; }

# need PROBE=PACKAGE...: makes sure that every probe answers. A probe is the name of a command, or of a pkg-config
# module when it ends in .pc, or of a header when it ends in .h. What is missing is installed from Debian's packages
# when this is root; otherwise, or when that fails, the missing packages are named and the script ends with status 1.
need() {
    local missing
    missing=$(missing_of "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "installing:$missing"
        install_packages $missing || say "apt-get could not install them"
        missing=$(missing_of "$@")
        [ -n "$missing" ] || return 0
    fi
    say "missing, by the names of Debian's packages:$missing"
    say "install them (as root: apt-get install$missing) and start again"
    exit 1
}

# want PROBE=PACKAGE...: the same for what only some stages use: installed when this is root, never fatal.
want() {
    local missing
    missing=$(missing_of "$@")
    if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "installing:$missing"
        install_packages $missing || say "apt-get could not install them"
        missing=$(missing_of "$@")
    fi
    [ -z "$missing" ] || say "not here:$missing (what needs them is skipped, and says so)"
}

missing_of() {
    local pair
    for pair in "$@"; do
        probe "${pair%%=*}" || printf ' %s' "${pair#*=}"
    done
}

probe() {
    case $1 in
    *.pc) command -v pkg-config >/dev/null && pkg-config --exists "${1%.pc}" ;;
    *.h) printf '#include <%s>\n' "$1" | cc -E - >/dev/null 2>&1 ;;
    *) command -v "$1" >/dev/null || [ -x "/usr/sbin/$1" ] ;;
    esac
}

install_packages() {
    local quiet="-qq -o=Dpkg::Use-Pty=0"
    { apt-get $quiet update && DEBIAN_FRONTEND=noninteractive apt-get $quiet -y --no-install-recommends \
        install "$@"; } >/dev/null
}

# What every build needs, and what the sample tunnel needs.
build_needs="cmake=cmake ninja=ninja-build gcc=gcc g++=g++ pkg-config=pkg-config stdio.h=libc6-dev"
tunnel_needs="libevent.pc=libevent-dev"

# Builds the sample tunnel as its users do, and sets tunnel to the program. Ends the script when that fails.
build_tunnel() {
    local build=$root/build/demo
    mkdir -p "$build"
    say "building in build/demo (log: build/demo/build.log)"
    if ! { cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSEALANE_TESTS=OFF -DSEALANE_BENCH=OFF &&
        cmake --build "$build" --target udp_tunnel; } >"$build/build.log" 2>&1; then
        tail -20 "$build/build.log"
        say "the build failed"
        exit 1
    fi
    tunnel=$(find "$build/examples" -name udp_tunnel -type f -perm -u+x | head -1)
    [ -n "$tunnel" ] || { say "the build left no udp_tunnel below $build/examples"; exit 1; }
}
