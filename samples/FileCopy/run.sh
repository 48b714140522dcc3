#!/usr/bin/env bash
# usage: samples/FileCopy/run.sh [MEGABYTES]    copies two files of so many megabytes (default: 64) from two senders, in C# and in C++, to one receiver (RECEIVE=cs or cpp). Every 50 ms
# one of the three is killed and started again. After eng/build.sh. Ends with a line that says whether the copies are equal; the exit code is 0 when they are.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. eng/programs.sh
megabytes=${1:-64}
csharp=samples/FileCopy/CSharp/bin/Release/net10.0/FileCopy
cpp=build/native/samples/FileCopy/cpp/filecopy
folder=$(mktemp -d) || exit 1

programs=(0 0 0)
trap 'kill -9 "${programs[@]}" 2>/dev/null; rm -rf "$folder"; _end_programs' EXIT # disowned: the shell would tell of each that is killed
start() { # 0: the receiver, 1 and 2: a sender
    case $1 in
        0) if [ "${RECEIVE:-cs}" = cs ]; then $csharp receive copies "$folder/to" & else $cpp receive copies "$folder/to" & fi ;;
        1) $csharp send copies one "$folder/one" & ;;
        2) $cpp send copies two "$folder/two" & ;;
    esac
    programs[$1]=$!
    disown
}
mkdir "$folder/to"
for file in one two; do
    head -c $((megabytes * 1000000)) /dev/urandom >"$folder/$file" || exit 1
done
for slot in 0 1 2; do start $slot; done
kills=0 done=(no no no)
while [ "${done[1]}${done[2]}" != yesyes ]; do
    sleep 0.05
    for sender in 1 2; do # it has ended by itself: nobody else has killed it
        kill -0 "${programs[$sender]}" 2>/dev/null || done[$sender]=yes
    done
    slot=$((RANDOM % 3))
    [ "${done[$slot]}" = no ] || continue
    kill -9 "${programs[$slot]}" 2>/dev/null && kills=$((kills + 1))
    for _ in {1..500}; do # until it has gone: its successor is refused while it lives
        kill -0 "${programs[$slot]}" 2>/dev/null || break
        sleep 0.01
    done
    start $slot
    sleep 0.1 # to get anywhere
done
cmp "$folder/one" "$folder/to/one" && cmp "$folder/two" "$folder/to/two"
code=$?
if [ $code = 0 ]; then echo "two files of $megabytes MB copied, killed $kills times, equal"; else echo "killed $kills times, NOT equal"; fi
exit $code
