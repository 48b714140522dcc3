#!/usr/bin/env bash
# usage: bench/sizes.sh [--rounds N] [--only bytes|throughput]     what a message of a size costs: two tables, two charts
#
# bytes: what one byte more costs. One thread sends and receives, C and C#, warm (its memory is in the caches) and cold (it is
# not), a Unix socket beside them; docs/charts/bytes.svg with the spread of the rounds. About 3 minutes.
# throughput: 1 B to 100 MB; docs/charts/sizes.svg. Ring, queue and topic, one to one, C to C, with the blocks that they have by default (1 KB): what is larger travels as a loan.
# Beside them the memory limits: a copy into shared memory and a read in place, without any protocol. A cliff would be a size at
# which one byte more costs twice as much: the pairs of sizes at every change of path stand side by side. About 5 minutes.
# On a machine that does nothing else.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/begin.sh"
case " $* " in *" --help "* | *" -h "*) sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
rounds=5 only=
while [ $# -gt 0 ]; do
    case $1 in
        --rounds) rounds=${2:?--rounds wants a number} ;;
        --only) only=${2:?--only wants bytes or throughput} ;;
        *) warn "unknown: $1"; exit 2 ;;
    esac
    shift 2
done

require build || exit 1
offer gnuplot-nox:/usr/bin/gnuplot
bench_begin bench/Ipc.Matrix/Ipc.Matrix.csproj bench_crew bench_cliff
mkdir -p docs/charts

# ---- one byte more ------------------------------------------------------------------------------------

rounds_of() { # FIGURE: least, median and greatest of its rounds, ns; the first two only warm it up
    local program="build/native/bench/native/bench_cliff $1"
    [ "${1%.cs}" = "$1" ] || program="bench/Ipc.Matrix/bin/Release/net10.0/Ipc.Matrix measure $1"
    # shellcheck disable=SC2086 # a program and its arguments
    for ((i = 0; i < rounds + 2; i++)); do echo go; done | timeout 120 $program | tail -n "$rounds" | sort -g |
        awk '{ v[NR] = $1 } END { if (NR > 0) print v[1], v[int((NR + 1) / 2)], v[NR] }'
}

one_byte_more() {
    local data=docs/charts/bytes.dat kinds="queue.c queue.cs ring.c ring.cs topic.c topic.cs uds.c" bytes kind state row found
    printf '# bytes, then least median greatest of:' >"$data"
    for state in "" cold.; do for kind in $kinds; do printf ' %s' "${kind%.*}.$state${kind##*.}" >>"$data"; done; done
    echo >>"$data"
    for bytes in 64 65 1015 1016 1024 1025 4096 4097 16384 16385 65536 65537 262144 262145 1048576 1048577; do
        row=$bytes
        for state in "" cold.; do
            for kind in $kinds; do
                found=$(rounds_of "size.${kind%.*}.$bytes.$state${kind##*.}")
                row="$row ${found:-nan nan nan}"
            done
        done
        echo "$row" >>"$data"
        say "$bytes bytes measured"
    done
    awk -f bench/bytes.awk "$data"
    command -v gnuplot >/dev/null || return 0
    gnuplot bench/bytes.gnuplot
    say "docs/charts/bytes.svg"
}
[ "$only" = throughput ] || one_byte_more
[ "$only" != bytes ] || exit 0

# ---- throughput ---------------------------------------------------------------------------------------

median_ns() { # KIND SIZE: ns per message
    local lines=
    lines=$(for ((i = 0; i <= rounds; i++)); do echo go; done |
        timeout 120 build/native/bench/native/bench_crew "$1.$2.1-1.c" --cores 0,1 --block 1024) || return 1
    printf '%s\n' "$lines" | tail -n "$rounds" | sort -g | awk -v size="$2" '{ v[NR] = $1 } END { m = v[int((NR + 1) / 2)]; print size <= 4096 ? m : size / m }'
}

data=docs/charts/sizes.dat
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
    gnuplot bench/sizes.gnuplot
    say "docs/charts/sizes.svg"
fi
