#!/usr/bin/env bash
# usage: bench/run.sh [--quick] [--json FILE] [--only PATTERN]     builds, then measures and prints one table.
#
#   (none)          15 rounds per figure      about 10 minutes after the build
#   --quick         5 shorter rounds          3 to 4 minutes after the build
#   --only PATTERN  e.g. 'ring.*' or '*.cs'; the limits and rivals that these need come too
#   --json FILE     the same rows as a list of objects
#
# Run it on a machine that does nothing else: two busy cores are what is measured. docs/performance.md says how to read it.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"
. "$top/eng/setup.sh"

case " $* " in
    *" --help "* | *" -h "*) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
esac
arguments=()
while [ $# -gt 0 ]; do # the file's name means what it means where the caller stands
    case $1 in
        --json)
            [ -n "${2:-}" ] || { warn "--json wants a file"; exit 2; }
            arguments+=(--json "$(realpath -m "$2")")
            shift
            ;;
        *) arguments+=("$1") ;;
    esac
    shift
done

cd "$top" || exit 1
require build || exit 1
offer libboost-dev:/usr/include/boost/interprocess libzmq3-dev:/usr/include/zmq.h libnng-dev:/usr/include/nng/nng.h

build_native() {
    cmake --preset native -DCMAKE_BUILD_TYPE=Release && cmake --build build/native -j 2 --target bench_limits bench_sockets bench_ring bench_crew bench_cliff bench_rpc bench_rival
}
export -f build_native
run_logged "building C and C++" "$logs/bench-native.log" 1200 bash -c build_native ||
    { show_failure "building C and C++" "$logs/bench-native.log"; exit 1; }
run_logged "building C#" "$logs/bench-dotnet.log" 1200 \
    dotnet build bench/Ipc.Matrix/Ipc.Matrix.csproj -c Release -m:2 -nodeReuse:false -v:minimal -tl:off ||
    { show_failure "building C#" "$logs/bench-dotnet.log"; exit 1; }

matrix=bench/Ipc.Matrix/bin/Release/net10.0/Ipc.Matrix
# Both sides call the same contract: what C++ was built from is what C# generates.
if ! diff -u bench/native/bench.proto <("$matrix" proto) >&2; then
    warn "bench/native/bench.proto is not what bench/Ipc.Matrix/Contract/IBench.cs generates:"
    warn "  $matrix proto >bench/native/bench.proto"
    exit 1
fi

# A region directory of its own: what a failed run leaves behind goes with it.
shared=/dev/shm
[ -w $shared ] || shared=${TMPDIR:-/tmp}
IPC_DIR=$(mktemp -d "$shared/ipc-test.XXXXXX") || exit 1
export IPC_DIR
trap 'rm -rf "$IPC_DIR"' EXIT
"$matrix" --native build/native/bench/native ${arguments[@]+"${arguments[@]}"}
