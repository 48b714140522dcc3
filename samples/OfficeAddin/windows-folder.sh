#!/usr/bin/env bash
# usage: samples/OfficeAddin/windows-folder.sh FOLDER [--built]      makes FOLDER the add-in for 64-bit Excel: open the ipc.xll in it
#
# The folder is complete but for .NET, which is to be installed, or to lie in its folder `dotnet`. Needs mingw-w64.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../../eng/common.sh"
. "$here/../../eng/setup.sh"
case ${1:-} in
    "" | -*) warn "usage: samples/OfficeAddin/windows-folder.sh FOLDER [--built]"; exit 2 ;;
esac
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$top"
if [ "${2:-}" != --built ]; then
    require windows
    cmake --preset windows >/dev/null
    dotnet build "$here/Xll" -c Release -m:1 -nodeReuse:false -v:quiet -tl:off
fi
cmake --build build/windows --target sheet_xll >/dev/null
cp build/windows/samples/OfficeAddin/Xll/Loader/ipc.xll "$here"/Xll/bin/Release/net10.0/*.dll "$here"/Xll/bin/Release/net10.0/*.json "$folder"
say "$folder/ipc.xll"
