# Sourced by scripts that run programs of the repository: a place for their regions, and servers that are ready before their clients come.
#
# IPC_DIR is from here on a directory of this script's own, inside the caller's if there is one: every name is free in it, and what a killed program
# leaves goes with it. $work is one for other files. At the end of the script, however it ends, whatever it has started ends too, and both are removed.

work=$(mktemp -d) || exit 1
IPC_DIR=$(mktemp -d "${IPC_DIR:-$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")}/ipc-test.XXXXXX") || exit 1
export IPC_DIR
server= server_words=

_end_programs() {
    local left
    left=$(jobs -p)
    # shellcheck disable=SC2086 # a list of numbers
    if [ -n "$left" ]; then
        kill -TERM $left 2>/dev/null || true
        wait $left 2>/dev/null || true
    fi
    rm -rf "$work" "$IPC_DIR"
}
trap _end_programs EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# serve COMMAND...   starts a server, and returns when it has said its first line: it is ready. It serves until its input ends, which is serve_end.
# A client is started with 3>&-: while it lives it would keep that input open.
serve() {
    local line=
    rm -f "$work/input" "$work/output"
    mkfifo "$work/input" "$work/output"
    timeout --kill-after=5 300 "$@" <"$work/input" >"$work/output" 2>"$work/server.errors" &
    server=$!
    exec 3>"$work/input" 4<"$work/output"
    read -r -t 60 line <&4 || {
        echo "not ready, after a minute or because it has ended: $*"
        sed 's/^/  /' "$work/server.errors"
        return 1
    }
    { printf '%s\n' "$line"; cat; } <&4 >"$work/server" 3>&- & # a server that says more is never held up
    server_words=$!
    exec 4<&-
}

# serve_end   ends the server's input and waits for its end; returns its exit code. What it said is in $work/server and $work/server.errors.
serve_end() {
    local code=0
    exec 3>&-
    wait "$server" || code=$?
    wait "$server_words"
    return $code
}
