#!/usr/bin/env bash
# usage: run.sh PREFIX PEER...     PEER... listen NAME  is the echo server of the tests, in C or in C#
#
# Builds echo.c with the shared library and with the archive, and lets both talk to the peer.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")"
prefix=$1
shift
. ./serve.sh
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name ipc.pc)")
export PKG_CONFIG_PATH
flags="-std=c11 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags ipc)"
libdir=$(cd "$(pkg-config --variable=libdir ipc)" && pwd -P)
# shellcheck disable=SC2046,SC2086 # lists of words
"${CC:-cc}" $flags echo.c $(pkg-config --libs ipc) -Wl,-rpath,"$libdir" -o echo_shared
# shellcheck disable=SC2046,SC2086
"${CC:-cc}" $flags echo.c "$(pkg-config --variable=archive ipc)" -pthread -o echo_static
ldd echo_shared | grep -qF " $libdir/libipc.so." || { echo "echo_shared runs with another libipc"; exit 1; }
! ldd echo_static | grep -q libipc || { echo "echo_static wants a shared libipc"; exit 1; }

serve "$@" listen consumer
timeout 30 ./echo_shared consumer
timeout 30 ./echo_static consumer
serve_end
