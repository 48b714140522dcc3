#!/usr/bin/env bash
# usage: nuget/pack.sh [FOLDER]     makes the packages; FOLDER is build/packages when none is named
#
# IPC_NATIVES=FOLDER adds native libraries that other machines have built: FOLDER/RID/native/libipc.so and FOLDER/RID/libipc.a, for RIDs as
# linux-arm64. This machine's are built and added by themselves. IPC_VERSION=0.2.0 makes packages of another version.
#
# It packs what Release builds, and builds what of that is not there yet; another version is built apart (build/nuget), analyzers having had their say in this one.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"
. "$top/eng/setup.sh"
if [ $# -gt 1 ] || [ "${1:-}" = --help ]; then
    sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 2
fi
require build || exit 1
mkdir -p "${1:-$top/build/packages}" && packages=$(cd "${1:-$top/build/packages}" && pwd) || exit 2
cd "$top" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $(uname -m) in
    x86_64) runtime=linux-x64 ;;
    aarch64) runtime=linux-arm64 ;;
    *) warn "no name for the platform $(uname -m)"; exit 1 ;;
esac

step() { # TITLE COMMAND...
    local title=$1 log=$logs/pack-${1// /-}.log
    shift
    run_logged "$title" "$log" 1200 "$@" || { show_failure "$title" "$log"; exit 1; }
}

pack=(env DOTNET_TieredPGO=0 dotnet pack -c Release -p:PackageOutputPath="$work/packages" -m:2 -nodeReuse:false -v:minimal -tl:off)
[ -z "${IPC_VERSION:-}" ] || pack+=(-p:Version="$IPC_VERSION" -p:RunAnalyzers=false --artifacts-path "$top/build/nuget")

step "configuring the C library" cmake --preset native -DCMAKE_BUILD_TYPE=Release
step "building the C library" cmake --build build/native -j 2 --target ipc_shared ipc_static
step "installing the C library" cmake --install build/native --prefix "$work/prefix"
cp "$(find "$work/prefix" -name ipc-config-version.cmake)" "$work/prefix/" || exit 1
mkdir "$work/natives"
[ -z "${IPC_NATIVES:-}" ] || cp -R "$IPC_NATIVES/." "$work/natives" || exit 1
mkdir -p "$work/natives/$runtime/native"
cp -L "$(find "$work/prefix" -name libipc.so)" "$work/natives/$runtime/native/" || exit 1
cp "$(find "$work/prefix" -name libipc.a)" "$work/natives/$runtime/" || exit 1
strip --strip-unneeded "$work/natives/$runtime/native/libipc.so" || exit 1

step "packing" "${pack[@]}" nuget/Packages.slnf -p:IpcNativePrefix="$work/prefix" -p:IpcNatives="$work/natives"

# All or nothing: who finds a package in the folder finds those that it needs, of the same build.
rm -f "$packages"/Ipc.*.nupkg "$packages"/Ipc.*.snupkg
mv "$work/packages"/* "$packages" || exit 1
for package in "$packages"/*.nupkg; do say "  $(basename "$package") $(($(stat -c %s "$package") / 1024)) KiB"; done
say "packages in $packages"
