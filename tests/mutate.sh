#!/usr/bin/env bash
# usage: tests/mutate.sh [--long]     weakens one ordering, or one step of the protocol, at a time: some check must notice.
#
#   (none)   three orderings, by litmus tests, and three mutants of the C++ calls           a minute, most of it compiling
#   --long   every label that queues, topics and pools brought with them, in litmus tests and in the library; all of mutants-rpc.sh.
#            What only a model can be sure to find is a world of its own (docs/models/worlds.cmake)
#
# Edits are made to a copy outside of the tree. A mutant of atomic.h is compiled into the litmus tests alone, and linked with the
# libraries that are built already (build/native; build/tsan for what only ThreadSanitizer can see); one of the C++ headers into the one
# file of tests that must notice it. Ends with a table; the exit code is 1 when a mutant survived, or when an edit found nothing to change.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"
. "$top/eng/programs.sh" # mutants die with their regions open

long=
case ${1:-} in
    "") ;;
    --long) long=yes ;;
    *) sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; [ "$1" = --help ]; exit ;;
esac

survived=0 table=()

row() { # LABEL MUTANT CHECK VERDICT
    table+=("$(printf '%-13s %-46s %-28s %s' "$@")")
    [[ $4 == caught* ]] || survived=$((survived + 1))
}

# A copy of what is compiled, with FILE edited by a sed script; false when the script changed nothing.
copy_edited() { # FILE SCRIPT
    rm -rf "$work/tree"
    mkdir -p "$work/tree/src" "$work/tree/tests"
    cp -r "$top/src/Ipc.Native" "$work/tree/src/"
    cp -r "$top/tests/native" "$work/tree/tests/"
    sed -i -E "$2" "$work/tree/$1"
    ! cmp -s "$top/$1" "$work/tree/$1"
}

native_flags=(gcc -O2)
tsan_flags=(clang -O1 -g -fsanitize=thread)

# Does the program fail, at least once in a while? Two threads have to meet: on a busy machine that takes more tries.
fails() { # PROGRAM CASE
    local until=$((SECONDS + 60))
    while [ $SECONDS -lt $until ]; do
        TSAN_OPTIONS=exitcode=86:halt_on_error=1 timeout 120 setarch -R "$1" "$2" >"$work/run.log" 2>&1 || return 0
    done
    return 1
}

# One case of one test program, compiled from the copy. With LIBRARY the library's own sources come from the copy, too.
compile() { # native|tsan PROGRAM [LIBRARY]
    local flags=${1}_flags[@] built=$top/build/$1/tests/native sources=()
    local include=(-I"$work/tree/src/Ipc.Native/include" -I"$work/tree/src/Ipc.Native/src" -I"$work/tree/tests/native/support")
    if [ -n "${3:-}" ]; then
        mapfile -t sources < <(find "$work/tree/src/Ipc.Native/src" -name '*.c')
        sources+=("$work/tree/tests/native/support/test.c")
    else
        sources=("$built/libipc_test_main.a" "$built/libipc_testing.a")
    fi
    "${!flags}" -std=c11 -DIPC_FAULT_POINTS -w "${include[@]}" "$work/tree/tests/native/"*/"$2.c" "${sources[@]}" \
        -pthread -o "$work/program" >"$work/compile.log" 2>&1
}

mutant() { # LABEL WHAT FILE SCRIPT native|tsan PROGRAM CASE [LIBRARY]
    local check="$6 $7 ($5)"
    if ! copy_edited "$3" "$4"; then
        row "$1" "$2" "$check" "NOTHING TO EDIT"
    elif ! compile "$5" "$6" "${8:-}"; then
        row "$1" "$2" "$check" "DOES NOT COMPILE: $(grep -m 1 error "$work/compile.log")"
    elif fails "$work/program" "$7"; then
        row "$1" "$2" "$check" "caught: $(grep -m 1 -oE 'data race|times: .*|not true.*| is [0-9]+.*|did not come about.*' "$work/run.log")"
    else
        row "$1" "$2" "$check" "SURVIVED"
    fi
}

# A mutant of the C++ headers, and the one test of tests/native/rpc/FILE.cpp that must fail, or hang.
rpc_mutant() { # short|long LABEL WHAT HEADER SCRIPT FILE TEST
    local check="$6.$7" built=$top/build/native code=0
    [ "$1" = short ] || [ -n "$long" ] || return 0
    if ! copy_edited "$4" "$5"; then
        row "$2" "$3" "$check" "NOTHING TO EDIT"
    elif ! g++ -std=c++17 -O0 -DNDEBUG -w -DRPC_PEER="\"$built/tests/native/rpc_peer\"" -I"$work/tree/src/Ipc.Native/include" -I"$work/tree/tests/native/rpc" \
        -isystem "$built/tests/native/rpc_tests_proto" "$work/tree/tests/native/rpc/$6.cpp" "$work/tree/tests/native/rpc/rpc_test.cpp" \
        "$built/tests/native/librpc_tests_proto.a" "$built/src/Ipc.Native/libipc.a" -lprotobuf -pthread -o "$work/program" >"$work/compile.log" 2>&1; then
        row "$2" "$3" "$check" "DOES NOT COMPILE: $(grep -m 1 error "$work/compile.log")"
    else
        for _ in 1 2 3; do
            [ $code != 0 ] || timeout --signal=KILL 45 "$work/program" "$7" >"$work/run.log" 2>&1 || code=$?
        done
        case $code in
            0) row "$2" "$3" "$check" "SURVIVED" ;;
            137) row "$2" "$3" "$check" "caught: hangs" ;;
            *) row "$2" "$3" "$check" "caught: $(sed -n 's/^FAILED [^:]*: [^ ]*: //p' "$work/run.log" | cut -c1-60)" ;;
        esac
    fi
}

atomics=src/Ipc.Native/src/atomic.h
store='/ipc_store_release64/,/^}/s/memory_order_release/memory_order_relaxed/'
load='/ipc_load_acquire64/,/^}/s/memory_order_acquire/memory_order_relaxed/'
cas='/bool ipc_cas64/,/^}/s/memory_order_(acq_rel|acquire|release|seq_cst)/memory_order_relaxed/g; /bool ipc_cas64/,/^}/s/_strong\(word, expected, desired\)/_strong_explicit(word, expected, desired, memory_order_relaxed, memory_order_relaxed)/'
fence='/void ipc_full_fence/,/^}/s/atomic_thread_fence/atomic_signal_fence/'

[ -f "$top/build/native/tests/native/libipc_testing.a" ] || { warn "build first: eng/build.sh"; exit 1; }
mutant "[sleep]" "no fence between the store and the look" $atomics "$fence" native litmus_test sleep
mutant "[join]" "no fence between the entry and the tail" $atomics "$fence" native litmus_test join
mutant "[take]" "a store instead of the CAS" tests/native/waiting/litmus_test.c \
    '/unsigned second_takes/,/^}/s/return ipc_cas64.*/return ipc_load_relaxed64(\&one->word) == expected ? (test_yield(), ipc_store_release64(\&one->word, 2), 1) : 0;/' \
    native litmus_test take
. "$top/tests/mutants-rpc.sh"
if [ -n "$long" ]; then
    if [ -f "$top/build/tsan/tests/native/libipc_testing.a" ]; then
        mutant "[publish]" "the header is stored relaxed" $atomics "$store" tsan litmus_test publish
        mutant "[ready-slot]" "the CAS is relaxed" $atomics "$cas" tsan litmus_test ready_slot
        mutant "[ready-slot]" "the word is loaded relaxed" $atomics "$load" tsan litmus_test ready_slot
        mutant "[free-slot]" "the CAS is relaxed" $atomics "$cas" tsan litmus_test free_slot
        mutant "[loan]" "the CAS is relaxed" $atomics "$cas" tsan litmus_test loan
        mutant "[present]" "announced by a relaxed store" $atomics "$store" tsan litmus_test present
        mutant "[cursor]" "stored relaxed" $atomics "$store" tsan litmus_test cursor
        mutant "[owner]" "the CAS is relaxed" $atomics "$cas" tsan litmus_test owner
    else
        row "orderings" "all that only ThreadSanitizer sees" "tsan" "NOT BUILT: cmake --preset tsan; cmake --build build/tsan"
    fi
    mutant "[take]" "the library's receiver stores instead of the CAS" src/Ipc.Native/src/queues/queue_receive.c \
        's/IPC_LIKELY\(ipc_cas64\(&slot->state, &word, mine\)\)/IPC_LIKELY(({ extern int sched_yield(void); (h \& 7) == 0 ? sched_yield() : 0; ipc_store_release64(\&slot->state, mine); true; }))/' \
        native queue_wait_test four_threads_send_and_four_receive_everything_once library
    mutant "[free-slot]" "the library frees the slot when it is taken" src/Ipc.Native/src/queues/queue_receive.c \
        's/const uint64_t mine = (.*)IPC_PHASE_READING(.*);$/const uint64_t mine = ipc_queue_freed(word);/' \
        native queue_wait_test four_threads_send_and_four_receive_everything_once library
fi

say
for line in "${table[@]}"; do say "$line"; done
say
say "${#table[@]} mutants, $survived survived"
[ $survived = 0 ]
