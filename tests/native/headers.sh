#!/usr/bin/env bash
# usage: tests/native/headers.sh [BUILD]     BUILD is build/native when none is named: where tests.pb.h is, and results are kept
#
# What a stranger's compiler says about the headers, with warnings as errors:
#   alone      every header as the first and only thing of a file: each includes what it uses
#   dialects   a program that uses all of them (plain_test.cpp), with gcc and clang, as C++17, 20 and 23, with exceptions and
#              type information and without
# A result that was good stays so until a header, a compiler or this file changes: then nothing is compiled.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${1:-$here/../../build/native}
include=$(cd "$here/../../src/Ipc.Native/include" && pwd)
generated=$build/tests/native/rpc_tests_proto
work=$build/tests/native/headers
[ -f "$generated/tests.pb.h" ] || { echo "build first: $generated/tests.pb.h is not there"; exit 1; }
mkdir -p "$work"
export include generated work here
export warnings="-fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"

compilers() {
    local each
    for each in gcc clang; do command -v $each >/dev/null && echo $each; done
}

version() { # of everything that the result depends on
    (cd "$include" && find . -name '*.h' -o -name '*.hpp' | sort | xargs sha256sum)
    sha256sum "${BASH_SOURCE[0]}" "$here/rpc/plain_test.cpp" "$generated/tests.pb.h"
    for each in $(compilers); do $each --version | head -n 1; done
}

compile() { # COMPILER DIALECT OPTIONS FILE...
    local compiler=$1 dialect=$2 options=$3 file code=0
    shift 3
    for file in "$@"; do
        local source=$file language=c++
        case $dialect in c++*) ;; *) language=c ;; esac
        if [[ $file != *.cpp ]]; then
            source=$work/${file//\//_}.$BASHPID
            printf '#include "%s"\n' "$file" >"$source"
        fi
        # shellcheck disable=SC2086 # lists of options
        $compiler -x $language -std=$dialect $warnings $options -I"$include" -isystem "$generated" "$source" >"$source.log" 2>&1 ||
            { echo "$compiler -std=$dialect $options: $file"; head -n 20 "$source.log"; code=1; }
        [[ $file == *.cpp ]] || rm -f "$source"
        rm -f "$source.log"
    done
    return $code
}
export -f compile

jobs_of_all() { # one job per line: COMPILER|DIALECT|OPTIONS|FILE...
    local header each dialect
    (cd "$include" && find . -name '*.hpp' -printf '%P\n' | sort) | while IFS= read -r header; do echo "gcc|c++17||$header"; done
    for each in $(compilers); do
        for dialect in c99 c17 c++17; do
            echo "$each|$dialect||ipc.h $(cd "$include" && echo ipc/*.h)"
        done
        for dialect in c++20 c++2b; do echo "$each|$dialect||plain.cpp"; done
        for dialect in c++20 c++2b; do echo "$each|$dialect||ipc/coroutines.hpp"; done
        echo "$each|c++20|-fno-exceptions -fno-rtti|ipc/coroutines.hpp"
        echo "$each|c++17|-fno-rtti|plain.cpp"
    done
    # gcc's c++17 with both and without is what the build compiles.
    command -v clang >/dev/null || return 0
    echo "clang|c++17||plain.cpp"
    echo "clang|c++2b|-fno-exceptions -fno-rtti -DIPC_EXPECT_BARE|plain.cpp"
}

job() { # ONE LINE
    local compiler dialect options files
    IFS='|' read -r compiler dialect options files <<<"$1"
    [ "$files" != plain.cpp ] || { files=$work/$compiler-${dialect}${options// /}.cpp; cp "$here/rpc/plain_test.cpp" "$files"; }
    # shellcheck disable=SC2086 # a list of names
    compile "$compiler" "$dialect" "$options" $files
}
export -f job

now=$(version)
if [ -f "$work/good" ] && [ "$(cat "$work/good")" = "$now" ]; then
    echo "unchanged: $(jobs_of_all | wc -l) jobs were good"
    exit 0
fi
rm -f "$work/good"
jobs_of_all | xargs -d '\n' -P 2 -I{} bash -c 'job "$1"' - {} || exit 1
printf '%s\n' "$now" >"$work/good"
echo "$(jobs_of_all | wc -l) jobs good, compilers: $(compilers | paste -sd ' ')"
