#!/bin/bash
# builds.sh: the library built as users build it, each time with its quick tests. A part of test.sh --full; needs what
# that has installed. Prints one line for each build; status 0 when all of them passed.
set -u -o pipefail
. "$(dirname "$0")/common.sh"

cd "$root"
failed=0

# variant NAME OPTION...: configures with the options, builds, runs the quick tests.
variant() {
    local name=$1 dir=build/builds/$1 since=$SECONDS result=passed
    shift
    { cmake -S . -B "$dir" -G Ninja -DSEALANE_WERROR=ON -DSEALANE_EXAMPLES=OFF -DSEALANE_BENCH=OFF "$@" &&
        cmake --build "$dir" &&
        { [ ! -d "$dir"/tests ] || { ctest --test-dir "$dir" -j "$jobs" --output-on-failure --no-tests=error -L quick -LE 'soak|plain' &&
            ctest --test-dir "$dir" --output-on-failure -R '^test_frames$'; }; }; } || # frames are the compiler's
        { result=FAILED; failed=1; }
    printf 'build %-16s %s %4d s\n' "$name" $result $((SECONDS - since))
}

variant no-asm -DSEALANE_ASM=OFF
variant no-x86 -DSEALANE_X86=OFF
variant O0 -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=-O0
variant O0-clang -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=-O0 -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++
variant Os -DCMAKE_BUILD_TYPE=MinSizeRel
variant Os-clang -DCMAKE_BUILD_TYPE=MinSizeRel -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++
variant O3 -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O3
variant native -DCMAKE_C_FLAGS=-march=native
variant native-clang -DCMAKE_C_FLAGS=-march=native -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++
variant lto -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON
if probe ld.lld; then
    variant lto-clang -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON \
        -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld
else
    echo "build lto-clang skipped: there is no ld.lld"
fi

# The fuzz targets, guided by the whole library.
since=$SECONDS result=passed
{ cmake --preset fuzz && cmake --build --preset fuzz; } || { result=FAILED; failed=1; }
printf 'build %-16s %s %4d s\n' fuzz $result $((SECONDS - since))

# 32 bits: the library alone, and the programs of the documents on it.
if echo 'int main(void) { return 0; }' | gcc -m32 -xc - -o build/m32 2>/dev/null; then
    variant m32 -DCMAKE_C_FLAGS=-m32 -DSEALANE_TESTS=OFF
    tests/snippets.sh "gcc -m32" include build/builds/m32/src/libsealane.a README.md docs/guide.md docs/packet.md ||
        { echo "build m32 FAILED programs of the documents"; failed=1; }
else
    echo "build m32 skipped: gcc -m32 links no program here (Debian: gcc-multilib)"
fi
exit $failed
