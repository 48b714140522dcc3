# bench/sizes.sh: throughput.
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
plot "docs/charts/sizes.dat" using 1:($1/$2) with linespoints lw 2 title "ring", \
     "docs/charts/sizes.dat" using 1:($1/$3) with linespoints lw 2 title "queue", \
     "docs/charts/sizes.dat" using 1:($1/$4) with linespoints lw 2 title "topic"
