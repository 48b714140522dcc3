#!/usr/bin/env bash
# usage: run.sh PREFIX PEER...     PEER... is the server of samples/QuickStart; quotes.proto is its contract
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")"
prefix=$1
shift
. ./serve.sh
cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
cmake --build build

# Of a project that wants another minor version, before 1.0, the library is not found.
mkdir other
cat >other/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(other LANGUAGES NONE)
find_package(ipc 0.2 CONFIG QUIET)
if(ipc_FOUND OR NOT ipc_CONSIDERED_VERSIONS MATCHES "^0\\.1\\.")
    message(FATAL_ERROR "wanted ipc 0.2, found '${ipc_VERSION}', saw '${ipc_CONSIDERED_VERSIONS}'")
endif()
END
cmake -S other -B other/build -DCMAKE_PREFIX_PATH="$prefix"

! ldd build/archived | grep -q libipc || { echo "archived wants a shared libipc"; exit 1; }

serve "$@"
timeout 30 build/client
serve_end
timeout 30 build/archived
