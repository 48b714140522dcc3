#!/usr/bin/env bash
# usage: tests/machines.sh [--kills N] [--seed S]      needs root, ip (iproute2) with network namespaces, and what eng/build.sh has built
#
# The storm of a named connection over TCP (tests/storm.sh --kind tcp) between two machines: two network namespaces with a cable between them, each with regions of its own.
# At about every third of the N times (by default 30; 40 s) the cable is pulled for up to 2.5 s: nothing gets through, and nobody is told; at some of these a process is
# killed meanwhile. Where the kernel can (netem) packets are late, lost, repeated and overtake each other besides.
# Ends with `machines: N passed, M failed`.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"

server=ipc-$$-server clients=ipc-$$-clients
if [ "$(id -u)" != 0 ] || ! command -v ip >/dev/null || ! ip netns add "$server" 2>/dev/null; then
    say "  left out: only root, with iproute2, where the kernel has network namespaces, can make two machines"
    say "machines: 0 passed, 0 failed"
    exit 0
fi
trap 'ip netns delete "$server"; ip netns delete "$clients" 2>/dev/null' EXIT
trap 'exit 143' TERM INT

make_machines() {
    ip netns add "$clients" &&
        ip link add cable netns "$server" type veth peer name cable netns "$clients" &&
        ip -n "$server" address add 10.211.55.1/30 dev cable && ip -n "$clients" address add 10.211.55.2/30 dev cable &&
        ip -n "$server" link set cable up && ip -n "$clients" link set cable up
}

disturb() { # MACHINE
    ip netns exec "$1" tc qdisc add dev cable root netem delay 2ms 2ms loss 1% duplicate 1% reorder 5% 2>/dev/null
}

if ! make_machines; then
    say "  left out: this system lets nobody lay a cable between two network namespaces (veth), which is what ip has said"
    say "machines: 0 passed, 0 failed"
    exit 0
fi
if disturb "$server" && disturb "$clients"; then
    say "  packets are late, lost, repeated and overtake each other"
else
    say "  this kernel has no netem: the cable is pulled, and nothing else"
fi
if IPC_STORM_MACHINES="$server $clients" "$top/tests/storm.sh" --kind tcp --kills 30 "$@"; then
    say "machines: 1 passed, 0 failed"
else
    say "machines: 0 passed, 1 failed"
    exit 1
fi
