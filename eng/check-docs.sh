#!/usr/bin/env bash
# usage: eng/check-docs.sh [links|snippets [--update]]     both when none is named
#
# links     every relative link of every *.md names a file or folder that exists; the list of decisions is complete.
# snippets  every  <!-- snippet: FILE#REGION -->  in a *.md is followed by a code block that equals the lines between
#           "snippet: REGION" and "end-snippet" in FILE: what the documents show is what the compiler has seen. In docs/guide and
#           docs/quickstart every code block is such a one, but for what is marked as text. --update writes the blocks anew.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
bad=0
complain() { printf '%s\n' "$*"; bad=1; }

documents() { # tracked or about to be
    if git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files -co --exclude-standard -- '*.md'
    else
        find . -name '*.md' -not -path './build/*' -printf '%P\n'
    fi
}

check_links() {
    local document line target
    for document in docs/adr/[0-9]*.md; do
        grep -qF "($(basename "$document"))" docs/adr/README.md || complain "docs/adr/README.md does not list $document"
    done
    while IFS= read -r document; do
        while IFS=: read -r line target; do
            case $target in
                *://* | mailto:* | '#'*) continue ;;
                /*) complain "$document:$line: link with an absolute path: $target"; continue ;;
            esac
            target=${target%%#*}
            [ -e "$(dirname "$document")/$target" ] || complain "$document:$line: no such file: $target"
        done < <(awk '
            /^[[:space:]]*(```|~~~)/ { fenced = !fenced }
            fenced { next }
            {
                rest = $0
                gsub(/`[^`]*`/, "", rest)
                while (match(rest, /\]\([^)[:space:]]+/)) {
                    print FNR ":" substr(rest, RSTART + 2, RLENGTH - 2)
                    rest = substr(rest, RSTART + RLENGTH)
                }
            }' "$document")
    done < <(documents)
}

region() { # FILE REGION: the lines of a region, without the indentation that all of them have
    awk -v name="$2" '
        inside && /end-snippet/ { done = 1; inside = 0 }
        inside { lines[++count] = $0 }
        $0 ~ ("[^a-z-]snippet: " name "([[:space:]]*-->)?[[:space:]]*$") { inside = 1 }
        END {
            if (!done) exit 1
            indent = -1
            for (i = 1; i <= count; i++) {
                if (lines[i] ~ /^[[:space:]]*$/) { lines[i] = ""; continue }
                match(lines[i], /^ */)
                if (indent < 0 || RLENGTH < indent) indent = RLENGTH
            }
            for (i = 1; i <= count; i++) print substr(lines[i], indent + 1)
        }' "$1"
}

shown() { # DOCUMENT LINE: the code block that follows the marker on LINE
    awk -v from="$2" '
        NR <= from { next }
        /^```/ && !inside { inside = 1; next }
        /^```/ { exit }
        inside { print; next }
        NF { exit }' "$1"
}

check_snippets() {
    local document line source
    while IFS= read -r document; do
        while IFS=: read -r line source; do
            source=${source#*snippet: }
            source=${source%% -->*}
            if [ ! -f "${source%%#*}" ]; then
                complain "$document:$line: no such file: ${source%%#*}"
            elif ! region "${source%%#*}" "${source#*#}" >/dev/null; then
                complain "$document:$line: ${source%%#*} has no region ${source#*#}"
            elif ! diff -u --label "$source" --label "$document:$line" \
                <(region "${source%%#*}" "${source#*#}") <(shown "$document" "$line"); then
                complain "$document:$line: shows something else than $source"
            fi
        done < <(grep -n '^<!-- snippet: ' "$document")
        case $document in docs/guide/* | docs/quickstart/*) check_all_are_snippets "$document" ;; esac
    done < <(documents)
}

check_all_are_snippets() { # DOCUMENT
    local line
    while IFS= read -r line; do
        complain "$1:$line: code that no compiler has seen: put <!-- snippet: FILE#REGION --> before it, or mark it as text"
    done < <(awk '
        /^```/ {
            if (!inside && $0 !~ /^```(text|proto)$/ && before !~ /^<!-- snippet: /) print FNR
            inside = !inside
        }
        NF { before = $0 }' "$1")
}

update_snippets() {
    local document fresh
    fresh=$(mktemp)
    while IFS= read -r document; do
        grep -q '^<!-- snippet: ' "$document" || continue
        awk -v self=eng/check-docs.sh '
            function show(source, part, command, text) {
                part = source
                sub(/.*#/, "", part)
                sub(/#.*/, "", source)
                command = "bash " self " region " source " " part
                while ((command | getline text) > 0) print text
                if (close(command) != 0) exit 1
            }
            skipping == 1 && /^```/ { skipping = 2; next } # the old block
            skipping == 2 { if (/^```/) skipping = 0; next }
            skipping == 1 && NF { skipping = 0 }
            { print }
            /^<!-- snippet: / {
                source = $3
                language = source
                sub(/#.*/, "", language)
                sub(/.*\./, "", language)
                print "```" (language == "cs" ? "csharp" : language == "csproj" ? "xml" : language == "txt" ? "cmake" : language)
                show(source)
                print "```"
                skipping = 1
            }' "$document" >"$fresh" || { complain "$document: could not be updated"; continue; }
        cmp -s "$fresh" "$document" || { cat "$fresh" >"$document"; echo "updated $document"; }
    done < <(documents)
    rm -f "$fresh"
}

case ${1:-both} in
    links) check_links ;;
    snippets) if [ "${2:-}" = --update ]; then update_snippets; fi; check_snippets ;;
    region) region "$2" "$3" || exit 1 ;;
    both) check_links; check_snippets ;;
    *) echo "usage: eng/check-docs.sh [links|snippets [--update]]" >&2; exit 2 ;;
esac
exit $bad
