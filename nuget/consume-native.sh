#!/usr/bin/env bash
# usage: nuget/consume-native.sh [BUILD]     BUILD is build/native when none is named
#
# Installs the C library of that build, moves what was installed elsewhere, and lets fresh projects outside the repository
# find it there: consumers/README.md. Each talks to a program of the build.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"
build=$(cd "${1:-$top/build/native}" && pwd) || exit 2
consumers=$top/nuget/consumers
work=$(mktemp -d)
IPC_DIR=$(mktemp -d /dev/shm/ipc-consume-XXXXXX)
export IPC_DIR
trap 'rm -rf "$work" "$IPC_DIR"' EXIT
trap 'exit 143' TERM INT

installed() {
    cmake --install "$build" --prefix "$work/first" && mv "$work/first" "$work/moved" &&
        ! grep -rIl -e "$work" -e "$top" "$work/moved" # nothing in it knows where it was
}

consume() { # NAME PEER...
    local name=$1 log=$work/$1.log code=0
    shift
    cp -R "$consumers/$name" "$work/$name" && cp "$consumers/serve.sh" "$work/$name" || return
    if [ -f "$work/$name/quotes.proto" ] && ! cmp "$work/$name/quotes.proto" "$top/samples/QuickStart/Contract/quotes.proto"; then
        return 1
    fi
    # Nothing of this build's environment helps: only the prefix that is named.
    env -u PKG_CONFIG_PATH -u CMAKE_PREFIX_PATH -u LD_LIBRARY_PATH timeout --kill-after=5 600 \
        "$work/$name/run.sh" "$work/moved" "$@" >"$log" 2>&1 || code=$?
    [ $code = 0 ] || { sed 's/^/  /' "$log"; return 1; }
    tail -n 1 "$log" | sed 's/^/  /'
}

all=0 good=0
one() { # NAME PEER...
    all=$((all + 1))
    if consume "$@"; then
        say "$1: ok"
        good=$((good + 1))
    else
        say "$1: FAILED"
    fi
}

installed >"$work/install.log" 2>&1 || { cat "$work/install.log"; say "the library cannot be installed"; exit 1; }
one c-pkgconfig "$build/tests/native/peer"
one cpp-pkgconfig "$build/samples/QuickStart/cpp/quickstart_server"
one cpp-cmake "$build/samples/QuickStart/cpp/quickstart_server"
say "consumers ok: $good of $all"
[ $good = $all ]
