#!/usr/bin/env bash
# usage: eng/build.sh [Debug|Release]     builds everything: C and C++ into build/native, C# through Ipc.sln.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$top/eng/setup.sh"
configuration=${1:-Release}
case $configuration in Debug | Release) ;; *) warn "usage: eng/build.sh [Debug|Release]"; exit 2 ;; esac
require build || exit 1

cd "$top" || exit 1
run_logged "building C and C++" "$logs/build-native.log" 1200 bash -c 'cmake --preset native -DCMAKE_BUILD_TYPE="$0" && cmake --build build/native -j 2' "$configuration" ||
    { show_failure "building C and C++" "$logs/build-native.log"; exit 1; }
# One compiler for all the projects, whatever the environment says, instead of one for each: half the time (110 s instead of 220). It ends with
# the build: nobody should wait for a process that was left running.
# Without profiles of what they run, which would pay in an hour, compilers take a quarter of processor time less.
code=0
run_logged "building C#" "$logs/build-dotnet.log" 1800 \
    env DOTNET_TieredPGO=0 dotnet build Ipc.sln -c "$configuration" -m:2 -nodeReuse:false -p:UseSharedCompilation=true -v:minimal -tl:off || code=$?
dotnet build-server shutdown --vbcscompiler >>"$logs/build-dotnet.log" 2>&1 || warn "the compiler of the build did not end: it will, when it has been idle for a while"
[ $code = 0 ] || { show_failure "building C#" "$logs/build-dotnet.log"; exit 1; }
