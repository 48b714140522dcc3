#!/usr/bin/env bash
# usage: bench/tables.sh [--rounds N]    the tables of two older libraries, measured here in the same shapes
#
# Left: what they published, ON OTHER MACHINES (cpp-ipc: i5-4300U, 2 cores, 4 threads, Windows 7, MSVC; CSimpleIPC: i7-3930 and T7100, Windows): only
# the shapes are the same. Right: this library on this machine, C, processes instead of threads. us per message; a topic's message to N readers
# counts once, as it does in their tables.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"
. "$top/eng/setup.sh"
rounds=5
[ "${1:-}" != --rounds ] || rounds=${2:?}
case " $* " in *" --help "* | *" -h "*) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac

cd "$top" || exit 1
require build || exit 1
{ cmake --preset native -DCMAKE_BUILD_TYPE=Release && cmake --build build/native -j 2 --target bench_crew; } >"$logs/bench-tables.log" 2>&1 ||
    { show_failure "building" "$logs/bench-tables.log"; exit 1; }
shared=/dev/shm
[ -w $shared ] || shared=${TMPDIR:-/tmp}
IPC_DIR=$(mktemp -d "$shared/ipc-test.XXXXXX") || exit 1
export IPC_DIR
trap 'rm -rf "$IPC_DIR"' EXIT

micros() { # KIND SIZE SENDERS RECEIVERS: us per message
    for ((i = 0; i <= rounds; i++)); do echo go; done |
        timeout 120 build/native/bench/native/bench_crew "$1.$2.$3-$4.c" --cores 0,1 --scale 0.3 | tail -n "$rounds" | sort -g |
        awk -v each="$([ "$1" = topic ] && echo "$4" || echo 1)" '{ v[NR] = $1 } END { printf "%.3f", v[int((NR + 1) / 2)] * each / 1000 }'
}

echo "route: 1 sender, N readers, 2 to 256 random bytes         published (4 cores / 1 core)   here"
while read -r n four one; do
    printf '  %2d %51s / %s %16s\n' "$n" "$four" "$one" "$(micros topic random 1 "$n")"
done <<T
1 1.46 0.77
2 4.06 1.08
4 1.95 1.76
8 2.03 2.98
16 3.28 5.68
T
echo "channel: 2 to 256 random bytes                            published (4 cores)            here"
while read -r n one_n n_one n_n; do
    printf '  1-%-2d %48s %21s\n' "$n" "$one_n" "$(micros topic random 1 "$n")"
    [ "$n" = 1 ] || printf '  %2d-1 %48s %21s\n' "$n" "$n_one" "$(micros topic random "$n" 1)"
    [ "$n" = 1 ] || printf '  %2d-%-2d %47s %21s\n' "$n" "$n" "$n_n" "$(micros topic random "$n" "$n")"
done <<T
1 0.67 0.89 0.65
2 0.84 0.54 0.72
4 1.16 0.75 1.00
8 1.47 0.63 1.62
16 3.30 0.62 2.90
T
echo "queue: 1 sender, N receivers, 8 bytes (theirs: every receiver gets every message)   published (4 cores / 1 core)   here: topic, queue"
while read -r n four one; do
    printf '  %2d %51s / %s %16s %s\n' "$n" "$four" "$one" "$(micros topic 8 1 "$n")" "$(micros queue 8 1 "$n")"
done <<T
1 0.090 0.049
2 0.118 0.067
4 0.122 0.102
8 0.153 0.193
16 0.189 0.282
T
echo "blocks through one connection point, million/s             published                      here (queue, 8 bytes)"
printf '  best case %37s %24s\n' "4.6 (laptop), 5.9 (desktop)" "$(micros queue 8 1 1 | awk '{ printf "%.1f", 1 / $1 }')"
printf '  one instance, many threads %20s %24s\n' "2.4 (laptop), 1 (desktop)" "$(micros queue 8 4 4 | awk '{ printf "%.1f (4-4, processes)", 1 / $1 }')"
