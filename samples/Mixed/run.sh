#!/usr/bin/env bash
# usage: samples/Mixed/run.sh [PRICES]    two C++ writers on one topic, two C# readers: both see everything from both, in each writer's
# order. The programs are those of samples/Ticker. After eng/build.sh.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. eng/programs.sh
prices=${1:-200000}
csharp=samples/Ticker/CSharp/bin/Release/net10.0/Ticker
cpp=build/native/samples/Ticker/cpp/ticker
$csharp read mixed reliable 0 2 & readers=($!)
$csharp read mixed reliable 0 2 & readers+=($!)
$cpp write mixed "$prices" 2 & writers=($!)
$cpp write mixed "$prices" 2 & writers+=($!)
code=0
for process in "${writers[@]}" "${readers[@]}"; do wait "$process" || code=1; done
exit $code
