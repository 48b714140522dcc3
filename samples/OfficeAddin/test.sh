#!/usr/bin/env bash
# usage: samples/OfficeAddin/test.sh [--no-publish]          after eng/build.sh
#
# The add-in in real hosts, against both daemons: Gnumeric converts a workbook of several hundred IPC cells (a process each time), keeps it open
# while daemons are killed with -9 and replaced, and a stand-in for Excel calls the Excel 12 interface from several threads. Every cell is compared.
# The last line is "cells compared N, wrong M"; the exit code is 0 when nothing was wrong. Two minutes, half of them for making the add-in.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../../eng/common.sh"
. "$here/../../eng/setup.sh"
. "$here/../../eng/programs.sh"
. "$here/plugin-folder.sh"
. "$here/parts.sh"
native=$top/build/native/samples/OfficeAddin
service=sheet
publish=yes
case ${1:-} in
    --no-publish) publish= ;;
    "") ;;
    *) warn "usage: samples/OfficeAddin/test.sh [--no-publish]"; exit 2 ;;
esac

require build || exit 1
offer gnumeric:/usr/bin/ssconvert
command -v ssconvert >/dev/null || { warn "Gnumeric is not there (the Debian package gnumeric): no spreadsheet, no test"; exit 1; }
for program in StandIn/sheet_stand_in StandIn/sheet_keep_open StandIn/sheet_compare cpp/officeaddin_daemon; do
    [ -x "$native/$program" ] || { warn "not built (eng/build.sh): $native/$program"; exit 1; }
done
cs_daemon=$here/Daemon/bin/Release/net10.0/OfficeAddin.Daemon
[ -x "$cs_daemon" ] || { warn "not built (eng/build.sh): $cs_daemon"; exit 1; }

case $(uname -m) in
    x86_64) runtime=linux-x64 ;;
    aarch64) runtime=linux-arm64 ;;
    *) warn "no add-in is made for $(uname -m)"; exit 1 ;;
esac
if [ -n "$publish" ]; then
    say "making the add-in"
    dotnet publish "$here/Xll" -r $runtime -c Release -nodeReuse:false -tl:off -v:quiet || exit 1
fi
addin=$here/Xll/bin/Release/net9.0/$runtime/publish/ipc.xll
[ -f "$addin" ] || { warn "there is no $addin"; exit 1; }

# What a busy machine takes is no finding: values are compared here, not times.
export IPC_SHEET_DEADLINE_MS=5000
daemon=

kill_daemon() {
    [ -n "$daemon" ] || return 0
    kill -KILL "$daemon"
    wait "$daemon" 2>/dev/null
    daemon=
}

start_daemon() { # COMMAND...
    local line=
    "$@" >"$work/ready" 2>"$work/daemon.log" 3>&- &
    daemon=$!
    read -r -t 60 line <&3
    [ "$line" = ready ] || { warn "the daemon did not start: $*"; cat "$work/daemon.log" >&2; exit 1; }
}


gnumeric() { # WORKBOOK LANGUAGE
    local shown=$work/shown.txt
    rm -f "$shown"
    timeout --kill-after=5 180 ssconvert --recalc -O 'separator="	" quoting-mode=never format=raw eol=unix' "$1" "$shown" >"$work/ssconvert.log" 2>&1 ||
        { cat "$work/ssconvert.log"; say "ssconvert failed: $1"; return 1; }
    "$native/StandIn/sheet_compare" "$work/expected" "$shown" "$2"
}

table=$here/Workbook/instruments.csv
awk -v service=$service -v workbook="$work/book.gnumeric" -v expected="$work/expected" -f "$here/Workbook/workbook.awk" "$table" || exit 1
plugin_folder "$work/plugins" "$addin" || exit 1
mkfifo "$work/ready" && exec 3<>"$work/ready" || exit 1 # open at both ends: a daemon that says more does not die of it
export -f gnumeric say
export native work

cpp=("$native/cpp/officeaddin_daemon" --name $service --csv "$table")
cs=("$cs_daemon" --name $service --csv "$table")
part "Gnumeric, no shared memory" env IPC_DIR="$work/none/there" bash -c "gnumeric '$work/book.gnumeric' nobody"
part "Gnumeric, nobody serves" bash -c "gnumeric '$work/book.gnumeric' nobody"
start_daemon "${cpp[@]}"
part "Gnumeric, C++ daemon" bash -c "gnumeric '$work/book.gnumeric' C++"
ssconvert "$work/book.gnumeric" "$work/book.xlsx" >"$work/ssconvert.log" 2>&1 || { cat "$work/ssconvert.log"; wrong=$((wrong + 1)); }
part "Gnumeric, C++ daemon, the workbook as .xlsx" bash -c "gnumeric '$work/book.xlsx' C++"
kill_daemon
part "Gnumeric, it was killed" bash -c "gnumeric '$work/book.gnumeric' nobody"
start_daemon "${cs[@]}"
part "Gnumeric, C# daemon" bash -c "gnumeric '$work/book.gnumeric' C#"
kill_daemon
part "Gnumeric, it was killed" bash -c "gnumeric '$work/book.gnumeric' nobody"
start_daemon "${cpp[@]}"
part "Gnumeric, the C++ daemon is back" bash -c "gnumeric '$work/book.gnumeric' C++"
kill_daemon

part "Gnumeric, open while daemons are killed" \
    "$native/StandIn/sheet_keep_open" "$work/book.gnumeric" "$work/expected" "$(printf '%q ' "${cpp[@]}")" "$(printf '%q ' "${cs[@]}")"
part "stand-in for Excel, several threads" \
    "$native/StandIn/sheet_stand_in" "$addin" $service "$table" "C++=$(printf '%q ' "${cpp[@]}")" "C#=$(printf '%q ' "${cs[@]}")"

# With the deadline that users have: a daemon that does not answer must not freeze the sheet. And with dates as workbooks have them that count from 1904.
part "stand-in for Excel, daemons that hang, 1904" env -u IPC_SHEET_DEADLINE_MS IPC_SHEET_DATES=1904 \
    "$native/StandIn/sheet_stand_in" "$addin" $service "$table" "C++=$(printf '%q ' "${cpp[@]}")" "C#=$(printf '%q ' "${cs[@]}")" hang

# A deadline of a minute: what ends before it was ended.
for how in break close; do
    part "stand-in for Excel, $how in mid-call" env IPC_SHEET_DEADLINE_MS=60000 \
        "$native/StandIn/sheet_stand_in" "$addin" $service "$table" "C++=$(printf '%q ' "${cpp[@]}")" "C#=$(printf '%q ' "${cs[@]}")" $how
done

say "cells compared $compared, wrong $wrong"
[ $wrong = 0 ] && [ $compared -gt 0 ]
