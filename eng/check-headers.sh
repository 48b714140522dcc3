#!/usr/bin/env bash
# usage: eng/check-headers.sh [--write]
#
# The C interface is documented where it is declared: every IPC_API function of ipc.h and ipc/*.h has a comment of its own, which
# says what it does, what each argument is, what it returns (unless void), how long it blocks, what it allocates and which
# threads may call it. docs/c-api.md lists every function with the first sentence of that; --write writes the list anew.
# The version in base.h is that of the packages, and nuget/contents/Ipc.Native.txt lists every header.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
include=src/Ipc.Native/include
page=docs/c-api.md
bad=0
complain() { printf '%s\n' "$*"; bad=1; }

# FILE: a line per function, NAME|FIRST SENTENCE; or  !COMPLAINT
functions() {
    awk '
        function finish(    name, text, argument, rest, sentence, count, i, list) {
            gsub(/[ \t]+/, " ", declaration)
            if (!match(declaration, /ipc_[a-z0-9_]+\(/)) { print "!" FILENAME ": not understood: " declaration; return }
            name = substr(declaration, RSTART, RLENGTH - 1)
            rest = substr(declaration, RSTART + RLENGTH)
            sub(/\);.*/, "", rest)
            if (comment_end != first_line - 1) { print "!" FILENAME ": " name " has no comment of its own"; return }
            count = rest == "void" ? 0 : split(rest, list, /, */)
            for (i = 1; i <= count; i++) {
                argument = list[i]
                sub(/.*[ *]/, "", argument)
                if (index(comment, "\n * " argument " ") == 0) print "!" FILENAME ": " name " does not say what " argument " is"
            }
            if ((declaration ~ /^IPC_API void ipc_/) == (index(comment, "\n * Returns    ") != 0))
                print "!" FILENAME ": " name (declaration ~ /^IPC_API void ipc_/ ? " returns nothing" : " does not say what it returns")
            if (comment !~ /\n \* Blocks     .*Allocates .*Threads: [^\n]/)
                print "!" FILENAME ": " name " does not say how it blocks, what it allocates and who may call it"
            text = comment
            sub(/\n \*\n.*/, "", text)
            gsub(/\n \*/, "", text)
            sub(/^\/\* /, "", text)
            if (text !~ /^[A-Z].*[.)]$/) print "!" FILENAME ": " name " does not begin with a sentence: " text
            sentence = match(text, /\. [A-Z]/) ? substr(text, 1, RSTART) : text
            print name "|" sentence
        }
        /^\/\* / { comment = $0; inside = 1; if (/\*\//) { inside = 0; comment_end = FNR } next }
        inside { comment = comment "\n" $0; if (/\*\//) { inside = 0; comment_end = FNR } next }
        /^IPC_API / { declaration = $0; first_line = FNR; open = 1; if (/;/) { open = 0; finish() } next }
        open { declaration = declaration " " $0; if (/;/) { open = 0; finish() } }' "$1"
}

title() { sed -nE '1,3s,^(/\*| \*) [a-z]+\.h - (.*),\2,p' "$1" | sed -E 's/ Included by ipc\.h\..*//; s,[[:space:]]*\*/$,,; s/\.$//'; }

list() { # the page behind its introduction
    local header each found
    for header in base ring connection queue topic sync participants ready_handle; do
        found=$(functions "$include/ipc/$header.h")
        printf '\n## ipc/%s.h: %s\n\n| function | |\n|---|---|\n' "$header" "$(title "$include/ipc/$header.h")"
        while IFS= read -r each; do
            # shellcheck disable=SC2016 # a backquote is meant
            case $each in '' | '!'*) ;; *) printf '| `%s` | %s |\n' "${each%%|*}" "${each#*|}" ;; esac
        done <<<"$found"
    done
}

introduction() { sed '/^## ipc\//,$d' "$page" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }

all=0
for header in "$include"/ipc.h "$include"/ipc/*.h; do
    found=$(functions "$header")
    while IFS= read -r each; do
        case $each in '!'*) complain "${each#!}" ;; ?*) all=$((all + 1)) ;; esac
    done <<<"$found"
    grep -q '^IPC_API' "$header" && ! grep -qF "## ipc/$(basename "$header"):" <(list) && complain "$header is not in the list of $0"
done
[ $all -gt 100 ] || complain "only $all functions were found"

if [ "${1:-}" = --write ]; then
    fresh=$(introduction; list)
    printf '%s\n' "$fresh" >"$page"
elif ! diff -u --label "$page" --label "the headers" "$page" <(introduction; list); then
    complain "$page is not what the headers say: eng/check-headers.sh --write"
fi

version=$(sed -nE 's/^#define IPC_VERSION +"(.*)"/\1/p' $include/ipc/base.h)
grep -qF "<Version>$version</Version>" Directory.Build.props || complain "base.h says version $version, Directory.Build.props does not"

# Every header ships. Packing would find the difference, too, an hour later.
if ! diff --label nuget/contents/Ipc.Native.txt --label "the headers" -u0 <(sed -n 's,^build/native/include/,,p' nuget/contents/Ipc.Native.txt) \
    <(cd $include && find . -type f -printf '%P\n' | LC_ALL=C sort); then
    complain "nuget/contents/Ipc.Native.txt does not list the headers that there are"
fi
exit $bad
