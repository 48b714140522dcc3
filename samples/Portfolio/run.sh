#!/usr/bin/env bash
# usage: samples/Portfolio/run.sh    every shape of a call between two C# processes. After eng/build.sh.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
program=samples/Portfolio/Program/bin/Release/net10.0/Portfolio
IPC_DIR=$(mktemp -d "${IPC_DIR:-$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)}/sample.XXXXXX")
export IPC_DIR
mkfifo "$IPC_DIR/until"
$program serve portfolio <"$IPC_DIR/until" &
server=$!
exec 9>"$IPC_DIR/until" # the server reads until this is closed
trap 'exec 9>&-; wait $server; rm -rf "$IPC_DIR"' EXIT
$program use portfolio
