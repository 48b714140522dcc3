#!/usr/bin/env bash
# usage: eng/check-code.sh [layers|labels]     both when none is named
#
# layers  a lower layer never names a higher one (Layout < Platform < Waiting < Memory < Messaging < Sync < Connections; the same
#         in C by its includes), and only Platform calls or asks for the operating system.
# labels  every synchronisation label of docs/memory-ordering.md stands in the C and in the C# sources, and every label
#         in the sources stands there.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
bad=0
complain() { printf '%s\n' "$*"; bad=1; }

layers="Layout Platform Waiting Memory Messaging Sync Connections"

code() { # FILE: without comments and strings, line by line
    sed -E 's/"([^"\\]|\\.)*"/""/g; s,//.*,,; s,/\*.*\*/,,; /^[[:space:]]*\*/d; s,/\*.*,,' "$1"
}

check_csharp_layers() {
    local layer higher file names hits
    for layer in $layers; do
        higher=${layers#*"$layer"}
        # One type per file: the file names are the type names. A suffix (.Linux) is a second role of the same type.
        names=$(for folder in $higher; do find "src/Ipc.Core/$folder" -name '*.cs' -printf '%f\n' 2>/dev/null; done |
            sed 's/\..*//' | sort -u | paste -sd '|')
        [ -n "$names" ] || continue
        while IFS= read -r file; do
            hits=$(code "$file" | grep -noE "(^|[^A-Za-z0-9_.])($names)([^A-Za-z0-9_]|$)" | head -n 3)
            [ -z "$hits" ] || complain "$file ($layer) names a higher layer:"$'\n'"$hits"
        done < <(find "src/Ipc.Core/$layer" -name '*.cs' 2>/dev/null)
    done
}

check_c_layers() {
    local layer higher file included
    for layer in $layers; do
        higher=${layers#*"$layer"}
        higher=$(tr ' ' '|' <<<"${higher# }")
        [ -n "$higher" ] || continue
        while IFS= read -r file; do
            included=$(grep -nE "^#include \"(\.\./)*(${higher,,})/" "$file")
            [ -z "$included" ] || complain "$file (${layer,,}) includes a higher layer:"$'\n'"$included"
        done < <(find "src/Ipc.Native/src/${layer,,}" -name '*.[ch]' 2>/dev/null)
    done
}

check_platform() {
    local hits
    hits=$(grep -rnE --include='*.cs' '\b(DllImport|LibraryImport|OperatingSystem\.Is|RuntimeInformation\.IsOS)' src/Ipc.Core src/Ipc.Rpc |
        grep -vE '^src/Ipc.Core/Platform/|/(obj|bin)/|^[^:]*:[0-9]*:[[:space:]]*//')
    [ -z "$hits" ] || complain "operating system outside Platform:"$'\n'"$hits"
    hits=$(grep -rnE --include='*.[ch]' '^#.*\b(__linux__|_WIN32|__APPLE__|__unix__)' src/Ipc.Native/src 2>/dev/null |
        grep -v '^src/Ipc.Native/src/platform/')
    [ -z "$hits" ] || complain "operating system outside platform:"$'\n'"$hits"
}

check_labels() {
    local known folder label used
    known=$(grep -oE '^\| `\[[a-z-]+\]`' docs/memory-ordering.md | grep -oE '\[[a-z]+(-[a-z]+)*\]' | sort -u)
    [ -n "$known" ] || complain "docs/memory-ordering.md has no table of labels"
    for folder in src/Ipc.Native/src src/Ipc.Core; do
        find $folder -name '*.c' -o -name '*.cs' | grep -q . || continue
        used=$(grep -rhE --include='*.[ch]' --include='*.cs' --exclude-dir=obj --exclude-dir=bin '(//|/\*|^[[:space:]]*\*).*\[[a-z]+(-[a-z]+)*\]' $folder |
            sed -E 's,.*(//|/\*),,' | grep -oE '\[[a-z]+(-[a-z]+)*\]' | sort -u)
        for label in $known; do
            grep -qxF -- "$label" <<<"$used" || complain "$label of docs/memory-ordering.md is nowhere in $folder"
        done
        for label in $used; do
            grep -qxF -- "$label" <<<"$known" || complain "$label in $folder is not in docs/memory-ordering.md"
        done
    done
}

check_layers() {
    check_csharp_layers
    check_c_layers
    check_platform
}

case ${1:-both} in
    layers) check_layers ;;
    labels) check_labels ;;
    both) check_layers; check_labels ;;
    *) echo "usage: eng/check-code.sh [layers|labels]" >&2; exit 2 ;;
esac
exit $bad
