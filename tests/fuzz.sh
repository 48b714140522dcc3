#!/usr/bin/env bash
# usage: tests/fuzz.sh [--long | --seconds N] [FUZZER ...]     runs the C++ fuzzers over what the RPC of C++ reads
#
#   (none)        6 seconds of each
#   --long        10 minutes of each
#   fuzz_codec    messages, heads, error bodies, frame headers
#   fuzz_server   frames of a client, into a real server
#   fuzz_client   frames of a server, into a real client
#
# Guided by coverage (libFuzzer), with AddressSanitizer and UBSan; tests/native/fuzz/corpus has what they begin with. What fails is kept
# in build/fuzz: `build/asan/tests/native/FUZZER FILE` plays it again. Build first: cmake --preset asan && cmake --build build/asan.
# The C# side has its own, by mutation: FrameFuzzTests, MutationTests, HostileBytesTests.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
seconds=6 fuzzers=()
while [ $# -gt 0 ]; do
    case $1 in
        --long) seconds=600 ;;
        --seconds) seconds=${2:?} && shift ;;
        fuzz_*) fuzzers+=("$1") ;;
        *) sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; [ "$1" = --help ]; exit ;;
    esac
    shift
done
[ ${#fuzzers[@]} != 0 ] || fuzzers=(fuzz_codec fuzz_server fuzz_client)

work=$(mktemp -d "${IPC_DIR:-/dev/shm}/ipc-fuzz.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/regions" "$top/build/fuzz"
chmod 700 "$work/regions"
failed=0
for fuzzer in "${fuzzers[@]}"; do
    program=$top/build/asan/tests/native/$fuzzer
    if [ ! -x "$program" ]; then
        echo "$program is not built: cmake --preset asan && cmake --build build/asan" >&2
        exit 2
    fi
    mkdir -p "$work/$fuzzer"
    log=$top/build/fuzz/$fuzzer.log
    if IPC_DIR=$work/regions timeout $((seconds + 120)) "$program" -seed=1 -max_total_time="$seconds" -max_len=1500 -timeout=30 \
        -rss_limit_mb=3000 -print_final_stats=1 -artifact_prefix="$top/build/fuzz/$fuzzer-" \
        "$work/$fuzzer" "$top/tests/native/fuzz/corpus/$fuzzer" >"$log" 2>&1; then
        echo "$fuzzer: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, $(grep -o 'cov: [0-9]*' "$log" | tail -1)"
    else
        failed=1
        echo "$fuzzer FAILED:"
        tail -n 60 "$log"
    fi
done
[ -z "$(ls -A "$work/regions")" ] || { echo "left behind: $(ls "$work/regions")"; failed=1; }
exit $failed
