#!/usr/bin/env bash
# usage: samples/Telemetry/run.sh [Debug|Release]
#
# Runs a server and a client in two processes; the trace of the client has to go on in the server, and both have to count the calls.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
. eng/programs.sh
program=samples/Telemetry/bin/${1:-Release}/net10.0/Telemetry.dll
[ -f "$program" ] || { echo "$program is not built"; exit 2; }
bad=0
complain() { echo "$*"; bad=1; }

serve dotnet "$program" server telemetry || exit 1
timeout --kill-after=5 60 dotnet "$program" client telemetry >"$work/client" 3>&- || complain "the client failed: exit code $?"
serve_end || complain "the server failed: exit code $?"

trace=$(sed -n 's/^trace //p' "$work/client")
[ ${#trace} = 32 ] || complain "the client has no trace"
root=$(sed -nE "s/^span Internal ask for prices trace=$trace span=([0-9a-f]+) .*/\1/p" "$work/client")
for method in Get Watch; do
    call=$(sed -nE "s,^span Client quotes.v1/$method trace=$trace span=([0-9a-f]+) parent=$root status=0\$,\1,p" "$work/client")
    [ -n "$call" ] || complain "the call of $method is not a span under the client's own"
    grep -qE "^span Server quotes.v1/$method trace=$trace span=[0-9a-f]+ parent=$call status=0\$" "$work/server" ||
        complain "what the server did for $method is not in the same trace, under the call"
    for side in client server; do
        grep -qE "^metric rpc\.$side\.duration \[ms\] count=1 .*rpc\.method=$method( |\$)" "$work/$side" || complain "the $side has not counted $method"
    done
done
grep -qE '^metric ipc\.rpc\.io \[By\] [1-9][0-9]* ' "$work/server" || complain "the server has not counted bytes"
if [ $bad != 0 ]; then
    sed 's/^/  client: /' "$work/client"
    sed 's/^/  server: /' "$work/server" "$work/server.errors"
else
    echo "trace $trace in both processes"
fi
exit $bad
