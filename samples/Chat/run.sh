#!/usr/bin/env bash
# usage: samples/Chat/run.sh [LINES]    a scene without a terminal, after eng/build.sh. anna (C#) and bob (C) each say so many lines (default: 2000), carl (C) listens for a while and goes
# away. A second anna is refused. Again and again anna, bob or the room (C#) is killed and started again, until everything was said; then carl comes back. The exit code is 0 when all of them
# have read all of it, in the order of the room's log.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. eng/programs.sh
lines=${1:-2000}
csharp=samples/Chat/CSharp/bin/Release/net10.0/Chat
c=build/native/samples/Chat/c/chat

programs=(0 0 0 0)
trap 'kill -9 "${programs[@]}" 2>/dev/null; _end_programs' EXIT # disowned: the shell would tell of each that is killed
start() { # 0: the room, 1: anna, 2: bob, 3: carl
    case $1 in
        0) $csharp room pub "$work/log" & ;;
        1) $csharp join pub seat1 anna "$work/says1" >>"$work/reads1" & ;;
        2) $c join pub seat2 bob "$work/says2" >>"$work/reads2" & ;;
        3) $c join pub seat3 carl "$work/says3" >>"$work/reads3" & ;;
    esac
    programs[$1]=$!
    disown
}
stop() {
    if ! kill -9 "${programs[$1]}" 2>/dev/null; then
        echo "program $1 has ended by itself"
        exit 1
    fi
    kills=$((kills + 1))
    for _ in {1..500}; do # until it has gone: its successor is refused while it lives
        kill -0 "${programs[$1]}" 2>/dev/null || break
        sleep 0.01
    done
    echo >>"$work/reads$1" # what comes now is not behind half a line
}
count() { # of what that person has read, each number once
    sort -nu "$work/reads$1" | grep -c '^[0-9]'
}
await() { # PERSON NUMBER: at most a minute
    for _ in {1..600}; do
        [ "$(count "$1")" -lt "$2" ] || return 0
        sleep 0.1
    done
    echo "person $1 has read $(count "$1") lines of $2"
    return 1
}

progress() { # something was said since, at most a minute later, or all of it was while the program was started
    local before now
    before=$(wc -l <"$work/log")
    for _ in {1..6000}; do
        now=$(wc -l <"$work/log")
        [ "$now" = "$before" ] && [ "$now" -lt "$all" ] || return 0
        sleep 0.01
    done
    echo "nobody has said anything for a minute"
    return 1
}
said() { # by the person of that seat, as the room has it
    awk -F'\t' -v seat="seat$1" '$1 == seat && $3 > 0 { print $5 }' "$work/log"
}

for person in 1 2; do seq -f "line %g" "$lines" >"$work/says$person"; done
: >"$work/says3"
kills=0 all=$((2 * lines + 3)) # that each of them has come is a line, too
for person in 0 1 3; do start $person; done
await 1 1 && await 3 1 || exit 1
stop 3

for program in "$c" "$csharp"; do
    refused=$($program join pub seat4 anna "$work/says1" 2>&1)
    code=$?
    echo "a second anna: $refused"
    case $code$refused in '1The name "anna" is taken'*) ;; *) exit 1 ;; esac
done

start 2
while [ "$(wc -l <"$work/log")" -lt "$all" ]; do
    victim=$((RANDOM % 3))
    stop $victim
    start $victim
    progress || exit 1
done
start 3
await 1 "$all" && await 2 "$all" && await 3 "$all" || exit 1
awk -F'\t' '{ print NR " " $4 ": " $5 }' "$work/log" >"$work/expected"
code=0
for person in 1 2 3; do # a line that was printed and not acknowledged was printed again, under its number
    awk 'NF { line[$1] = $0 } END { for (i = 1; i in line; i++) print line[i] }' "$work/reads$person" | cmp - "$work/expected" || code=1
done
for person in 1 2; do said $person | cmp - "$work/says$person" || code=1; done
[ "$(cut -f1,2,3 "$work/log" | sort -u | wc -l)" = "$(wc -l <"$work/log")" ] || code=1 # none was heard twice
if [ $code = 0 ]; then echo "killed $kills times: three people have read the same $all lines, nothing lost"; else echo "killed $kills times, NOT the same"; fi
exit $code
