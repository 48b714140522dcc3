#!/usr/bin/env bash
# usage: tests/promises.sh [--list] [--results FOLDER] [NUMBER ...]      needs what eng/build.sh has built
#
# Checks each promise that was once broken, and ends with `N held, M broken`. tests/promises/NN-words.txt is promise NN: its first line, after `#`, says what is
# promised; each other line is a test that must run and pass:
#   cs PROJECT METHOD     the test METHOD of tests/PROJECT (a name, `*` for any text)
#   c NAME                the CTest test NAME (a regular expression for a whole name) of the native build
#   run COMMAND           a command, from the top of the repository
# --results: nothing runs that FOLDER has the results of, which is how test.sh runs no test twice. eng/Ipc.Build does it, and says more.
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"
. "$top/eng/setup.sh"
require build || exit 2
exec dotnet "$top/eng/Ipc.Build/bin/Release/net10.0/Ipc.Build.dll" promises "$@"
