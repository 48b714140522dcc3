#!/usr/bin/env bash
# usage: bench/sizes.sh [--rounds N]     throughput over message sizes, 1 B to 100 MB: a table, and docs/charts/sizes.svg
#
# Ring, queue and topic, one to one, C to C, with the blocks that they have by default (1 KB): what is larger travels as a loan.
# Beside them the memory limits: a copy into shared memory and a read in place, without any protocol. A cliff would be a size at
# which one byte more costs twice as much: the pairs of sizes at every change of path stand side by side.
# About 5 minutes; on a machine that does nothing else.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"
. "$top/eng/setup.sh"
rounds=5
[ "${1:-}" != --rounds ] || rounds=${2:?}
case " $* " in *" --help "* | *" -h "*) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac

cd "$top" || exit 1
require build || exit 1
offer gnuplot-nox:/usr/bin/gnuplot
{ cmake --preset native -DCMAKE_BUILD_TYPE=Release && cmake --build build/native -j 2 --target bench_crew; } >"$logs/bench-sizes.log" 2>&1 ||
    { show_failure "building" "$logs/bench-sizes.log"; exit 1; }

shared=/dev/shm
[ -w $shared ] || shared=${TMPDIR:-/tmp}
IPC_DIR=$(mktemp -d "$shared/ipc-test.XXXXXX") || exit 1
export IPC_DIR
data=docs/charts/sizes.dat
mkdir -p docs/charts
trap 'rm -rf "$IPC_DIR"' EXIT

median_ns() { # KIND SIZE: ns per message
    local lines=
    lines=$(for ((i = 0; i <= rounds; i++)); do echo go; done |
        timeout 120 build/native/bench/native/bench_crew "$1.$2.1-1.c" --cores 0,1 --block 1024) || return 1
    printf '%s\n' "$lines" | tail -n "$rounds" | sort -g | awk -v size="$2" '{ v[NR] = $1 } END { m = v[int((NR + 1) / 2)]; print size <= 4096 ? m : size / m }'
}

sizes="1 8 64 256 1024 1025 2048 4096 4097 16384 65536 65537 262144 524280 524281 1048576 1048577 4194304 16777216 67108864 104857600"
printf '# bytes ring queue topic (ns per message)\n' >"$data"
printf '%11s %14s %14s %14s   ns per message (GB/s)\n' bytes ring queue topic
for size in $sizes; do
    row=$size
    for kind in ring queue topic; do
        value=$(median_ns $kind "$size") || { warn "$kind at $size B failed"; value=nan; }
        row="$row $value"
    done
    echo "$row" >>"$data"
    echo "$row" | awk '{ printf "%11d", $1; for (i = 2; i <= 4; i++) printf " %8.0f (%4.1f)", $i, $1 / $i; print "" }'
done

awk '!/^#/ { for (i = 2; i <= 4; i++) { if (n > 0 && $1 == size + 1 && $i > 2 * before[i]) { print "cliff at " $1 " B, column " i ": " before[i] " ns, then " $i " ns"; cliffs++ } before[i] = $i } if (n > 0 && $1 == size + 1) pairs++; size = $1; n++ }
     END { printf "%d pairs of sizes one byte apart, cliffs: %d\n", pairs, cliffs }' "$data"

if command -v gnuplot >/dev/null; then
    gnuplot <<G
set terminal svg size 900,520 font "sans-serif,13" background "white"
set output "docs/charts/sizes.svg"
set title "One to one, two processes, C to C: filled in place by a copy, read in place"
set logscale x 2
set logscale y 10
set xlabel "bytes per message"
set ylabel "GB/s"
set xtics ("1" 1, "8" 8, "64" 64, "1K" 1024, "8K" 8192, "64K" 65536, "1M" 1048576, "16M" 16777216, "100M" 104857600)
set grid
set key bottom right
plot "$data" using 1:(\$1/\$2) with linespoints lw 2 title "ring", \
     "$data" using 1:(\$1/\$3) with linespoints lw 2 title "queue", \
     "$data" using 1:(\$1/\$4) with linespoints lw 2 title "topic"
G
    say "docs/charts/sizes.svg"
fi
