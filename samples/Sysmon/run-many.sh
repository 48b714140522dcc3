#!/usr/bin/env bash
# usage: samples/Sysmon/run-many.sh [SECONDS]    ten machines in one table (default: 8 seconds), over a broker of its own or MANY_BROKER=amqp://USER:PASSWORD@HOST:PORT. After eng/build.sh.
#
# Each machine has a region directory of its own here, with a daemon in C++ or C# that knows only shared memory, and a gateway that publishes it. One more has a gateway that offers
# all ten, and the client. A daemon is killed with -9 on the way, and started again. The exit code is 0 when all ten were there at the end.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. eng/programs.sh
. samples/broker.sh
seconds=${1:-8}
managed=bin/${SYSMON_CONFIGURATION:-Release}/net10.0
daemons=(build/native/samples/Sysmon/cpp/sysmon_daemon samples/Sysmon/Daemon/$managed/Sysmon.Daemon)
tool=(dotnet src/Ipc.Tool/$managed/ipc.dll)
if [ -n "${MANY_BROKER:-}" ]; then broker=$MANY_BROKER; else start_broker; fi

place() { mkdir -m 700 -p "$IPC_DIR/$1" && echo "$IPC_DIR/$1"; }
daemon() { # NUMBER   process ids are in $work
    IPC_DIR=$(place "machine-$1") "${daemons[$1 % 2]}" --name sysmon >"$work/daemon-$1.log" 2>&1 &
    echo $! >"$work/daemon-$1"
}

imports=() names=()
for i in {1..10}; do
    daemon "$i"
    echo "{ \"broker\": \"$broker\", \"exports\": [ { \"name\": \"sysmon\", \"service\": \"sysmon-$i\", \"graceSeconds\": 0.5 } ] }" >"$work/machine-$i.json"
    IPC_DIR=$(place "machine-$i") "${tool[@]}" gateway "$work/machine-$i.json" >"$work/gateway-$i.log" 2>&1 &
    imports+=("{ \"name\": \"machine-$i\", \"service\": \"sysmon-$i\" },")
    names+=("machine-$i")
done
echo "{ \"broker\": \"$broker\", \"imports\": [ ${imports[*]} ] }" >"$work/watcher.json"
IPC_DIR=$(place watcher) "${tool[@]}" gateway "$work/watcher.json" --status "$work/status" >"$work/watcher.log" 2>&1 &
for _ in {1..300}; do # until all ten are offered
    [ "$(grep -c '"serving": true' "$work/status" 2>/dev/null)" != 10 ] || break
    sleep 0.2
done

watch() { IPC_DIR=$(place watcher) samples/Sysmon/Client/$managed/Sysmon.Client --name "$(IFS=,; echo "${names[*]}")" many "$1"; }
watch 2 || { echo "not all ten came:"; tail -n 3 "$work"/*.log; exit 1; }
kill -9 "$(cat "$work/daemon-3")"
wait "$(cat "$work/daemon-3")" 2>/dev/null
watch 2
daemon 3
sleep 2
watch $((seconds > 5 ? seconds - 4 : 2))
