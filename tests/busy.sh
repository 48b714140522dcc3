#!/usr/bin/env bash
# usage: tests/busy.sh [--loops N] [--times M] [-- COMMAND...]      runs a command beside N busy loops (by default one for each processor), M times (by default once)
#
# Without a command: a smoke of both languages' calls, half a minute. What waits for its peer by spinning, or asserts that something is quick, shows here: a machine that does
# other work is the usual one. The loops end with the script, however it ends. The exit code is that of the first run that fails. Build first: eng/build.sh.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"

loops=$(nproc) times=1
while [ $# -gt 0 ]; do
    case $1 in
        --loops) loops=${2:?}; shift ;;
        --times) times=${2:?}; shift ;;
        --) shift; break ;;
        *) sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; [ "$1" = --help ]; exit ;;
    esac
    shift
done

smoke() {
    local configuration=Release
    [ -d "$top/tests/Ipc.Rpc.Tests/bin/Release/net10.0" ] || configuration=Debug
    local rpc=$top/tests/Ipc.Rpc.Tests/bin/$configuration/net10.0/Ipc.Rpc.Tests.dll native=${IPC_NATIVE_BUILD:-$top/build/native}
    [ -f "$rpc" ] && [ -x "$native/tests/native/rpc_test" ] || { warn "build first: eng/build.sh"; return 1; }
    dotnet "$rpc" -noLogo -noColor -class '*.CallTests' -class '*.StreamTests' -class '*.WakeTests' || return
    ctest --test-dir "$native" --no-tests=error --output-on-failure -R '^(native\.connection_test|rpc_calls_test)\.'
}

burning=()
for ((i = 0; i < loops; i++)); do
    (trap - INT TERM; while :; do :; done) </dev/null >/dev/null 2>&1 &
    burning+=($!)
done
stop_loops() { [ ${#burning[@]} = 0 ] || kill "${burning[@]}" 2>/dev/null; }
trap stop_loops EXIT
trap 'stop_loops; exit 130' INT
trap 'stop_loops; exit 143' TERM

for ((i = 1; i <= times; i++)); do
    [ "$times" = 1 ] || say "run $i of $times beside $loops busy loops"
    if [ $# = 0 ]; then smoke; else "$@"; fi || { code=$?; warn "run $i of $times failed beside $loops busy loops"; exit $code; }
done
