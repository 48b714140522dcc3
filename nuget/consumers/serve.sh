# Sourced by the native consumers: a peer that prints a line when it is ready and ends with its standard input.
serve_pid=

serve() { # COMMAND...
    rm -f serve.in serve.out
    mkfifo serve.in serve.out
    timeout --kill-after=5 300 "$@" <serve.in >serve.out &
    serve_pid=$!
    trap 'kill "$serve_pid" 2>/dev/null || true' EXIT
    exec 8>serve.in 9<serve.out
    read -r -t 60 _ <&9 || { echo "the peer is not ready: $*"; exit 1; }
}

serve_end() { # its exit code is the peer's
    exec 8>&-
    wait "$serve_pid"
    trap - EXIT
    exec 9<&-
}
