#!/usr/bin/env bash
# usage: eng/windows.sh [--short | --long] [--all] [--built] [PROGRAM...]   builds for Windows with mingw-w64 and runs the tests of both languages under wine
#
# --short: within 3 minutes, as ./test.sh does. --all: also what tests/windows.txt leaves out. --built: the C# tests are built already.
# PROGRAM...: only these: C test programs (such as region_test), C# test projects (such as Ipc.Core.Tests), addin.
# Tools that are missing are installed (eng/setup.sh). Which platform runs what is in docs/platforms.md. The last line is  windows: N passed, M failed
set -u
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$top/eng/setup.sh"
. "$top/eng/windows/wine.sh"

depth=normal all='' build=yes programs=()
while [ $# -gt 0 ]; do
    case $1 in
        --short) depth=short ;;
        --long) depth=long IPC_TEST_LONG=1; export IPC_TEST_LONG ;;
        --all) all=yes ;;
        --built) build= ;;
        -*) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; [ "$1" = --help ]; exit ;;
        *) programs+=("$1") ;;
    esac
    shift
done

require windows || exit 1
cd "$top" || exit 1
native=$top/build/windows runtime=$top/build/windows-dotnet
managed=(Ipc.Core.Tests Ipc.Interop.Tests Ipc.Rpc.Tests) # the assemblies that were built here: only dotnet.exe is another one
declare -A classes=( # those that pass; of the others not all are looked at yet
    [Ipc.Core.Tests]="AcceptTests AwaitEndTests ConflationTableTests ConnectionLoanTests DeadlineTests LayoutTests QueueTests RingBytesTests RingLoanTests
        SharedMutexTests SharedSemaphoreTests TryOpenTests WindowsNamesTests"
    [Ipc.Interop.Tests]="RingTrafficTests VerbTests" # {C#, C} x {C#, C}
    [Ipc.Rpc.Tests]="AmbientStateTests BetweenTests CallExtrasTests CallTests CallbackTests CancellationTests ClientStreamTests ClientViewTests
        DeathTests DuplexTests EndingTests ErrorTests StreamTests"
)
passed=0 failed=0 left_out=0

wine_begin || exit 1
IPC_NATIVE_BUILD=$(windows_path "$native")
export IPC_NATIVE_BUILD

finish() {
    local left attempt
    # Who ends with a removed region mapped, or is killed while he makes one, leaves a file for the next process to sweep: this is the next one.
    for ((attempt = 0; attempt < 10; attempt++)); do
        [ ! -x "$native/tests/native/peer.exe" ] || wine "$native/tests/native/peer.exe" region-show nobody >"$logs/windows-sweep.log" 2>&1
        left=$(find "$regions" -type f | head -n 5)
        [ -n "$left" ] || break
        sleep 0.5 # who was killed is still on his way out
    done
    if [ -n "$left" ]; then
        say "  FAILED: left behind:" "$left"
        failed=$((failed + 1))
    fi
    [ $left_out = 0 ] || say "left out: $left_out"
    say "windows: $passed passed, $failed failed"
    echo "$passed $failed $left_out" >"$logs/windows.counts"
    [ $failed = 0 ] && [ $passed != 0 ]
    exit
}

step() { # TITLE SECONDS COMMAND...   without it nothing runs
    local title=$1 log=$logs/windows-${1// /-}.log limit=$2
    shift 2
    run_logged "$title" "$log" "$limit" "$@" && return
    show_failure "$title" "$log"
    failed=1
    finish
}

# Reads what tests/windows.txt leaves out of PROGRAM into `without`, and says it.
read_left_out() { # PROGRAM
    local program case kind reason
    without=()
    [ -z "$all" ] || return
    while read -r program case kind reason; do
        [ "$program" = "$1" ] || continue
        [ "$kind" != long: ] || [ $depth = short ] || continue
        without+=("$case")
        left_out=$((left_out + 1))
        say "    left out: $program $case ($kind $reason)"
    done < <(grep -v '^#' tests/windows.txt)
}

# One start of a program for all of its cases: a start takes wine longer than most cases do. After a case that fails, or hangs, the others are run one by one.
run_native() { # NAME
    local name=$1 log=$logs/windows-$1.log case
    local -a without=() cases=()
    read_left_out "$name"
    for case in $(sed -n 's/^TEST(\([a-z0-9_]*\)).*/\1/p' tests/native/*/"$name.c"); do
        [[ " ${without[*]-} " == *" $case "* || " ${without[*]-} " == *" * "* ]] || cases+=("$case")
    done
    [ ${#cases[@]} != 0 ] || return
    run_logged "windows: $name" "$log" 300 wine "$native/tests/native/$name.exe" "${cases[@]}"
    [ $took_seconds -lt 10 ] || say "    $took_seconds s"
    sed -i 's/\r$//' "$log"
    for case in "${cases[@]}"; do
        if grep -qx "ok $case" "$log"; then
            passed=$((passed + 1))
        elif grep -q "^skipped: $case: " "$log"; then
            say "    $(grep "^skipped: $case: " "$log")"
            left_out=$((left_out + 1))
        elif grep -q ": $case: " "$log"; then # its words: it ended the program
            failed=$((failed + 1))
            show_failure "$name $case" "$log" 10
        elif run_logged "windows: $name $case" "$log.$case" 300 wine "$native/tests/native/$name.exe" "$case"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            show_failure "$name $case" "$log.$case" 10
        fi
    done
}

run_managed() { # PROJECT   its methods that are left out are named in full, with * for any
    local name=$1 log=$logs/windows-$1.log case code total bad gaps attempt watch
    local -a without=() filters=()
    read_left_out "$name"
    for case in ${classes[$name]:-}; do filters+=(-class "*.$case"); done
    for case in ${without[@]+"${without[@]}"}; do filters+=(-method- "$case"); done
    for attempt in 1 2; do
        code=0
        : >"$log"
        wine_watch "$log" >/dev/null 2>&1 &
        watch=$!
        run_logged "windows: $name" "$log" 1200 wine "$runtime/dotnet.exe" "tests/$name/bin/Release/net10.0/$name.dll" -noLogo -noColor -reporter verbose ${filters[@]+"${filters[@]}"} || code=$?
        kill $watch 2>/dev/null
        wait $watch 2>/dev/null
        [ -e "$log.hangs" ] && [ $attempt = 1 ] || break
        say "    after $took_seconds s wine itself hung (eng/windows/wine.sh, wine_hangs): once more"
        find "$regions" -mindepth 1 -delete # of those who were killed in the middle
    done
    say "    $took_seconds s"
    sed -i 's/\r$//' "$log"
    if [[ $(grep -a ' Total: ' "$log") =~ Total:\ ([0-9]+),\ Errors:\ ([0-9]+),\ Failed:\ ([0-9]+),\ Skipped:\ ([0-9]+) ]]; then
        total=${BASH_REMATCH[1]} bad=$((BASH_REMATCH[2] + BASH_REMATCH[3])) gaps=${BASH_REMATCH[4]}
        [ $code = 0 ] || [ $bad != 0 ] || bad=1
        passed=$((passed + total - bad - gaps)) failed=$((failed + bad)) left_out=$((left_out + gaps))
        grep -a '\[FAIL\]$' "$log" | sed 's/^ */  FAILED: /'
        [ $bad = 0 ] || say "    (whole log: ${log#"$top"/})"
    else # it died, or hung
        passed=$((passed + $(grep -ac '\[FINISHED\]' "$log"))) failed=$((failed + 1))
        show_failure "$name (exit code $code)" "$log"
    fi
}

run_addin() {
    local log=$logs/windows-addin.log code=0
    run_logged "windows: the add-in for Excel" "$log" 900 samples/OfficeAddin/test-windows.sh --built || code=$?
    say "    $took_seconds s: $(tail -n 1 "$log")"
    [ $code != 0 ] || { passed=$((passed + 1)); return; }
    failed=$((failed + 1))
    show_failure "the add-in for Excel" "$log" 60
}

step "building C for Windows" 1200 bash -c 'cmake --preset windows && cmake --build build/windows -j 2'
[ -z "$build" ] || step "building the C# tests" 1200 bash -c 'for p in "$@"; do dotnet build "$p" -c Release -m:1 -nodeReuse:false -v:minimal -tl:off || exit; done' - "${managed[@]/#/tests/}" samples/OfficeAddin/Xll samples/OfficeAddin/Daemon
step "making a runtime for Windows" 300 eng/windows/runtime.sh "$runtime"
export -f wine_start
step "starting wine" 300 bash -c wine_start

if [ ${#programs[@]} = 0 ]; then
    for program in "$native"/tests/native/*_test.exe; do programs+=("$(basename "$program" .exe)"); done
    programs+=("${managed[@]}" addin)
fi
for program in "${programs[@]}"; do
    case $program in
        *.Tests) run_managed "$program" ;;
        addin) run_addin ;;
        *) run_native "$program" ;;
    esac
done
finish
