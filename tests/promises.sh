#!/usr/bin/env bash
# Runs one check for each promise that was once broken, each in a process of its own below a watchdog, and ends with `N held, M broken`.
# usage: tests/promises.sh [--list] [NUMBER ...]      needs what eng/build.sh has built
#
# tests/promises/NN-words.txt is promise NN: its first line, after `#`, says what is promised; each other line is a test that must run and pass:
#   cs PROJECT METHOD     the test METHOD of tests/PROJECT (a name, `*` for any text)
#   c NAME                the CTest test NAME (a regular expression for a whole name) of the native build
#   run COMMAND           a command, from the top of the repository
# A line that fails is run once more, and the end says which did. A line that matches no test is a broken promise: a check that cannot fail checks nothing.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"
. "$top/eng/setup.sh"
cd "$top" || exit 2
require build || exit 2
export IPC_NATIVE_BUILD=${IPC_NATIVE_BUILD:-$top/build/native}
limit=300 # seconds for one line: a hang is a broken promise, too

list= numbers=()
for argument in "$@"; do
    case $argument in
        --list) list=yes ;;
        [0-9]*) numbers+=("$(printf '%02d' "$((10#$argument))")") ;;
        *) warn "usage: tests/promises.sh [--list] [NUMBER ...]"; exit 2 ;;
    esac
done

run_line() { # KIND REST...   the output goes to standard output; fails when nothing ran
    local kind=$1 results code=0
    shift
    case $kind in
        cs)
            results=$(mktemp)
            timeout --kill-after=10 $limit dotnet "tests/$1/bin/Release/net10.0/$1.dll" -noLogo -noColor -method "*$2" -xml "$results" || code=$?
            grep -q '<assembly [^>]*total="[1-9]' "$results" 2>/dev/null || { echo "no test ran"; code=1; }
            rm -f "$results"
            return $code
            ;;
        c) timeout --kill-after=10 $limit ctest --test-dir "$IPC_NATIVE_BUILD" --output-on-failure --no-tests=error -R "^$1\$" ;;
        run) timeout --kill-after=10 $limit bash -c "$*" ;;
        *) echo "unknown kind of check: $kind"; return 1 ;;
    esac
}

held=0 broken=0 again=() log=$logs/promises.log
: >"$log"
shopt -s nullglob
for file in tests/promises/[0-9][0-9]-*.txt; do
    number=$(basename "$file")
    number=${number%%-*}
    [ ${#numbers[@]} = 0 ] || [[ " ${numbers[*]} " == *" $number "* ]] || continue
    title=$(sed -n '1s/^# *//p' "$file") lines=0 bad=()
    if [ -n "$list" ]; then say "$number  $title"; continue; fi
    while read -r kind rest; do
        case $kind in '' | '#'*) continue ;; esac
        lines=$((lines + 1))
        printf '== %s: %s %s\n' "$number" "$kind" "$rest" >>"$log"
        read -ra words <<<"$rest" # words, and no names of files for a *
        run_line "$kind" "${words[@]}" >>"$log" 2>&1 </dev/null && continue
        echo "== again" >>"$log" # a busy machine may have been in the way once; a broken promise is broken twice, and the screen says so
        if run_line "$kind" "${words[@]}" >>"$log" 2>&1 </dev/null; then
            again+=("$kind $rest")
        else
            bad+=("$kind $rest")
        fi
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
[ -z "$list" ] || exit 0
[ ${#again[@]} = 0 ] || printf '  held at the second try only: %s\n' "${again[@]}"
[ $((held + broken)) != 0 ] || { warn "no such promise"; exit 2; }
say "$held held, $broken broken"
[ $broken = 0 ]
