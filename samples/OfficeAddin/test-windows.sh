#!/usr/bin/env bash
# usage: samples/OfficeAddin/test-windows.sh [--built]
#
# The add-in for 64-bit Excel, under wine: ipc.xll starts .NET within a stand-in for Excel, which calls its functions from several threads against the
# C# daemon, kills and replaces that, lets it hang, and compares every cell. Then without .NET, which has to be said. About a minute after the build.
# --built: everything is built, and wine runs in the prefix of the caller (eng/windows.sh). The last line is "cells compared N, wrong M".
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../../eng/common.sh"
. "$here/../../eng/setup.sh"
. "$top/eng/windows/wine.sh"
. "$here/parts.sh"
cd "$top" || exit 1
runtime=$top/build/windows-dotnet
addin=$top/build/windows-addin
stand_in=$top/build/windows/samples/OfficeAddin/StandIn/sheet_stand_in.exe
daemon=$here/Daemon/bin/Release/net10.0/OfficeAddin.Daemon.dll
table=$here/Workbook/instruments.csv

if [ "${1:-}" != --built ]; then
    require windows || exit 1
    cmake --preset windows >"$logs/windows-addin.log" && cmake --build build/windows --target sheet_stand_in sheet_xll >>"$logs/windows-addin.log" || exit 1
    for project in "$here/Xll" "$here/Daemon"; do
        dotnet build "$project" -c Release -m:1 -nodeReuse:false -v:quiet -tl:off || exit 1
    done
    eng/windows/runtime.sh "$runtime" || exit 1
    wine_begin && wine_start >/dev/null 2>&1 || exit 1
fi
# Daemons are killed here: what they leave is not what a test of the library has left.
folder=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)/ipc-test.addin.XXXXXX") || exit 1
trap 'rm -rf "$folder"; [ -z "${regions:-}" ] || wine_end' EXIT
IPC_DIR=$(windows_path "$folder")
export IPC_DIR
rm -rf "$addin" "$addin-copy"
"$here/windows-folder.sh" "$addin" --built >/dev/null && cp -r "$addin" "$addin-copy" || exit 1

# What a busy machine takes is no finding: values are compared here, not times.
export IPC_SHEET_DEADLINE_MS=5000

cs="\"$(windows_path "$runtime/dotnet.exe")\" \"$(windows_path "$daemon")\" --name sheet --csv \"$(windows_path "$table")\""
xll=$(windows_path "$addin/ipc.xll")
DOTNET_ROOT=$(windows_path "$runtime")
export DOTNET_ROOT
part "stand-in for Excel, several threads" wine "$stand_in" "$xll" sheet "$(windows_path "$table")" "C#=$cs" "C#=$cs"
part "stand-in for Excel, functions that wait, 1904" env IPC_SHEET_LATER=0 IPC_SHEET_DATES=1904 wine "$stand_in" "$xll" sheet "$(windows_path "$table")" "C#=$cs" "C#=$cs"
part "stand-in for Excel, live values" wine "$stand_in" "$xll" sheet "$(windows_path "$table")" "C#=$cs" "C#=$cs" live "$(windows_path "$addin-copy/ipc.xll")"
part "stand-in for Excel, live values, not volatile" env IPC_SHEET_VOLATILE=0 wine "$stand_in" "$xll" sheet "$(windows_path "$table")" "C#=$cs" "C#=$cs" live
# A deadline of a minute: what ends before it was ended.
part "stand-in for Excel, break in mid-call" env IPC_SHEET_LATER=0 IPC_SHEET_DEADLINE_MS=60000 wine "$stand_in" "$xll" sheet "$(windows_path "$table")" "C#=$cs" "C#=$cs" break
part "stand-in for Excel, close in mid-call" env IPC_SHEET_DEADLINE_MS=60000 wine "$stand_in" "$xll" sheet "$(windows_path "$table")" "C#=$cs" "C#=$cs" close
# With the deadline that users have: a daemon that does not answer must not freeze the sheet. And with a .NET of another version where it is looked for first.
other=$folder/another
mkdir -p "$other/host" && cp -r "$runtime/host/fxr" "$other/host/"
part "stand-in for Excel, a daemon that hangs" env -u IPC_SHEET_DEADLINE_MS DOTNET_ROOT_X64="$(windows_path "$other")" wine "$stand_in" "$xll" sheet "$(windows_path "$table")" "C#=$cs" "C#=$cs" hang
part "stand-in for Excel, no .NET" env -u DOTNET_ROOT wine "$stand_in" "$xll" sheet "$(windows_path "$table")" "C#=$cs" "C#=$cs" broken
mkdir -p "$addin/dotnet" && ln -s "$runtime"/* "$addin/dotnet/"
part "stand-in for Excel, .NET beside the add-in" env -u DOTNET_ROOT wine "$stand_in" "$xll" sheet "$(windows_path "$table")" "C#=$cs" "C#=$cs" hang
say "cells compared $compared, wrong $wrong"
[ $wrong = 0 ] && [ $compared -gt 0 ]
