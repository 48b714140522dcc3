#!/usr/bin/env bash
# usage: eng/reference.sh [FOLDER]    writes the reference of the C# libraries, a page for each public type, to FOLDER (build/reference).
#                                     It is made of the docstrings and src/*/PublicAPI.txt. After eng/build.sh.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=tests/Ipc.Docs.Tests/bin/Release/net10.0/Ipc.Docs.Tests.dll
[ -f $program ] || { echo "$program is not built: run eng/build.sh" >&2; exit 2; }
folder=${1:-build/reference}
mkdir -p "$folder"
IPC_REFERENCE=$(cd "$folder" && pwd) dotnet $program -noLogo -noColor -class Ipc.Docs.Tests.ReferenceTests >/dev/null
echo "$(find "$folder" -name '*.md' | wc -l) pages in $folder"
