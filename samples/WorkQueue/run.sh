#!/usr/bin/env bash
# usage: samples/WorkQueue/run.sh [FOLDER]    counts the lines of FOLDER's files with four workers, two in C# and two in C++, of which
# one is killed every 50 ms and replaced. After eng/build.sh. Ends with the submitter's line; the exit code is 0 when nothing was lost.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. eng/programs.sh
folder=${1:-/usr/share}
csharp=samples/WorkQueue/CSharp/bin/Release/net10.0/WorkQueue
cpp=build/native/samples/WorkQueue/cpp/workqueue

workers=()
trap 'kill -9 "${workers[@]}" 2>/dev/null; _end_programs' EXIT # disowned: the shell would tell of each that is killed
start() { # SLOT: even ones in C++
    if [ $(($1 % 2)) = 0 ]; then $cpp work lines & else $csharp work lines & fi
    workers[$1]=$!
    disown
}
if [ "${SUBMIT:-cs}" = cs ]; then $csharp submit lines "$folder" & else $cpp submit lines "$folder" & fi
submitter=$!
for slot in 0 1 2 3; do start $slot; done
kills=0
while kill -0 $submitter 2>/dev/null; do
    sleep 0.05
    slot=$((RANDOM % 4))
    kill -9 "${workers[$slot]}" 2>/dev/null && kills=$((kills + 1))
    start $slot
done
wait $submitter
code=$?
echo "workers killed: $kills"
exit $code
