#!/usr/bin/env bash
# usage: samples/Portfolio/run.sh    every shape of a call between two C# processes. After eng/build.sh.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. eng/programs.sh
program=samples/Portfolio/Program/bin/Release/net10.0/Portfolio
serve $program serve portfolio || exit 1
code=0
$program use portfolio 3>&- || code=$?
serve_end || { echo "the server ended with exit code $?"; code=1; }
cat "$work/server" "$work/server.errors"
exit $code
