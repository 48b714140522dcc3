#!/usr/bin/env bash
# Builds everything and runs every test of both languages. See usage() below, or CONTRIBUTING.md for the why.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/eng/common.sh"
. "$top/eng/setup.sh"
. "$top/eng/leftovers.sh"

usage() {
    cat <<'END'
usage: ./test.sh [--quick | --full | --long] [--all] [--filter TEXT] [--debug] [--no-build]

  (none)         build, every test, and a short form of all that --full adds   14 to 27 minutes on 2 cores, with a cold build
  --quick        the build and the tests alone                                 not measured yet
  --full         all tests under both sanitizers, with musl, 32 bits and ARM;
                 Windows under wine; clang-tidy, headers, documentation site;
                 what is published trimmed and as machine code                 not measured yet: what it has took an hour before
  --long         also stress, fuzz, kill storms, netstandard2.0, spin models,
                 and every mutant of both languages                            hours: not run in one go yet
  --all          also what has not changed since it was last green: otherwise such results are
                 counted from there, which is said; never so with --long, or where CI is set
  --filter TEXT  only tests whose name contains TEXT (C#: type or method; C: test name); implies no checks
  --debug        C# and C in Debug: the invariants inside the libraries are checked too
  --no-build     what is built already
  --help         this

The last line is always  N passed, N failed, N skipped ; the exit code is 0 when nothing failed.
Logs are kept in build/logs. A file left in shared memory and a process left running count as a failed test.
END
}

depth=normal filter= configuration=Release build=yes carries=yes
[ -z "${CI:-}" ] || carries=
while [ $# -gt 0 ]; do
    case $1 in
        --quick) depth=quick ;;
        --full) depth=full ;;
        --long) depth=long ;;
        --all) carries= ;;
        --filter)
            [ -n "${2:-}" ] || { warn "--filter wants a text"; exit 2; }
            filter=$2
            shift
            ;;
        --filter=?*) filter=${1#*=} ;;
        --debug) configuration=Debug ;;
        --no-build) build= ;;
        --help | -h) usage; exit 0 ;;
        *) warn "unknown: $1"; usage >&2; exit 2 ;;
    esac
    shift
done

passed=0 failed=0 skipped=0 carried=0 rows=()
if [ $depth = long ]; then runner_limit=7200; else runner_limit=1800; fi # watchdogs: the second lane has what the first leaves it

row() { # NAME PASSED FAILED SKIPPED SECONDS [SECONDS-OF-PROCESSOR]
    rows+=("$(printf '%-44s %7s %7s %8s %6s s %8s' "${@:1:5}" "${6:+$6 s}")")
    passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
}

finish() {
    local line
    printf '\n%-44s %7s %7s %8s %8s %9s\n' "" passed failed skipped time processor
    for line in ${rows[@]+"${rows[@]}"}; do say "$line"; done
    say
    [ $carried = 0 ] || say "$carried of these results are carried over: nothing that they depend on has changed since they were green (--all runs them again)"
    say "$passed passed, $failed failed, $skipped skipped"
    [ $failed = 0 ] && exit 0
    exit 1
}

# check NAME COMMAND...   one counted check: passed when the command succeeds.
check() {
    local name=$1 log=$logs/check-${1// /-}.log
    shift
    if run_logged "$name" "$log" $runner_limit "$@"; then
        row "$name" 1 0 0 $took_seconds $took_processor
    else
        show_failure "$name" "$log"
        row "$name" 0 1 0 $took_seconds $took_processor
    fi
}

# What a runner has reported: sets good, bad and gaps. Shows what was skipped, with the reason: a skip is a gap that has to be seen.
read_results() { # FILE   fails when there are none
    local shown
    good=0 bad=0 gaps=0
    [ -s "$1" ] && shown=$(ipc_build results "$1") || return 1
    read -r good bad gaps <<<"$shown"
    tail -n +2 <<<"$shown" | cut -c1-160
}

ipc_build() { dotnet "$top/eng/Ipc.Build/bin/$configuration/net10.0/Ipc.Build.dll" "$@"; }

# What a runner depends on (eng/Ipc.Build: what was built for it, what its tests read and start) may be what it was when it was last green. Then it is not run: its results
# are those of then. One that depends on more than can be said is always run.
carry_over() { # RUNNER RESULTS   sets inputs and kept, for keep_green
    inputs='' kept=$top/build/green/$1-$depth-$configuration
    [ $depth != long ] && [ -z "$filter" ] && inputs=$(ipc_build inputs "$1" $configuration 2>/dev/null) || return 1
    if [ -n "$carries" ] && [ "$inputs" = "$(cat "$kept" 2>/dev/null)" ] && cp "$kept.xml" "$2" && read_results "$2"; then
        say "  $1: unchanged since its last green run: counted from there"
        carried=$((carried + good + bad + gaps))
        row "$1, unchanged" "$good" "$bad" "$gaps" 0
        return
    fi
    rm -f "$kept"
    return 1
}

keep_green() { # RUNNER EXIT-CODE RESULTS   after read_results. A skipped test may not be one when its tool is there: that is not kept, nor what ran while something of it was changed
    [ -n "$inputs" ] && [ "$good" != 0 ] && [ "$2$bad$gaps" = 000 ] && [ "$inputs" = "$(ipc_build inputs "$1" $configuration 2>/dev/null)" ] || return
    mkdir -p "$top/build/green" && cp "$3" "$kept.xml" && echo "$inputs" >"$kept"
}

in_test_environment() { # COMMAND...   only what a runner starts carries the mark
    IPC_TEST_RUN=$run_mark run_logged "$@"
}

# settle NAME EXIT-CODE LOG [LINES]   after read_results: the row of a runner. One that ran nothing has failed, but for a filter's sake.
settle() {
    local name=$1 code=$2 log=$3
    if [ $((good + bad + gaps)) = 0 ]; then
        [ -z "$filter" ] || [ "$code" != 0 ] || return
        bad=1
    fi
    [ "$code" = 0 ] || [ "$bad" != 0 ] || bad=1
    [ "$bad" = 0 ] || show_failure "$name (exit code $code)" "$log" "${4:-40}"
    row "$name" "$good" "$bad" "$gaps" $took_seconds $took_processor
}

run_dotnet() { # PROJECT [LIBRARY]   LIBRARY: the asset that it was built to test
    local project=$1 library=${2:-} program results log code=0 good bad gaps inputs kept
    program=tests/$project/bin/${library:+$library-under-test/}$configuration/net10.0/$project.dll
    [ -z "$library" ] || project="$project, $library"
    results=$logs/${project//, /-}.xml log=$logs/${project//, /-}.log
    rm -f "$results"
    if [ ! -f "$program" ]; then
        say "  FAILED: $project is not built: is it in Ipc.sln?"
        row "$project" 0 1 0 0
        return
    fi
    ! carry_over "$project" "$results" || return
    in_test_environment "$project" "$log" $runner_limit dotnet "$program" -noLogo -noColor -xml "$results" ${filter:+-method "*$filter*"} || code=$?
    read_results "$results"
    keep_green "$project" $code "$results"
    if [ -n "$filter" ] && [ $((good + bad + gaps)) = 0 ] && grep -q 'No tests\|no test\|Total: 0,' "$log"; then return; fi
    settle "$project" $code "$log"
}

# The same tests over the assets that .NET Framework gets, as far as a newer runtime can tell: see Directory.Build.targets.
run_dotnet_over() { # LIBRARY PROJECT...
    local library=$1 project
    shift
    if [ -n "$build" ] && ! run_logged "building for $library" "$logs/build-$library.log" 1200 bash -c 'for project in "${@:3}"; do
            dotnet build "tests/$project" -c "$1" -p:LibraryUnderTest="$2" -m:2 -nodeReuse:false -v:minimal -tl:off || exit
        done' - "$configuration" "$library" "$@"; then
        show_failure "building for $library" "$logs/build-$library.log"
        row "$library build" 0 1 0 $took_seconds
        return
    fi
    for project in "$@"; do run_dotnet "$project" "$library"; done
}

# Sanitizer runtimes want their own places in the address space, and the wide randomisation of newer kernels takes them.
fixed_addresses=()
if setarch -R true 2>/dev/null; then fixed_addresses=(setarch -R); fi

run_ctest() { # NAME FOLDER ARGUMENT...   what has built the folder has built what its tests need
    local name=$1 folder=$2 results=$logs/ctest-$1.xml log=$logs/ctest-$1.log code=0 arguments good bad gaps inputs kept
    local -a prefix=()
    case $name in
        native) ;;
        asan | tsan) prefix=(nice -n 10 ${fixed_addresses[@]+"${fixed_addresses[@]}"}) ;;
        *) prefix=(nice -n 10) ;;
    esac
    rm -f "$results"
    ! carry_over "$name" "$results" || return
    arguments=(--test-dir "$folder" --output-on-failure --timeout 300 --output-junit "$results" -FA built -E "^build$" "${@:3}")
    [ -z "$filter" ] || arguments+=(-R "$filter")
    [ -n "$filter" ] || arguments+=(--no-tests=error)
    in_test_environment "$name tests" "$log" $runner_limit ${prefix[@]+"${prefix[@]}"} ctest "${arguments[@]}" || code=$?
    read_results "$results"
    keep_green "$name" $code "$results"
    grep -vE '^ *Start |Passed +[0-9.]+ sec' "$log" >"$log.failed"
    settle "$name tests" $code "$log.failed" 80
}

# The tests of both languages for Windows, under wine: what eng/windows.sh counts. The C# ones are the assemblies that the other lanes run.
run_windows() { # [PROGRAM...]   all, if none is named
    local log=$logs/windows.log code=0 good=0 bad=0 gaps=0
    rm -f "$logs/windows.counts"
    in_test_environment "Windows, under wine" "$log" $runner_limit eng/windows.sh --short --built "$@" || code=$?
    [ ! -f "$logs/windows.counts" ] || read -r good bad gaps <"$logs/windows.counts"
    grep '^ *left out:' "$log" | cut -c1-160
    settle "Windows, under wine" $code "$log"
}

run_preset() { # PRESET [PROGRAM...]   programs of the tests in C, or all there are
    local pattern
    [ -z "$filter" ] || set -- "$1" # any of them may have it
    pattern=$(IFS='|' && echo "${*:2}")
    if ! run_logged "building with $1" "$logs/build-$1.log" 3600 nice -n 10 bash -c 'cmake --preset "$0" && cmake --build "build/$0" -j 2 ${1+--target "$@"}' "$@"; then
        show_failure "building with $1" "$logs/build-$1.log"
        row "$1 build" 0 1 0 $took_seconds
        return
    fi
    row "$1 build" 0 0 0 $took_seconds $took_processor
    run_ctest "$1" "build/$1" -LE "^no-$1\$" ${pattern:+-R "^(native\.)?($pattern)(\.|\$)"}
}

# {C#, C} x {C#, C} once more, where C has 32 bits: what a process has created fits into one that has few addresses, and the bytes are the same.
run_with_32_bits() {
    local name="Ipc.Interop.Tests, C with 32 bits" results=$logs/interop-linux32.xml log=$logs/interop-linux32.log code=0 good bad gaps
    [ -x build/linux32/tests/native/peer ] || return # its build has failed already
    rm -f "$results"
    IPC_NATIVE_BUILD=$top/build/linux32 in_test_environment "$name" "$log" $runner_limit \
        dotnet "tests/Ipc.Interop.Tests/bin/$configuration/net10.0/Ipc.Interop.Tests.dll" -noLogo -noColor -xml "$results" ${filter:+-method "*$filter*"} || code=$?
    read_results "$results"
    settle "$name" $code "$log"
}

# Lanes beside the first one, in which the tests of both languages run. Each is a shell of its own with its regions in a directory of its own, writes what it
# would have shown to a file, and hands its rows over at its end.
#   waiting      tests that start processes, kill them and wait for what follows: they hardly need a processor. Then Windows, then the queue
#   processor    what needs a processor and nobody's patience, at low priority: sanitizers, other platforms; then the queue
# The queue is what may run in any order: the first lane takes from it, too, when its tests are done, so that all end together. Checks that build
# C# are one entry: they write the same folders.
declare -A lanes=()

lane_waiting() {
    run_dotnet Ipc.Crash.Tests
    if [ -z "$filter" ] && [ $configuration = Release ]; then
        case $depth in
            normal) run_windows layout_test ring_test queue_test topic_policy_test sync_test connection_test named_test crash_test Ipc.Core.Tests ;;
            full | long) run_windows ;;
        esac
    fi
    work_off_queue
}

# The short forms: what reads bytes that others may write under AddressSanitizer, threads under ThreadSanitizer, and the structures on each platform.
lane_processor() {
    case $depth in
        normal)
            run_preset asan hostile_test queue_hostile_test topic_hostile_test sync_hostile_test connection_hostile_test named_hostile_test
            run_preset tsan wait_test queue_wait_test ring_test connection_return_test named_test ready_handle_test
            run_preset linux32 layout_test ring_test queue_test topic_test connection_test named_test
            run_preset linux-arm64 litmus_test ring_test queue_test wait_test
            ;;
        full | long)
            [ -n "$filter" ] || run_ctest analysis build/native -L '^analysis$'
            run_preset asan
            run_preset tsan
            run_preset musl
            run_preset linux32
            run_with_32_bits
            run_preset linux-arm64
            ;;
    esac
    work_off_queue
}

queue_of_builds() {
    run_dotnet Ipc.Docs.Tests # before: it reads what a restore for one runtime writes anew
    run_dotnet Ipc.Packages.Tests
    IPC_TEST_RUN=$run_mark check "a spreadsheet and its daemons" samples/OfficeAddin/test.sh
}

queue=()
fill_queue() { # longest first
    [ -z "$filter" ] || return
    local project
    [ $configuration != Release ] || [ $depth = quick ] || queue+=("queue_of_builds")
    for project in Ipc.Rpc.RabbitMq.Tests Ipc.Interop.Tests Ipc.Core.Tests Ipc.Tcp.Tests Ipc.Rpc.Tests Ipc.Rpc.Codec.Tests Ipc.Rpc.Interop.Tests; do queue+=("run_dotnet $project"); done
    if [ $depth = normal ] || [ $depth = full ]; then
        queue+=("check 'calls beside busy loops' tests/busy.sh")
    fi
    [ $configuration != Release ] || queue+=("check 'two users and a third' tests/users.sh")
    [ $configuration != Release ] || queue+=("check 'two machines, and a cable' tests/machines.sh")
    [ $depth = quick ] || queue+=("run_dotnet Ipc.Mutation.Tests")
    queue+=("check 'whitespace of the C# sources' bash -c whitespace")
}

work_off_queue() { # each entry is taken by one lane
    local next
    while next=$(flock "$logs/queue" bash -c 'read -r n <"$0" && echo "$n" && echo $((n + 1)) >"$0"' "$logs/queue") && [ "$next" -lt ${#queue[@]} ]; do
        eval "${queue[next]}"
    done
}

start_lane() { # NAME
    local name=$1
    mkdir -p "$IPC_DIR/$name"
    rm -f "$logs/lane-$name.rows"
    (
        trap '_stop_work; exit 143' TERM INT
        passed=0 failed=0 skipped=0 carried=0 rows=()
        export IPC_DIR=$IPC_DIR/$name
        "lane_$name"
        {
            [ ${#rows[@]} = 0 ] || printf 'rows+=(%q)\n' "${rows[@]}"
            echo "passed=\$((passed + $passed)) failed=\$((failed + $failed)) skipped=\$((skipped + $skipped)) carried=\$((carried + $carried))"
        } >"$logs/lane-$name.new" && mv "$logs/lane-$name.new" "$logs/lane-$name.rows"
    ) >"$logs/lane-$name.log" 2>&1 </dev/null &
    lanes[$name]=$!
    trap 'kill -TERM "${lanes[@]}" 2>/dev/null; _stop_work; exit 130' INT
    trap 'kill -TERM "${lanes[@]}" 2>/dev/null; _stop_work; exit 143' TERM
}

end_lane() { # NAME
    local name=$1 pid=${lanes[$1]}
    run_logged "the lane \"$name\"" "$logs/lane-$name.wait" $((8 * runner_limit)) tail --pid="$pid" -f /dev/null || kill -TERM "$pid"
    wait "$pid"
    unset "lanes[$name]"
    cat "$logs/lane-$name.log"
    if [ -f "$logs/lane-$name.rows" ]; then
        . "$logs/lane-$name.rows"
    else
        say "  FAILED: the lane \"$name\" ended early"
        row "the lane \"$name\"" 0 1 0 $took_seconds
    fi
}

whitespace() { # style is the compiler's business (EnforceCodeStyleInBuild); this is what it does not look at
    DOTNET_TieredPGO=0 dotnet format whitespace --folder . --verify-no-changes --exclude build artifacts '**/bin' '**/obj'
}

cd "$top" || exit 1
if ! require test || { [ $depth = long ] && ! require_spin; }; then
    row "tools" 0 1 0 0
    finish
fi
offer valgrind:/usr/bin/valgrind # instruction counts: promise 22
[ $depth = quick ] || offer python3-grpcio:/usr/lib/python3/dist-packages/grpc doxygen:/usr/bin/doxygen # a client of the gateway, the documentation site
[ $depth = quick ] || offer_rabbitmq # the broker of Ipc.Rpc.RabbitMq.Tests
[ $depth != long ] || export AnalyzeEveryFramework=true
if [ -n "$build" ] && ! eng/build.sh $configuration; then
    row "build" 0 1 0 $SECONDS
    finish
fi

# Tests find the programs of the other language here.
export IPC_NATIVE_BUILD=$top/build/native
case $depth in full | long) export IPC_TEST_FULL=1 ;; esac
[ $depth != long ] || export IPC_TEST_LONG=1
[ $depth != quick ] || export IPC_TEST_QUICK=1
# Sanitizer reports end the program with a code of their own; leaks count, races count, the first one ends it.
export ASAN_OPTIONS=exitcode=86:detect_leaks=1:abort_on_error=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=exitcode=86:halt_on_error=1:second_deadlock_stack=1

if ! leftovers_begin; then
    warn "cannot make a directory for the regions of this run"
    row "tools" 0 1 0 0
    finish
fi

shopt -s nullglob
export -f whitespace
fill_queue
echo 0 >"$logs/queue"
start_lane waiting
start_lane processor
case $depth in
    full | long) run_ctest native build/native -LE '^analysis$' ;;
    *) run_ctest native build/native -LE '^(analysis|full)$' ;;
esac
for project in tests/*.Tests/*.csproj; do
    project=$(basename "$project" .csproj)
    case $project in
        Ipc.Crash.Tests) ;;
        Ipc.Docs.Tests) [[ " ${queue[*]-} " == *" queue_of_builds "* ]] || run_dotnet "$project" ;;
        Ipc.Mutation.Tests | Ipc.Packages.Tests) [ -z "$filter" ] || run_dotnet "$project" ;; # the queue has it
        *) [[ " ${queue[*]-} " == *" $project "* ]] || run_dotnet "$project" ;; # the queue has the long ones
    esac
done
[ $depth != long ] || run_dotnet_over netstandard2.0 Ipc.Core.Tests Ipc.Rpc.Codec.Tests Ipc.Rpc.Tests

work_off_queue
end_lane waiting
end_lane processor
if [ -z "$filter" ] && [ $configuration = Release ]; then
    IPC_TEST_RUN=$run_mark check "promises that were broken once" tests/promises.sh --results "$logs" # after their tests: what has passed is not run again
fi

if leftovers_end "$logs/leftovers.log"; then
    row "nothing left behind" 1 0 0 0
else
    show_failure "left behind by the tests" "$logs/leftovers.log"
    row "nothing left behind" 0 1 0 0
fi

if [ -z "$filter" ] && [ $depth = long ]; then
    check "calls beside busy loops" tests/busy.sh --times 20
    run_ctest models build/native -C long -L '^model$' -j 2
elif [ -n "$filter" ] && [ $((passed + failed)) = 1 ]; then
    say "  FAILED: no test matches $filter"
    row "filter" 0 1 0 0
fi
finish
