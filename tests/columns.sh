#!/bin/sh
# columns.sh PROGRAM|DOCUMENT.md...: what the programs say of themselves, and the documents, fit a terminal of 80 columns.
# A ctest of CMakeLists.txt.
set -u
status=0
for what in "$@"; do
    case $what in
    *.md) text=$(cat "$what") ;;
    *) text=$("$what" --help 2>&1) ;;
    esac
    [ "$(echo "$text" | wc -l)" -ge 3 ] || { echo "failed: $what says nothing: $text"; status=1; }
    echo "$text" | awk -v what="$what" 'length > 80 { print "failed: " what ": " $0; wide = 1 } END { exit wide }' || status=1
done
exit $status
