#!/usr/bin/env bash
# Checks each promise that was once broken, and ends with `N held, M broken`.
# usage: tests/promises.sh [--list] [--results FOLDER] [NUMBER ...]      needs what eng/build.sh has built
#
# tests/promises/NN-words.txt is promise NN: its first line, after `#`, says what is promised; each other line is a test that must run and pass:
#   cs PROJECT METHOD     the test METHOD of tests/PROJECT (a name, `*` for any text)
#   c NAME                the CTest test NAME (a regular expression for a whole name) of the native build
#   run COMMAND           a command, from the top of the repository
#
# What the lines need of one project runs in one process, and so do the native tests below one ctest, each below a watchdog. A line that was not seen to
# pass there runs in a process of its own, with a watchdog of its own; the end says for which that was so. --results: nothing runs that FOLDER has the
# results of (PROJECT.xml of xunit, ctest-native.xml of CTest), which is how test.sh runs no test twice.
# A line that matches no test is a broken promise: a check that cannot fail checks nothing.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"
. "$top/eng/setup.sh"
cd "$top" || exit 2
require build || exit 2
export IPC_NATIVE_BUILD=${IPC_NATIVE_BUILD:-$top/build/native}
limit=300       # seconds for one line: a hang is a broken promise, too
limit_of_all=900 # for the tests of one project

list='' given='' numbers=()
while [ $# -gt 0 ]; do
    case $1 in
        --list) list=yes ;;
        --results) given=${2:?}; shift ;;
        [0-9]*) numbers+=("$(printf '%02d' "$((10#$1))")") ;;
        *) warn "usage: tests/promises.sh [--list] [--results FOLDER] [NUMBER ...]"; exit 2 ;;
    esac
    shift
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$logs/promises.log
: >"$log"
shopt -s nullglob
files=()
for file in tests/promises/[0-9][0-9]-*.txt; do
    number=$(basename "$file")
    number=${number%%-*}
    [ ${#numbers[@]} = 0 ] || [[ " ${numbers[*]} " == *" $number "* ]] || continue
    [ -z "$list" ] || say "$number  $(sed -n '1s/^# *//p' "$file")"
    files+=("$file")
done
[ -z "$list" ] || exit 0
[ ${#files[@]} != 0 ] || { warn "no such promise"; exit 2; }

program_of() { echo "tests/$1/bin/Release/net10.0/$1.dll"; } # PROJECT

# A line for each test of a result file: its name and Pass, Fail or Skip.
names_of_xunit() { # FILE
    tr '\n\t' '  ' <"$1" | sed 's/<test /\n<test /g' | awk '
        function of(attribute) { return match($0, " " attribute "=\"[^\"]*\"") ? substr($0, RSTART + length(attribute) + 3, RLENGTH - length(attribute) - 4) : "" }
        /^<test / { print of("type") "." of("method"), of("result") }'
}

names_of_ctest() { # FILE
    tr '\n\t' '  ' <"$1" | sed 's/<testcase /\n<testcase /g' |
        sed -nE 's/^<testcase name="([^"]*)"[^>]* status="([^"]*)".*/\1 \2/p' | sed 's/ run$/ Pass/; s/ fail$/ Fail/; s/ notrun$/ Skip/'
}

# ---- everything at once ----------------------------------------------------------------------------------------------

run_projects() {
    local project method arguments code
    sed -nE 's/^cs +([^ ]+) .*/\1/p' "${files[@]}" | sort -u >"$work/projects"
    while read -r project; do
        if [ -n "$given" ] && [ -s "$given/$project.xml" ]; then
            names_of_xunit "$given/$project.xml" >"$work/$project"
            continue
        fi
        arguments=() code=0
        while read -r method; do arguments+=(-method "*$method"); done < <(sed -nE "s/^cs +$project +([^ ]+).*/\1/p" "${files[@]}" | sort -u)
        timeout --kill-after=10 $limit_of_all dotnet "$(program_of "$project")" -noLogo -noColor "${arguments[@]}" -xml "$work/results.xml" >>"$log" 2>&1 </dev/null || code=$?
        [ ! -s "$work/results.xml" ] || names_of_xunit "$work/results.xml" >"$work/$project"
        [ $code = 0 ] || grep -q ' Fail$' "$work/$project" 2>/dev/null || rm -f "$work/$project" # it ended badly: whatever it said
        rm -f "$work/results.xml"
    done <"$work/projects"
}

run_native() {
    local all
    all=$(sed -nE 's/^c +([^ ]+).*/\1/p' "${files[@]}" | sort -u | paste -sd '|')
    [ -n "$all" ] || return
    if [ -n "$given" ] && [ -s "$given/ctest-native.xml" ]; then
        names_of_ctest "$given/ctest-native.xml" >"$work/native"
        return
    fi
    timeout --kill-after=10 $limit_of_all ctest --test-dir "$IPC_NATIVE_BUILD" --output-on-failure -R "^($all)\$" --output-junit "$work/results.xml" >>"$log" 2>&1 </dev/null
    [ ! -s "$work/results.xml" ] || names_of_ctest "$work/results.xml" >"$work/native"
}

# Some test of that name is among the results, and none has failed.
passed() { # KIND REST...
    local results pattern
    case $1 in
        cs) results=$work/$2 pattern=".*$(sed 's/[.+?(){}|^$[]/\\&/g; s/\*/.*/g' <<<"$3")" ;;
        c) results=$work/native pattern=$2 ;;
        *) return 1 ;;
    esac
    [ -s "$results" ] && grep -E "^($pattern) [A-Z][a-z]*\$" "$results" >"$work/found" && ! grep -qv ' Pass$\| Skip$' "$work/found"
}

# ---- one line --------------------------------------------------------------------------------------------------------

run_line() { # KIND REST...   the output goes to standard output; fails when nothing ran
    local kind=$1 results=$work/line.xml code=0
    shift
    case $kind in
        cs)
            rm -f "$results"
            timeout --kill-after=10 $limit dotnet "$(program_of "$1")" -noLogo -noColor -method "*$2" -xml "$results" || code=$?
            grep -q '<assembly [^>]*total="[1-9]' "$results" 2>/dev/null || { echo "no test ran"; code=1; }
            return $code
            ;;
        c) timeout --kill-after=10 $limit ctest --test-dir "$IPC_NATIVE_BUILD" --output-on-failure --no-tests=error -R "^$1\$" ;;
        run) timeout --kill-after=10 $limit bash -c "$*" ;;
        *) echo "unknown kind of check: $kind"; return 1 ;;
    esac
}

# Seen to pass among the others; or in a process of its own, where a busy machine may have been in the way: a broken promise is broken there, too.
holds() { # KIND REST...
    passed "$@" && return 0
    echo "== alone: $*" >>"$log"
    run_line "$@" >>"$log" 2>&1 </dev/null || return 1
    [ "$1" = run ] || again+=("$*")
}

run_projects
run_native
held=0 broken=0 again=()
for file in "${files[@]}"; do
    number=$(basename "$file")
    number=${number%%-*}
    title=$(sed -n '1s/^# *//p' "$file") lines=0 bad=()
    while read -r -a words; do # words, and no names of files for a *
        case ${words[0]:-} in '' | '#'*) continue ;; esac
        lines=$((lines + 1))
        holds "${words[@]}" || bad+=("${words[*]}")
    done <"$file"
    [ $lines != 0 ] || bad+=("no check")
    if [ ${#bad[@]} = 0 ]; then
        held=$((held + 1))
        say "  held    $number  $title"
    else
        broken=$((broken + 1))
        say "  BROKEN  $number  $title"
        printf '              %s\n' "${bad[@]}"
    fi
done
[ ${#again[@]} = 0 ] || printf '  held in a process of its own only: %s\n' "${again[@]}"
say "$held held, $broken broken"
[ $broken = 0 ]
