#!/usr/bin/env bash
# usage: bench/run.sh [--quick] [--json FILE] [--docs] [--only PATTERN]     builds, then measures and prints one table.
#
#   (none)          15 rounds per figure      half an hour after the build (an estimate)
#   --quick         5 shorter rounds          a quarter of an hour after the build (an estimate)
#   --only PATTERN  e.g. 'ring.*' or '*.cs'; the limits and rivals that these need come too
#   --json FILE     the same rows as a list of objects
#   --docs          writes the tables of docs/performance.md and README.md from this one run
#
# Run it on a machine that does nothing else: two busy cores are what is measured. It looks before it begins, and a busy machine is in the table's heading.
# docs/performance.md says how to read it.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/begin.sh"
. "$(dirname "${BASH_SOURCE[0]}")/broker.sh"

case " $* " in
    *" --help "* | *" -h "*) sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
esac
arguments=() pattern='*'
while [ $# -gt 0 ]; do # the file's name means what it means where the caller stands
    case $1 in
        --json)
            [ -n "${2:-}" ] || { warn "--json wants a file"; exit 2; }
            arguments+=(--json "$(realpath -m "$2")")
            shift
            ;;
        --only)
            pattern=${2:-}
            arguments+=(--only "$pattern")
            shift
            ;;
        *) arguments+=("$1") ;;
    esac
    shift
done

require build || exit 1
for row in amqp.unary.64 amqp.unary.4k amqp.unary.1m rabbitmq.client.unary.4k rabbitmq.client.unary.1m amqp.queue.64 amqp.fanout.64 gateway.unary.64 rabbitmq.client.unary.64 rabbitmq.client.queue.64 rabbitmq.client.fanout.64; do
    # shellcheck disable=SC2053 # a pattern
    [[ $row != $pattern ]] || wants_broker=yes
done
[ -z "${wants_broker-}" ] || offer_rabbitmq
offer libboost-dev:/usr/include/boost/interprocess libzmq3-dev:/usr/include/zmq.h libnng-dev:/usr/include/nng/nng.h

bench_begin bench/Ipc.Matrix/Ipc.Matrix.csproj bench_limits bench_sockets bench_ring bench_named bench_connect bench_crew bench_cliff bench_rpc bench_rival

matrix=bench/Ipc.Matrix/bin/Release/net10.0/Ipc.Matrix
# Both sides call the same contract: what C++ was built from is what C# generates.
if ! diff -u bench/native/bench.proto <("$matrix" proto) >&2; then
    warn "bench/native/bench.proto is not what bench/Ipc.Matrix/Contract/IBench.cs generates:"
    warn "  $matrix proto >bench/native/bench.proto"
    exit 1
fi

[ -z "${wants_broker-}" ] || broker_start
"$matrix" --native build/native/bench/native ${arguments[@]+"${arguments[@]}"}
result=$?
[ -z "${wants_broker-}" ] || broker_alarms
exit $result
