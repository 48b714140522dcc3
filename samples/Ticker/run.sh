#!/usr/bin/env bash
# usage: samples/Ticker/run.sh [PRICES]    one writer of prices, and readers of every temper: fast ones that get all, slow ones that the
# writer does not wait for. WRITER=cs or cpp (default), readers in both languages. After eng/build.sh.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. eng/programs.sh
prices=${1:-200000}
csharp=samples/Ticker/CSharp/bin/Release/net10.0/Ticker
cpp=build/native/samples/Ticker/cpp/ticker
$cpp read prices reliable &    readers=($!)
$csharp read prices reliable & readers+=($!)
$cpp read prices lossy 20 &    readers+=($!)
$csharp read prices latest 20 & readers+=($!)
if [ "${WRITER:-cpp}" = cs ]; then writer=$csharp; else writer=$cpp; fi
$writer write prices "$prices" ${#readers[@]} # waits for them: who comes later sees only what is written later
code=$?
for reader in "${readers[@]}"; do wait "$reader" || code=1; done
exit $code
