#!/usr/bin/env bash
# usage: samples/Sysmon/run-demo.sh        what ./demo.sh runs after the build; about 20 seconds
#
# A C++ daemon and a C# client: tables, a stream, round trips beside a Unix socket; then the daemon is killed with -9 and started
# again under the client's eyes; then every pair of languages in one line. At the end nothing may be left in shared memory.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
native=$here/../../build/native/samples/Sysmon/cpp
managed=bin/${SYSMON_CONFIGURATION:-Release}/net10.0
cpp_daemon=$native/sysmon_daemon cpp_client=$native/sysmon_client
cs_daemon=$here/Daemon/$managed/Sysmon.Daemon cs_client=$here/Client/$managed/Sysmon.Client
for program in "$cpp_daemon" "$cpp_client" "$cs_daemon" "$cs_client"; do
    [ -x "$program" ] || { echo "not built: $program" >&2; exit 1; }
done

. "$here/../../eng/programs.sh"
socket=$work/socket
failures=0
daemon= supervisor=
# The supervisor first: it would start a daemon anew.
trap 'left=$(cat "$work/daemon" 2>/dev/null); _end_programs; [ -z "$left" ] || kill -KILL "$left" 2>/dev/null' EXIT

title() {
    if [ -t 1 ]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n== %s\n' "$*"; fi
}

failed() {
    echo "   FAILED: $*"
    failures=$((failures + 1))
}

# Runs a daemon, and once more if it was killed with -9. Its process id stands in $work/daemon. Exits with its exit code.
supervise() { # PROGRAM
    local code output
    trap 'exit 0' TERM
    for output in "$work/ready" /dev/null; do # whoever waits for the second one is a client
        rm -f "$socket"
        "$1" --name sysmon --socket "$socket" >"$output" 2>"$work/daemon.log" &
        echo $! >"$work/daemon"
        code=0
        wait $! || code=$?
        [ $code = 137 ] || break
    done 2>/dev/null
    rm -f "$work/daemon"
    exit $code
}

start_daemon() { # PROGRAM
    local line=
    supervise "$1" &
    supervisor=$!
    read -r -t 60 line <&3 || true
    if [ "$line" != ready ]; then
        failed "the daemon did not start"
        sed 's/^/   | /' "$work/daemon.log" 2>/dev/null
        return 1
    fi
    daemon=$(cat "$work/daemon")
}

stop_daemon() {
    local code=0
    [ ! -s "$work/daemon" ] || kill -TERM "$(cat "$work/daemon")" 2>/dev/null
    wait "$supervisor" || code=$?
    supervisor=
    [ $code = 0 ] || failed "the daemon ended with exit code $code: $(tail -n 3 "$work/daemon.log" 2>/dev/null)"
}

run() { # PROGRAM ARGUMENTS...
    local code=0
    timeout --foreground --kill-after=5 60 "$@" || code=$?
    [ $code = 0 ] || failed "$(basename "$1") ended with exit code $code"
}

mkfifo "$work/ready" || exit 1
exec 3<>"$work/ready" # open at both ends: nobody waits for the other

title "A C++ daemon serves this machine's data to a C# client"
if start_daemon "$cpp_daemon"; then
    run "$cs_client" --socket "$socket" --kill "$daemon" tour
    stop_daemon
fi

title "Every pair: the same contract, the same bytes"
for server in "C++" "C#"; do
    if [ "$server" = "C++" ]; then start_daemon "$cpp_daemon"; else start_daemon "$cs_daemon"; fi || continue
    for client in "C#" "C++"; do
        printf '   %-3s client, %-3s daemon: ' "$client" "$server"
        if [ "$client" = "C++" ]; then program=$cpp_client; else program=$cs_client; fi
        run "$program" --socket "$socket" pair
    done
    stop_daemon
done

title "Afterwards"
left=$(find "$IPC_DIR" -mindepth 1)
if [ -n "$left" ]; then
    failed "left in shared memory: $left"
else
    echo "   nothing is left in the shared-memory directory"
fi
if [ $failures = 0 ]; then
    title "Result: everything above worked"
else
    title "Result: $failures failed"
fi
[ $failures = 0 ]
