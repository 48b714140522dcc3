#!/usr/bin/env bash
# usage: bench/tables.sh [--rounds N] [--only ids]    the tables of older libraries and studies, measured here in the same shapes
#
# Left: what they published, ON OTHER MACHINES (cpp-ipc: i5-4300U, 2 cores, 4 threads, Windows 7, MSVC; CSimpleIPC: i7-3930 and T7100, Windows): only
# the shapes are the same. Right: this library on this machine, C, processes instead of threads. us per message; a topic's message to N readers
# counts once, as it does in their tables. Ids (a laptop with an i7 of 4 cores, Windows 7, named pipes): C# on both sides, calls in turn.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/begin.sh"
case " $* " in *" --help "* | *" -h "*) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
rounds=5 only=
while [ $# -gt 0 ]; do
    case $1 in
        --rounds) rounds=${2:?--rounds wants a number} ;;
        --only) only=${2:?--only wants ids} ;;
        *) warn "unknown: $1"; exit 2 ;;
    esac
    shift 2
done

bench_begin bench/Ipc.Matrix/Ipc.Matrix.csproj bench_crew

micros() { # KIND SIZE SENDERS RECEIVERS: us per message
    for ((i = 0; i <= rounds; i++)); do echo go; done |
        timeout 120 build/native/bench/native/bench_crew "$1.$2.$3-$4.c" --cores 0,1 --scale 0.3 | tail -n "$rounds" | sort -g |
        awk -v each="$([ "$1" = topic ] && echo "$4" || echo 1)" '{ v[NR] = $1 } END { printf "%.3f", v[int((NR + 1) / 2)] * each / 1000 }'
}

managed() { # FIGURE: the median of its rounds; the first ones are compiled while they run
    for ((i = 0; i < rounds + 8; i++)); do echo go; sleep 0.2; done |
        timeout 120 bench/Ipc.Matrix/bin/Release/net10.0/Ipc.Matrix measure "$1" --scale 0.5 | tail -n "$rounds" | sort -g |
        awk '{ v[NR] = $1 } END { printf "%.3f", v[int((NR + 1) / 2)] }'
}

echo "ids x 10 short strings in a call, us per id                published (pipes: raw / own / protobuf)   here"
one=$(managed rpc.ids.1.cs)
while read -r _ ids raw own proto; do
    here=$(managed "rpc.ids.$ids.cs")
    awk -v n="$ids" -v p="$raw / $own / $proto" -v h="$here" -v one="$one" 'BEGIN { printf "  %5d %58s %14.3f (%.2f of asking for each)\n", n, p, h / 1000, h / one }'
done < <(grep "^ids " bench/published.txt)
echo "calls of 64 bytes, one client, M/s: sent one by one $(managed rpc.pipelined.64.cs), in batches of 500 $(managed rpc.batched.64.cs) (published gain of 500: about a quarter)"
[ "$only" != ids ] || exit 0

echo "route: 1 sender, N readers, 2 to 256 random bytes         published (4 cores / 1 core)   here"
while read -r _ n four one; do
    printf '  %2d %51s / %s %16s\n' "$n" "$four" "$one" "$(micros topic random 1 "$n")"
done < <(grep "^route " bench/published.txt)
echo "channel: 2 to 256 random bytes                            published (4 cores)            here"
while read -r _ n one_n n_one n_n; do
    printf '  1-%-2d %48s %21s\n' "$n" "$one_n" "$(micros topic random 1 "$n")"
    [ "$n" = 1 ] || printf '  %2d-1 %48s %21s\n' "$n" "$n_one" "$(micros topic random "$n" 1)"
    [ "$n" = 1 ] || printf '  %2d-%-2d %47s %21s\n' "$n" "$n" "$n_n" "$(micros topic random "$n" "$n")"
done < <(grep "^channel " bench/published.txt)
echo "queue: 1 sender, N receivers, 8 bytes (theirs: every receiver gets every message)   published (4 cores / 1 core)   here: topic, queue"
while read -r _ n four one; do
    printf '  %2d %51s / %s %16s %s\n' "$n" "$four" "$one" "$(micros topic 8 1 "$n")" "$(micros queue 8 1 "$n")"
done < <(grep "^queue " bench/published.txt)
echo "blocks through one connection point, million/s             published                      here (queue, 8 bytes)"
printf '  best case %37s %24s\n' "4.6 (laptop), 5.9 (desktop)" "$(micros queue 8 1 1 | awk '{ printf "%.1f", 1 / $1 }')"
printf '  one instance, many threads %20s %24s\n' "2.4 (laptop), 1 (desktop)" "$(micros queue 8 4 4 | awk '{ printf "%.1f (4-4, processes)", 1 / $1 }')"
