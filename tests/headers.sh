#!/bin/sh
# headers.sh INCLUDE-DIR CC CXX: every public header alone, once and twice, compiles as strict C11 and as C++17; none holds
# intrinsics or platform tests. A ctest of interface.cmake.
set -u
include=$1 cc=$2 cxx=$3 status=0

# check COMPILER...: compiles $text.
check() {
    printf '%s\n' "$text" | "$@" -I"$include" -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fsyntax-only - || {
        echo "failed: $header with $*"
        status=1
    }
}

count=0
for path in "$include"/sealane/*.h; do
    header=sealane/${path##*/}
    count=$((count + 1))
    text=$(printf '#include <%s>\n#include <%s>\nint nothing;' "$header" "$header")
    check "$cc" -std=c11 -xc
    check "$cxx" -std=c++17 -xc++
    if grep -nE 'immintrin|x86intrin|__x86_64__|__SSE|__AVX|_WIN32|__APPLE__|__linux__|_Atomic' "$path"; then
        echo "failed: $header knows machines"
        status=1
    fi
done
[ $count -ge 7 ] || { echo "failed: only $count headers below $include/sealane"; status=1; }
exit $status
