#!/usr/bin/env bash
# usage: run.sh PREFIX PEER...     PEER... is the server of samples/QuickStart; quotes.proto is its contract
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")"
prefix=$1
shift
. ./serve.sh
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name ipc-rpc.pc)"):${PKG_CONFIG_PATH:-}
export PKG_CONFIG_PATH
protoc --cpp_out=. quotes.proto
# shellcheck disable=SC2046 # lists of words
"${CXX:-c++}" -std=c++17 -c -w $(pkg-config --cflags ipc-rpc) quotes.pb.cc
# shellcheck disable=SC2046
"${CXX:-c++}" -std=c++17 -Wall -Wextra -Werror $(pkg-config --cflags ipc-rpc) client.cpp quotes.pb.o $(pkg-config --libs ipc-rpc) \
    -Wl,-rpath,"$(pkg-config --variable=libdir ipc)" -o client

serve "$@"
timeout 30 ./client
serve_end
