#!/usr/bin/env bash
# usage: ./demo.sh [arguments of samples/Sysmon/run-demo.sh]
#
# Builds everything and runs the system monitor: a C++ daemon and a C# client, then each in the other language.
# The exit code is the verdict; works with and without a terminal.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/eng/common.sh"
. "$top/eng/setup.sh"
cd "$top" || exit 1
demo=samples/Sysmon/run-demo.sh

say "Building (the first time takes a few minutes)"
require build && eng/build.sh Release || { say "demo: FAILED (build)"; exit 1; }
if [ ! -x $demo ]; then
    say "demo: FAILED ($demo is missing)"
    exit 1
fi
code=0
$demo "$@" || code=$?
if [ $code = 0 ]; then say "demo: OK"; else say "demo: FAILED (exit code $code)"; fi
exit $code
