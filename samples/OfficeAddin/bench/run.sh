#!/usr/bin/env bash
# usage: samples/OfficeAddin/bench/run.sh [ROWS [SECONDS]]     cells per second, of both daemons
#
# After eng/build.sh. A table of ROWS x 10 numbers (1000), SECONDS for each way of asking (3).
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
rows=${1:-1000} seconds=${2:-3}
. eng/programs.sh

bench=samples/OfficeAddin/bench/bin/Release/net10.0/OfficeAddin.Bench
cs_daemon=samples/OfficeAddin/Daemon/bin/Release/net10.0/OfficeAddin.Daemon
cpp_daemon=build/native/samples/OfficeAddin/cpp/officeaddin_daemon
for program in $bench $cs_daemon $cpp_daemon; do
    [ -x $program ] || { echo "not built (eng/build.sh): $program" >&2; exit 1; }
done

awk -v rows="$rows" 'BEGIN {
    printf "id"; for (f = 0; f < 10; f++) printf ",f%d", f; print ""
    for (r = 0; r < rows; r++) { printf "r%d", r; for (f = 0; f < 10; f++) printf ",%.1f", r * 10 + f + 0.5; print "" }
}' >"$work/table.csv"

measure() { # TITLE COMMAND...
    local title=$1 name=sheet daemon
    shift
    mkfifo "$work/said"
    "$@" --name $name --csv "$work/table.csv" --socket "$work/socket" >"$work/said" &
    daemon=$!
    read -r _ <"$work/said" # it is ready, or it has ended
    rm "$work/said"
    echo "== $title"
    $bench $name "$work/socket" "$rows" "$seconds"
    kill -TERM "$daemon"
    wait "$daemon"
}

measure "C++ daemon" $cpp_daemon
measure "C# daemon" $cs_daemon
