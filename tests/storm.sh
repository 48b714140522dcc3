#!/usr/bin/env bash
# usage: tests/storm.sh --kind queue|topic|ring|lock|named|tcp [--kills N] [--stop [--longest MS]] [--exact] [--everybody] [--long] [--seed S] [--native-only]
#
# Real processes of both languages, content-checked traffic, and one of them killed (--stop: stopped for up to MS, by default 100 ms)
# at a random instruction, N times (by default 100). --long: 1000 kills, a minute or two; with --stop 600 stops of up to 2 s, about
# 10 minutes. --kind topic --exact: stops, and lossy and evict readers of both languages must be told exactly what they miss.
# --everybody (a queue's or a ring's): all workers are killed at once, so that for a while nobody is alive.
# --kind named: a server and a client of a named connection, one or both of which are killed and started again.
# --kind tcp: the same over TCP: the exit and the entrance are killed, too.
# The last line is  kills N, acknowledged A, lost L, repeated unflagged R, left behind F ; the exit code
# is 0 when L, R and F are 0. What is counted, and how, stands in tests/peers/c/storm.c. Build first: eng/build.sh.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${IPC_NATIVE_BUILD:-$top/build/native}/tests/native
managed=
for configuration in Release Debug; do
    peer=$top/tests/peers/cs/Ipc.Peer/bin/$configuration/net10.0/Ipc.Peer.dll
    if [ -f "$peer" ]; then
        managed="dotnet $peer"
        break
    fi
done
arguments=()
for argument in "$@"; do
    case $argument in
        --native-only) managed= ;;
        --long) case " $* " in *" --stop "*) arguments+=(--kills 600 --longest 2000) ;; *) arguments+=(--kills 1000) ;; esac ;;
        *) arguments+=("$argument") ;;
    esac
done
if [ ! -x "$build/storm" ]; then
    echo "$build/storm is not built: run eng/build.sh" >&2
    exit 2
fi
verb=
case " ${arguments[*]-} " in
    *" --kind named "*) verb=storm-named ;;
    *" --kind tcp "*) verb=storm-tcp ;;
esac
if [ -n "$verb" ]; then
    [ -n "$managed" ] || { echo "this storm is run by the C# peer, which is not built: run eng/build.sh" >&2; exit 2; }
    kills=100 seed=0
    while [ ${#arguments[@]} -gt 0 ]; do
        case ${arguments[0]} in
            --kind) ;;
            --kills) kills=${arguments[1]-} ;;
            --seed) seed=${arguments[1]-} ;;
            *) echo "--kind named and tcp have --kills and --seed: ${arguments[0]}" >&2; exit 2 ;;
        esac
        arguments=("${arguments[@]:2}")
    done
    arguments=("$kills" "$build/peer" "$seed")
fi

# Whatever happens to the storm itself, its regions go.
IPC_DIR=$(mktemp -d "${IPC_DIR:-/dev/shm}/ipc-test.XXXXXX") || exit 2
export IPC_DIR
trap 'rm -rf "$IPC_DIR"' EXIT
if [ -n "${kills-}" ]; then
    $managed "$verb" "${arguments[@]}"
else
    [ -z "$managed" ] || arguments+=(--managed "$managed")
    "$build/storm" ${arguments[@]+"${arguments[@]}"} --native "$build/peer"
fi
