#!/usr/bin/env bash
# usage: tests/soak.sh [--minutes M] [--kind queue|topic]      default: half a minute of each kind
#
# A sender and a receiver of each language stay, others come, die and go (tests/storm.sh): after the time, the memory, descriptors
# and threads of those who stayed, and the memory and files of the regions, must not have grown. Every figure is printed.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
seconds=30 kinds="queue topic"
while [ $# -gt 0 ]; do
    case $1 in
        --minutes) seconds=$((${2:?} * 60)); shift ;;
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
