#!/usr/bin/env bash
# usage: samples/OfficeAddin/open.sh [cpp|cs] [FILE.csv]      after samples/OfficeAddin/test.sh, which makes the add-in
#
# Starts a daemon that serves the table, and Gnumeric with a workbook of IPC functions over it. The daemon ends with Gnumeric.
# GNUMERIC=COMMAND opens the workbook with something else.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../../eng/programs.sh"
service=sheet
table=${2:-$here/Workbook/instruments.csv}
case ${1:-cpp} in
    cpp) daemon=$here/../../build/native/samples/OfficeAddin/cpp/officeaddin_daemon ;;
    cs) daemon=$here/Daemon/bin/Release/net10.0/OfficeAddin.Daemon ;;
    *) echo "usage: samples/OfficeAddin/open.sh [cpp|cs] [FILE.csv]" >&2; exit 2 ;;
esac
addin=$(ls -t "$here"/Xll/bin/Release/net*/linux-*/publish/ipc.xll 2>/dev/null | head -n 1)
for file in "$daemon" "$addin" "$table"; do
    [ -f "$file" ] || { echo "missing: ${file:-ipc.xll} (eng/build.sh, samples/OfficeAddin/test.sh)" >&2; exit 1; }
done
"$daemon" --name $service --csv "$table" &
. "$here/plugin-folder.sh"
plugin_folder "$work/plugins" "$addin" || exit 1
awk -v service=$service -v workbook="$work/ipc.gnumeric" -v expected=/dev/null -f "$here/Workbook/workbook.awk" "$table" || exit 1
${GNUMERIC:-gnumeric} "$work/ipc.gnumeric"
