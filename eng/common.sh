# Sourced by every script of the repository: where things are, and how long work is run and shown.
#
# Long work runs as a job of its own process group, below `timeout`: an interrupted script ends what it started, and
# nothing that hangs holds a build machine for ever. Output goes to a log; the terminal sees one line per piece of
# work, and the end of the log only when that work failed.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$top/build/logs
mkdir -p "$logs"

export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1
# Reused MSBuild nodes outlive the build by a quarter of an hour and keep a finished job's descriptors open. So does a compiler that serves more
# than one build (a property of MSBuild, which eng/build.sh sets): a check of test.sh that compiles would leave it running.
export MSBUILDDISABLENODEREUSE=1 UseSharedCompilation=false

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }

_job= _ticker=

_stop_work() {
    [ -z "$_job" ] || kill -TERM "$_job" 2>/dev/null
    [ -z "$_ticker" ] || kill -TERM "$_ticker" 2>/dev/null
}

trap '_stop_work; exit 130' INT
trap '_stop_work; exit 143' TERM

# Sets processor_seconds: what the children of this shell that have ended have used, and theirs.
# What has left its parent is not among them: the compiler that eng/build.sh shares, above all.
_ticks=$(getconf CLK_TCK)
read_processor_seconds() {
    local -a stat
    read -ra stat <"/proc/$BASHPID/stat"
    processor_seconds=$(((stat[15] + stat[16]) / _ticks))
}

# run_logged TITLE LOG SECONDS COMMAND...   runs COMMAND with its output in LOG and at most SECONDS of time.
# Returns its exit code (124 when the time was up). Sets took_seconds, and took_processor: what it used of processors,
# which other work beside it hardly changes. Says nothing about success: the caller knows better what a success is worth
# a line.
run_logged() {
    local title=$1 log=$2 limit=$3 began=$SECONDS processor_seconds processor_began code
    read_processor_seconds
    processor_began=$processor_seconds
    shift 3
    if [ -t 1 ]; then
        (
            while :; do
                printf '\r\033[K  %s ... %d s' "$title" $((SECONDS - began))
                sleep 1
            done
        ) &
        _ticker=$!
    else
        say "  $title ..."
    fi
    timeout --kill-after=15 "$limit" "$@" >"$log" 2>&1 </dev/null &
    _job=$!
    code=0
    wait "$_job" || code=$?
    _job=
    if [ -n "$_ticker" ]; then
        kill "$_ticker" 2>/dev/null
        wait "$_ticker" 2>/dev/null
        _ticker=
        printf '\r\033[K'
    fi
    read_processor_seconds
    took_seconds=$((SECONDS - began)) took_processor=$((processor_seconds - processor_began))
    [ "$code" != 124 ] || say "stopped after $limit s: $title" >>"$log"
    return "$code"
}

# show_failure TITLE LOG [LINES]   the end of a failed job's log, where the reason is; without the tests that were
# skipped, and why (two lines each), which xUnit prints in between.
show_failure() {
    say "  FAILED: $1 (whole log: ${2#"$top"/})"
    sed '/ \[SKIP\]$/{N;d}' "$2" | tail -n "${3:-40}" | sed 's/^/    | /'
}
