#!/usr/bin/env bash
# usage: samples/Ticker/run.sh [PRICES]    one writer of prices, and readers of every temper: fast ones that get all, slow ones that the
# writer does not wait for. WRITER=cs or cpp (default), readers in both languages. After eng/build.sh.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
prices=${1:-200000}
csharp=samples/Ticker/CSharp/bin/Release/net10.0/Ticker
cpp=build/native/samples/Ticker/cpp/ticker
IPC_DIR=$(mktemp -d "${IPC_DIR:-$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)}/sample.XXXXXX") # what is killed leaves files
export IPC_DIR
trap 'rm -rf "$IPC_DIR"' EXIT
$cpp read prices reliable &    readers=($!)
$csharp read prices reliable & readers+=($!)
$cpp read prices lossy 20 &    readers+=($!)
$csharp read prices latest 20 & readers+=($!)
sleep 1 # who comes later sees only what is written later
if [ "${WRITER:-cpp}" = cs ]; then $csharp write prices "$prices"; else $cpp write prices "$prices"; fi
code=$?
for reader in "${readers[@]}"; do wait "$reader" || code=1; done
exit $code
