#!/usr/bin/env bash
# usage: testing.sh COMMAND...    the commands of docs/guide/testing.md, around a test run
set -eu
# snippet: directory
IPC_DIR=$(mktemp -d /dev/shm/test.XXXXXX)
export IPC_DIR
"$@" # dotnet test, ctest, ...
ls -A "$IPC_DIR" # nothing
rmdir "$IPC_DIR"
# end-snippet
