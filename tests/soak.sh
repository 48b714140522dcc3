#!/usr/bin/env bash
# usage: tests/soak.sh [--minutes M | --seconds S] [--kind queue|topic|lock]      default: 3 minutes of each kind
#
# A sender and a receiver of each language stay, others come, die and go (tests/storm.sh): after the time, the memory, descriptors
# and threads of those who stayed, and the memory and files of the regions, must not have grown: what has grown counts as left
# behind, and the exit code is 1 then. Every figure is printed. For hours: --minutes 240.
set -u

# The collector first collects when so much has been allocated as the processor's largest cache holds: with one of 300 MB, a process that keeps nothing
# grows for minutes. With 4 MB it collects from the first second on, and what grows then is kept by somebody.
export DOTNET_GCgen0size=0x400000
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
seconds=180 kinds="queue topic lock"
while [ $# -gt 0 ]; do
    case $1 in
        --minutes) seconds=$((${2:?} * 60)); shift ;;
        --seconds) seconds=${2:?}; shift ;;
        --kind) kinds=${2:?}; shift ;;
        *) sed -n 2p "${BASH_SOURCE[0]}" | cut -c3- >&2; exit 2 ;;
    esac
    shift
done
bad=0
for kind in $kinds; do
    echo "== $kind, $seconds s"
    "$top/tests/storm.sh" --kind "$kind" --soak $seconds || bad=1
done
exit $bad
