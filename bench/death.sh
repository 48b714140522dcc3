#!/usr/bin/env bash
# usage: bench/death.sh [--deaths N] [--c | --cs]     how soon a sleeping survivor goes on after a kill -9
#
# Kills, N times each (default 100), the process that stands in a sleeper's way: a sender or receiver of a queue, the slowest reliable
# reader of a topic, who holds a mutex or a permit, the writer of a ring, the server of a connection. A table of p50, p99
# and maximum for C and for C#, both sides of the same language. About half a minute for C, 2 for C#; on a machine that does nothing else.
# It fails when a survivor does not go on, never by a time: 50 ms is the promise, and the last line counts what took longer.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/begin.sh"
deaths=100 c=yes cs=yes
while [ $# -gt 0 ]; do
    case $1 in
        --deaths) deaths=${2:?}; shift ;;
        --c) cs= ;;
        --cs) c= ;;
        *) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; [ "$1" = --help ]; exit ;;
    esac
    shift
done

managed=
[ -z "$cs" ] || managed=tests/peers/cs/Ipc.Peer/Ipc.Peer.csproj
bench_begin "$managed" bench_death peer
arguments=(--deaths "$deaths")
[ -z "$c" ] || arguments+=(--c "build/native/tests/native/peer drive")
[ -z "$cs" ] || arguments+=(--cs "dotnet tests/peers/cs/Ipc.Peer/bin/Release/net10.0/Ipc.Peer.dll drive")
build/native/bench/native/bench_death "${arguments[@]}"
