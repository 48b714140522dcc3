#!/usr/bin/env bash
# usage: eng/windows.sh [--long] [PROGRAM...]   builds for Windows with mingw-w64 and runs the tests of both languages under wine
#
# PROGRAM...: only these C test programs (such as region_test). Tools that are missing are installed (eng/setup.sh). What only a real Windows can show
# stands in docs/platforms.md. The last line is  windows: N passed, M failed
set -u
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$top/eng/setup.sh"

long=
programs=()
while [ $# -gt 0 ]; do
    case $1 in
        --long) long=--long IPC_TEST_LONG=1; export IPC_TEST_LONG ;;
        -*) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; [ "$1" = --help ]; exit ;;
        *) programs+=("$1") ;;
    esac
    shift
done

require windows || exit 1
cd "$top" || exit 1
build=$top/build/windows
export WINEPREFIX=$top/build/wine WINEDEBUG=-all WINEDLLOVERRIDES=mshtml= IPC_NATIVE_BUILD=$build
unset DOTNET_ROOT DISPLAY # of this system: they mislead programs of the other one
passed=0 failed=0

build_windows() { cmake --preset windows && cmake --build build/windows -j 2; }
begin_wine() { mkdir -p "$WINEPREFIX" && wineboot -i && wineserver -w && wineserver -p; }
end_wine() { wineserver -k; }
export -f build_windows begin_wine

run_logged "building for Windows" "$logs/build-windows.log" 1200 bash -c build_windows ||
    { show_failure "building for Windows" "$logs/build-windows.log"; say "windows: 0 passed, 1 failed"; exit 1; }
trap end_wine EXIT
run_logged "starting wine" "$logs/wine.log" 300 bash -c begin_wine ||
    { show_failure "starting wine" "$logs/wine.log"; say "windows: 0 passed, 1 failed"; exit 1; }

# One start of a program for all of its cases: a start takes wine longer than most cases do. After a case that fails, or hangs, the ones behind it are run one by one.
run_program() { # NAME
    local name=$1 log=$logs/windows-$1.log case ended=0
    run_logged "windows: $name" "$log" 300 wine "$build/tests/native/$name.exe"
    sed -i 's/\r$//' "$log"
    for case in $(sed -n 's/^TEST(\([a-z0-9_]*\)).*/\1/p' tests/native/*/"$name.c"); do
        if grep -qx "ok $case" "$log"; then
            passed=$((passed + 1))
            continue
        fi
        if grep -q "^skipped: $case: " "$log"; then
            say "    $(grep "^skipped: $case: " "$log")"
            ended=1
            continue
        fi
        if [ $ended = 0 ]; then # this is the one
            ended=1
            failed=$((failed + 1))
            show_failure "$name $case" "$log" 10
        elif run_logged "windows: $name $case" "$log.$case" 300 wine "$build/tests/native/$name.exe" "$case"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            show_failure "$name $case" "$log.$case" 10
        fi
    done
}

[ ${#programs[@]} != 0 ] || for program in "$build"/tests/native/*_test.exe; do programs+=("$(basename "$program" .exe)"); done
for program in "${programs[@]}"; do run_program "$program"; done

if [ -x eng/windows-cs.sh ]; then
    eng/windows-cs.sh $long | tee "$logs/windows-cs.log"
    if [[ $(tail -n 1 "$logs/windows-cs.log") =~ ^windows-cs:\ ([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    else
        failed=$((failed + 1))
    fi
fi
say "windows: $passed passed, $failed failed"
[ $failed = 0 ] && [ $passed != 0 ]
