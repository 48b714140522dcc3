#!/usr/bin/env bash
# usage: samples/Farm/run.sh [LIMIT]    counts the primes below LIMIT (default: 1000000000) with four workers, of which one is killed every half second and replaced, and one is asked to end
# in good order. With a broker of its own, or with FARM_ADDRESS=amqp://USER:PASSWORD@HOST:PORT/VHOST/SERVICE. After eng/build.sh. The exit code is 0 when the number is right.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. eng/programs.sh
limit=${1:-1000000000}
farm=samples/Farm/CSharp/bin/Release/net10.0/Farm

. samples/broker.sh

if [ -n "${FARM_ADDRESS:-}" ]; then address=$FARM_ADDRESS; else start_broker && address=$broker/%2F/farm; fi

workers=() kills=0 number=0
trap 'kill -9 "${workers[@]}" 2>/dev/null; _end_programs' EXIT # disowned: the shell would tell of each that is killed
start() { # SLOT
    number=$((number + 1))
    $farm work "$address" "worker $number" &
    workers[$1]=$!
    disown
}
for slot in 0 1 2 3; do start $slot; done
$farm run "$address" "$limit" &
coordinator=$!
while kill -0 $coordinator 2>/dev/null; do
    sleep 0.5
    if [ $kills = 4 ] && [ -n "${workers[3]:-}" ]; then
        kill -TERM "${workers[3]}" 2>/dev/null # this one finishes what it has in hand
        unset 'workers[3]'
    fi
    slot=$((RANDOM % 3))
    kill -9 "${workers[$slot]}" 2>/dev/null && kills=$((kills + 1))
    start $slot
done
wait $coordinator
code=$?
echo "workers killed: $kills"
exit $code
