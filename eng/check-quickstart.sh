#!/usr/bin/env bash
# usage: eng/check-quickstart.sh [Debug|Release]
#
# Runs the README's code: each QuickStart server with each client, {C#, C++} x {C#, C++}, as far as they are built. A
# client prints one price for its call and five for its stream; the server ends when its standard input does.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
. eng/programs.sh
configuration=${1:-Release}

program() { # LANGUAGE ROLE: the command, or nothing when it is not built
    local place
    case $1 in
        cs) place=samples/QuickStart/$2/bin/$configuration/net10.0/QuickStart.$2.dll && [ -f "$place" ] && echo "dotnet $place" ;;
        cpp) place=build/native/samples/QuickStart/cpp/quickstart_${2,,} && [ -x "$place" ] && echo "$place" ;;
    esac
}

pair() { # SERVER-LANGUAGE CLIENT-LANGUAGE
    local serving client prices code=0 ended=0
    serving=$(program "$1" Server)
    client=$(program "$2" Client)
    [ -n "$serving" ] && [ -n "$client" ] || return 0
    pairs=$((pairs + 1))
    # shellcheck disable=SC2086 # a command and its argument
    serve $serving || exit 1
    # shellcheck disable=SC2086
    timeout --kill-after=5 60 $client >"$work/client" 2>&1 3>&- || code=$?
    serve_end || ended=$?
    prices=$(grep -cxE '10[01]([.,][0-9]+)?' "$work/client")
    if [ $code = 0 ] && [ $ended = 0 ] && [ "$prices" = 6 ] && [ "$(wc -l <"$work/client")" = 6 ]; then
        echo "server $1, client $2: ok"
    else
        echo "server $1, client $2: client exit code $code, server exit code $ended, $prices prices of 6"
        sed 's/^/  client: /' "$work/client"
        sed 's/^/  server: /' "$work/server" "$work/server.errors"
        bad=1
    fi
}

bad=0 pairs=0
for server_language in cs cpp; do
    for client_language in cs cpp; do
        pair $server_language $client_language
    done
done
[ $pairs != 0 ] || { echo "none of the QuickStart programs is built"; bad=1; }
exit $bad
