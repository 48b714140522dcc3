#!/usr/bin/env bash
# usage: eng/check-samples.sh
#
# Runs the samples of queue and topic as their READMEs say, in every pairing of languages: nothing may be lost, nothing repeated
# unmarked, nothing out of order. They judge themselves: their exit codes are the result.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
bad=0
sample() { # NAME COMMAND...
    local name=$1 output code=0
    shift
    output=$(timeout --kill-after=5 300 env "$@" 2>&1) || code=$?
    printf '%s: %s\n%s\n' "$name" "$([ $code = 0 ] && echo ok || echo "exit code $code")" "$output" | sed '2,$s/^/  /'
    [ $code = 0 ] || bad=1
}
sample "work queue, submitter in C#" SUBMIT=cs samples/WorkQueue/run.sh "$PWD/src"
sample "work queue, submitter in C++" SUBMIT=cpp samples/WorkQueue/run.sh "$PWD/src"
sample "ticker, writer in C++" WRITER=cpp samples/Ticker/run.sh 50000
sample "ticker, writer in C#" WRITER=cs samples/Ticker/run.sh 50000
sample "mixed" samples/Mixed/run.sh 50000
sample "portfolio" samples/Portfolio/run.sh
sample "telemetry" samples/Telemetry/run.sh
exit $bad
