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

# Threads of theirs in read(fd, buffer, 64), with where they are: what waits for an answer of wine's server. What sleeps in good order reads 16 bytes.
_wine_requests() {
    local process
    for process in $(_wine_programs); do
        grep -sE '^0 0x[0-9a-f]+ 0x[0-9a-f]+ 0x40 ' "/proc/$process/task/"*/syscall
    done | sort
}

# True: a thread has waited for such an answer for two seconds, which takes microseconds. That is a fault of wine's: the runtime stops a thread that is busy
# (SuspendThread, GetThreadContext), and both wait for ever. On a busy machine one run in thirty of the slowest program ended so.
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
