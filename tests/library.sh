#!/bin/sh
# library.sh LIBRARY STATIC-LIBRARY INCLUDE-DIR CONFIGURATION: what the shared library exports and needs, and how it is
# linked. A ctest of interface.cmake.
set -u
library=$1 archive=$2 include=$3 configuration=$4 status=0

fail() {
    echo "failed: $*"
    status=1
}

# What the headers declare is exported, and nothing else.
exported=$(nm -D --defined-only "$library" | awk '{print $3}')
declared=$(sed -n 's/^SEALANE_API.*\(sealane_[a-z0-9_]*\)(.*/\1/p' "$include"/sealane/*.h)
[ "$(echo "$declared" | wc -l)" -ge 34 ] || fail "the headers declare only: $declared"
for name in $declared; do
    echo "$exported" | grep -qx "$name" || fail "$name is not exported"
done
for name in $exported; do
    echo "$declared" | grep -qx "$name" || fail "$name is exported and in no header"
done

# Needs libc and nothing else; carries a soname.
dynamic=$(readelf -dW "$library")
echo "$dynamic" | grep -q 'SONAME.*\[libsealane\.so\.[0-9]*\]' || fail "no soname"
echo "$dynamic" | grep NEEDED | grep -v 'libc\.so\|ld-linux' && fail "needs more than libc"
echo "$dynamic" | grep -q TEXTREL && fail "text relocations"
echo "$dynamic" | grep -q 'RPATH\|RUNPATH' && fail "a run path"
nm "$library" | grep -q ' i ' && fail "an ifunc"
# One entry of .init_array is the compiler's own; a second one would be a constructor.
size=$(readelf -SW "$library" | sed 's/^ *\[ *[0-9]*\] //' | awk '$1 == ".init_array" {print $5}')
[ "$((0x${size:-0}))" -le 8 ] || fail "a constructor"

# No executable stack, no segment that is writable and executable, read-only relocations.
segments=$(readelf -lW "$library")
echo "$segments" | grep -q 'GNU_STACK.* RW ' || fail "the stack is executable, or not marked"
echo "$segments" | grep -q 'RWE' && fail "a segment that is writable and executable"
echo "$segments" | grep -q GNU_RELRO || fail "no relro"

# What it calls: memory and strings, locks, and the allocator of channels. No printing, no ending, no environment.
allowed='^(mem(cpy|move|set|cmp)|calloc|malloc|aligned_alloc|posix_memalign|free|pthread_[a-z_]*|mtx_[a-z]*|sched_yield'
allowed="$allowed"'|__stack_chk_fail|__cxa_finalize|__gmon_start__|_ITM_.*|__tls_get_addr|explicit_bzero'
[ "$configuration" != Debug ] || allowed="$allowed|__assert_fail"
allowed="$allowed)\$"
called=$(nm -D --undefined-only "$library" | awk '{print $2}' | sed 's/@.*//')
echo "$called" | grep -vE "$allowed" | grep . && fail "calls that the library has no business with"

# Every object of the archive says that it needs no executable stack.
readelf -SW "$archive" | awk '
    /^File:/ { if (file != "" && !marked) print file; file = $2; marked = 0; n++ }
    /\.note\.GNU-stack/ { marked = !/ [A-Z]*X / }
    END { if (!marked) print file; if (n < 10) print n " objects" }' | grep . && fail "objects without .note.GNU-stack"
exit $status
