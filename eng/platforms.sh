#!/usr/bin/env bash
# usage: eng/platforms.sh [PLATFORM...]   runs the tests of the C library on other kinds of Linux, and those between languages where that says something
#
# PLATFORM: musl, linux32 (also {C#, C} x {C#, C}, where C has 32 bits and C# 64), linux-arm64 (under qemu's emulator). Without any, all of them: about ten
# minutes on two cores. Tools that are missing are installed (eng/setup.sh). Windows has eng/windows.sh. docs/platforms.md says what runs where.
# A line for each platform: NAME: N passed, M failed
set -u
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$top/eng/setup.sh"

case ${1:-} in -*) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; [ "$1" = --help ]; exit ;; esac
platforms=("$@")
[ $# -gt 0 ] || platforms=(musl linux32 linux-arm64)
require test || exit 1
cd "$top" || exit 1

passed=0 failed=0
count() { # REGULAR-EXPRESSION LOG   its first group, a number; 0 if there is none
    local found
    found=$(sed -n "s/$1/\1/p" "$2" | tail -n 1)
    echo "${found:-0}"
}

step() { # TITLE SECONDS COMMAND...
    local log=$logs/platforms-${1// /-}.log
    run_logged "$1" "$log" "${@:2}" && return
    show_failure "$1" "$log"
    failed=$((failed + 1))
    return 1
}

between_languages() { # of which C has 32 bits
    local log=$logs/platforms-interop-linux32.log project=tests/Ipc.Interop.Tests bad code=0
    step "building the tests between languages" 1200 dotnet build $project -c Release -nodeReuse:false -v:minimal -tl:off || return
    IPC_NATIVE_BUILD=$top/build/linux32 run_logged "tests between languages, C with 32 bits" "$log" 1800 \
        dotnet $project/bin/Release/net10.0/Ipc.Interop.Tests.dll -noLogo -noColor || code=$?
    bad=$(count '.*Total: [0-9]*, .*Failed: \([0-9]*\),.*' "$log")
    [ $code = 0 ] || [ "$bad" != 0 ] || bad=1
    failed=$((failed + bad)) passed=$((passed + $(count '.*Total: \([0-9]*\), .*' "$log") - bad))
    [ $code = 0 ] || show_failure "tests between languages" "$log"
}

tell() { # PLATFORM
    local log=$logs/platforms-tests-of-$1.log bad code=0
    passed=0 failed=0
    if step "building $1" 1800 bash -c 'cmake --preset "$0" && cmake --build "build/$0"' "$1"; then
        run_logged "tests of $1" "$log" 3600 ctest --preset "$1" -FA built -E '^build$' || code=$?
        bad=$(count '.*tests passed, \([0-9]*\) tests failed out of [0-9]*.*' "$log")
        [ $code = 0 ] || [ "$bad" != 0 ] || bad=1
        failed=$((failed + bad)) passed=$((passed + $(count '.*tests failed out of \([0-9]*\).*' "$log") - bad))
        [ $code = 0 ] || show_failure "tests of $1" "$log"
        [ "$1" != linux32 ] || between_languages
    fi
    say "$1: $passed passed, $failed failed"
    [ $failed = 0 ] && [ $passed != 0 ]
}

result=0
for platform in "${platforms[@]}"; do
    tell "$platform" || result=1
done
exit $result
