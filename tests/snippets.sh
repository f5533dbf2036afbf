#!/bin/sh
# snippets.sh CC INCLUDE-DIR STATIC-LIBRARY DOCUMENT...: every C snippet of the documents is a whole program: it compiles
# without a warning, and runs to the end. CC may be several words. A ctest of interface.cmake; called by builds.sh, too.
set -u
cc=$1 include=$2 archive=$3 status=0
shift 3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

for document in "$@"; do
    rm -f "$place"/*
    awk -v to="$place/" '/^```/ { inside = $0 == "```c"; n += inside; next } inside { print > (to n ".c") }' "$document"
    for snippet in "$place"/*.c; do
        [ -f "$snippet" ] || { echo "failed: no C snippet in $document"; status=1; continue; }
        { $cc -std=gnu11 -Wall -Wextra -Wconversion -Werror -I"$include" "$snippet" "$archive" -pthread -o "$place/run" &&
            "$place/run" >/dev/null; } || { echo "failed: C snippet $(basename "$snippet" .c) of $document"; status=1; }
    done
done
exit $status
