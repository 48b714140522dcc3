#!/usr/bin/env bash
# usage: eng/check-aot.sh [--trimmed]
#
# Publishes samples/NativeAot trimmed and, without --trimmed, to machine code as well, warnings being errors, and runs client and server of each
# form against each other and against the same program as it is built every day. The program judges itself: its exit code is the result.
# About a minute on two cores; machine code is most of it, and needs the package Microsoft.DotNet.ILCompiler of .NET 9.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
. eng/programs.sh
machine_code=yes
case ${1:-} in
    --trimmed) machine_code= ;;
    "") ;;
    *) echo "usage: eng/check-aot.sh [--trimmed]" >&2; exit 2 ;;
esac
runtime=$(uname -m)
case $runtime in
    x86_64) runtime=linux-x64 ;;
    aarch64) runtime=linux-arm64 ;;
    *) echo "nothing is published for $runtime"; exit 2 ;;
esac

publish() { # FRAMEWORK
    rm -rf "samples/NativeAot/bin/Release/$1/$runtime/publish"
    dotnet publish samples/NativeAot -f "$1" -r $runtime -c Release -nodeReuse:false -tl:off -v:quiet || exit 1
}

program() { # FORM: the command
    local folder=samples/NativeAot/bin/Release
    case $1 in
        machine-code) echo "$folder/net9.0/$runtime/publish/NativeAot" ;;
        trimmed) echo "$folder/net10.0/$runtime/publish/NativeAot" ;;
        everyday) echo "dotnet $folder/net10.0/$runtime/NativeAot.dll" ;;
    esac
}

bad=0
pair() { # SERVER CLIENT
    local name=rooms code=0 ended=0
    # shellcheck disable=SC2046 # a command and its argument
    serve $(program "$1") serve $name || exit 1
    # shellcheck disable=SC2046
    timeout --kill-after=5 60 $(program "$2") call $name >"$work/client" 2>&1 3>&- || code=$?
    serve_end || ended=$?
    if [ $code = 0 ] && [ $ended = 0 ] && [ "$(cat "$work/client")" = ok ]; then
        echo "server $1, client $2: ok"
    else
        echo "server $1, client $2: client exit code $code, server exit code $ended"
        sed 's/^/  client: /' "$work/client"
        sed 's/^/  server: /' "$work/server" "$work/server.errors"
        bad=1
    fi
}

publish net10.0
pair trimmed trimmed
pair trimmed everyday
pair everyday trimmed
if [ -n "$machine_code" ]; then
    publish net9.0
    pair machine-code machine-code
    pair machine-code everyday
    pair everyday machine-code
fi
exit $bad
