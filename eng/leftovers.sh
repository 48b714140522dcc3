# Sourced by test.sh: what a test run may leave behind is nothing, neither shared memory nor processes.
#
# The run gets a region directory of its own (IPC_DIR) and a mark in the environment of everything it starts
# (IPC_TEST_RUN). Afterwards the directory must be empty, no process may carry the mark, and nothing new may lie in
# /dev/shm. Other programs use /dev/shm at the same time: a new file that a process without the mark has open, or that
# lies in the test directory of another run, is theirs.

leftovers_begin() {
    _shm=/dev/shm
    [ -d $_shm ] && [ -w $_shm ] || _shm=
    run_mark=$$.$(date +%s).$RANDOM
    IPC_DIR=$(mktemp -d "${_shm:-${TMPDIR:-/tmp}}/ipc-test.XXXXXX") || return 1
    export IPC_DIR
    trap _remove_all EXIT # an interrupted run leaves nothing either
    _shm_before=$(_shm_files)
}

_shm_files() {
    [ -z "$_shm" ] || find $_shm -mindepth 1 ! -type d ! -path "$_shm/ipc-test[.-]*" 2>/dev/null | sort
}

_marked_processes() {
    local environment pid
    for environment in /proc/[0-9]*/environ; do
        pid=${environment#/proc/}
        pid=${pid%/environ}
        if tr '\0' '\n' 2>/dev/null <"$environment" | grep -qx "IPC_TEST_RUN=$run_mark"; then echo "$pid"; fi
    done
}

_in_use() { # FILE: some process has it mapped or open
    grep -qF -- "$1" /proc/[0-9]*/maps 2>/dev/null && return 0
    find /proc/[0-9]*/fd -lname "$1" 2>/dev/null | grep -q .
}

_leftovers() {
    local pid file
    for pid in $(_marked_processes); do
        echo "process $pid: $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)"
    done
    find "$IPC_DIR" -mindepth 1 ! -type d
    while IFS= read -r file; do
        [ -z "$file" ] || [ ! -e "$file" ] || _in_use "$file" || echo "$file"
    done < <(comm -13 <(echo "$_shm_before") <(_shm_files))
}

_remove_all() {
    local pid
    for pid in $(_marked_processes); do kill -KILL "$pid" 2>/dev/null; done
    rm -rf "$IPC_DIR"
}

# leftovers_end LOG   0 when the run has left nothing behind; else the list is in LOG. Cleans up in either case.
leftovers_end() {
    local attempt
    # A process that was told to end may still be on its way: ask again for a while before calling it a left-over.
    for ((attempt = 0; attempt < 60; attempt++)); do
        _leftovers >"$1"
        [ -s "$1" ] || break
        sleep 0.5 # nobody tells of the end of a process that is not a child
    done
    _remove_all
    [ ! -s "$1" ]
}
