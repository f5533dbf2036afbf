#!/bin/sh
# installed.sh CMAKE BUILD-DIR CC CXX: installs into a temporary folder, and builds and runs a user's programs against it,
# found by CMake and by pkg-config. A ctest of interface.cmake.
set -eu
cmake=$1 build=$2 cc=$3 cxx=$4
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"$cmake" --install "$build" --prefix "$place/prefix" >/dev/null
[ -f "$place/prefix/include/sealane/sealane.h" ]

"$cmake" -S "$here/consumer" -B "$place/consumer" -DCMAKE_PREFIX_PATH="$place/prefix" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_CXX_COMPILER="$cxx" >/dev/null
"$cmake" --build "$place/consumer" >/dev/null
for kind in sealane static shared; do
    for program in consumer interface_c interface_cpp; do
        "$place/consumer/${program}_$kind"
    done
    echo "CMake package, sealane::$kind: works"
done

pc=$(find "$place/prefix" -name sealane.pc)
libdir=${pc%/pkgconfig/sealane.pc}
flags=$(PKG_CONFIG_PATH=${pc%/*} pkg-config --cflags --libs sealane)
"$cc" "$here/consumer/consumer.c" -o "$place/by_pc" $flags
LD_LIBRARY_PATH=$libdir "$place/by_pc"
echo "pkg-config, shared: works"
"$cc" -I"$place/prefix/include" "$here/consumer/consumer.c" -o "$place/by_pc_static" "$libdir/libsealane.a" -pthread
"$place/by_pc_static"
echo "pkg-config, static: works"
