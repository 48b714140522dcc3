# Sourced, after eng/common.sh and eng/setup.sh, by scripts that run programs for Windows under wine.

# wine_begin: makes a wine of the script's own, with a folder of regions, and lets both end with the script.
#
# All of wine's files and processes are of this prefix. Not below build: its drive Z: is a link to the root, and some tests walk through the repository.
wine_begin() {
    WINEPREFIX=$(mktemp -d "${TMPDIR:-/tmp}/ipc-wine.XXXXXX") || return
    export WINEPREFIX WINEDEBUG=-all WINEDLLOVERRIDES="mshtml=;winedbg.exe="
    # The runtime maps the memory of its compiler twice, and under wine it dies of that when a dynamic method goes: "Internal CLR error (0x80131506)".
    export DOTNET_EnableWriteXorExecute=0
    # Each time the runtime stops its threads, for the collector or to exchange code, wine may hang (wine_hangs): so it does it seldom. 128 MiB, hexadecimal.
    export DOTNET_TieredCompilation=0 DOTNET_gcConcurrent=0 DOTNET_GCgen0size=8000000
    unset DOTNET_ROOT DISPLAY # of this system: they mislead programs of the other one
    regions=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)/ipc-test.windows.XXXXXX") || return
    IPC_DIR=$(windows_path "$regions")
    export IPC_DIR
    trap wine_end EXIT
}

wine_end() {
    wineserver -k 2>/dev/null
    rm -rf "$regions" "$WINEPREFIX"
}

# Starts wine, and keeps it: each program would start it again. Programs may have windows, which nobody sees.
wine_start() {
    wineboot -i && wine reg add 'HKCU\Software\Wine\Drivers' /v Graphics /d null /f && wineserver -w && wineserver -p
}

# The .NET programs of this wine, as processes of the system.
_wine_programs() {
    local folder name
    for folder in /proc/[0-9]*; do
        { read -r name <"$folder/comm"; } 2>/dev/null && [ "$name" = dotnet.exe ] || continue
        ! grep -qzxF "WINEPREFIX=$WINEPREFIX" "$folder/environ" 2>/dev/null || echo "${folder#/proc/}"
    done
}

# Threads of theirs in read(fd, buffer, 64), with how often they have slept: what waits for an answer of wine's server. What waits for an event reads 16 bytes.
_wine_requests() {
    local process thread
    for process in $(_wine_programs); do
        for thread in "/proc/$process/task/"*; do
            ! grep -qsE '^0 0x[0-9a-f]+ 0x[0-9a-f]+ 0x40 ' "$thread/syscall" ||
                echo "$thread $(grep -s '^voluntary_ctxt_switches' "$thread/status")"
        done
    done | sort
}

# True: a thread has slept for two seconds in one such request, which takes microseconds. A thread of ours that goes round and asks again and again is none:
# it wakes up. That is a fault of wine's: the runtime stops a thread that is busy (SuspendThread, GetThreadContext), and both wait for ever; two of 61 runs
# of three classes of Ipc.Rpc.Tests ended so, four or five at a time on two processors.
wine_hangs() {
    local before
    before=$(_wine_requests)
    [ -n "$before" ] || return
    sleep 2
    [ -n "$(comm -12 <(printf '%s\n' "$before") <(_wine_requests))" ]
}

# Kills the .NET programs when wine hangs, and says so in LOG.hangs: looks when LOG has not grown for two minutes, twice the patience of a test.
wine_watch() { # LOG
    rm -f "$1.hangs"
    while sleep 10 && kill -0 $$ 2>/dev/null; do
        [ $(($(date +%s) - $(stat -c %Y "$1" 2>/dev/null || date +%s))) -ge 120 ] && wine_hangs || continue
        _wine_requests >"$1.hangs"
        kill -9 $(_wine_programs)
        return
    done
}

windows_path() { # PATH
    local path=Z:$1
    printf '%s' "${path//\//\\}"
}
