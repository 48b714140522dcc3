#!/usr/bin/env bash
# usage: eng/windows/runtime.sh FOLDER   makes FOLDER a .NET runtime for Windows, with a dotnet.exe that runs what was built here
#
# The folder has what an installed runtime has: host/fxr, shared/Microsoft.NETCore.App, and links to the files of the runtime's package.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
dotnet restore "$here/runtime.csproj" -v:quiet
read -r version packages < <(dotnet msbuild "$here/runtime.csproj" -t:Where -nologo -v:minimal | sed -n 's/^ *runtime: //p')
[ ! -e "$folder/dotnet.exe" ] || [ "$(cat "$folder/version" 2>/dev/null)" != "$version" ] || exit 0

from=${packages%/}/microsoft.netcore.app.runtime.win-x64/$version/runtimes/win-x64
to=$folder/shared/Microsoft.NETCore.App/$version
rm -rf "$folder/shared" "$folder/host"
mkdir -p "$to" "$folder/host/fxr/$version"
ln -s "$from"/lib/net10.0/* "$from"/native/* "$to"
ln -s "$from/native/hostfxr.dll" "$folder/host/fxr/$version"
x86_64-w64-mingw32-gcc-win32 -municode -Os -Wall -Wextra -Werror -static "-DRUNTIME_VERSION=L\"$version\"" -o "$folder/dotnet.exe" "$here/dotnet.c"
echo "$version" >"$folder/version"
