# Sourced, after eng/common.sh and eng/setup.sh, by scripts that run programs for Windows under wine.

# wine_begin: makes a wine of the script's own, with a folder of regions, and lets both end with the script.
#
# All of wine's files and processes are of this prefix. Not below build: its drive Z: is a link to the root, and some tests walk through the repository.
wine_begin() {
    WINEPREFIX=$(mktemp -d "${TMPDIR:-/tmp}/ipc-wine.XXXXXX") || return
    export WINEPREFIX WINEDEBUG=-all WINEDLLOVERRIDES="mshtml=;winedbg.exe="
    # The runtime maps the memory of its compiler twice, and under wine it dies of that when a dynamic method goes: "Internal CLR error (0x80131506)".
    export DOTNET_EnableWriteXorExecute=0
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

windows_path() { # PATH
    local path=Z:$1
    printf '%s' "${path//\//\\}"
}
