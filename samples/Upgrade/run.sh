#!/usr/bin/env bash
# usage: samples/Upgrade/run.sh [VERSIONS]    a service goes through so many versions (default: 8), in C# and in C++ in turn, while a client of each language calls it without a pause.
# Nobody stops it for that: each version takes the name from the one before, which ends by itself. The exit code is 0 when no call failed. After eng/build.sh.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. eng/programs.sh
versions=${1:-8}
csharp=samples/Upgrade/CSharp/bin/Release/net10.0/Upgrade
cpp=build/native/samples/Upgrade/cpp/upgrade

await() { # FILE LINE: at most a minute
    for _ in {1..6000}; do
        ! grep -qxF "$2" "$1" || return 0
        sleep 0.01
    done
    echo "nobody says \"$2\":"
    sed 's/^/  /' "$1"
    return 1
}

former= code=0
for ((version = 1; version <= versions; version++)); do
    if [ $((version % 2)) = 1 ]; then program=$csharp language=C#; else program=$cpp language=C++; fi
    $program serve squares $version >"$work/server$version" 2>&1 &
    server=$!
    await "$work/server$version" "version $version, in $language, serves" || exit 1
    if [ $version = 1 ]; then
        $csharp ask squares "$versions" >"$work/client1" 2>&1 & clients=($!)
        $cpp ask squares "$versions" >"$work/client2" 2>&1 & clients+=($!)
    else
        wait "$former" || { code=1; echo "version $((version - 1)) has failed:"; }
        cat "$work/server$((version - 1))"
    fi
    former=$server
    for client in 1 2; do await "$work/client$client" "version $version answers" || exit 1; done
done

for client in "${clients[@]}"; do wait "$client" || code=1; done
tail -qn 1 "$work"/client?
exit $code
