# bench/sizes.sh: what one byte more costs.
set terminal svg size 900,520 font "sans-serif,13" background "white"
set output "docs/charts/bytes.svg"
set title "One thread sends and receives one message: median, and the spread of the rounds"
set logscale xy
set xlabel "bytes (each size, and one byte more)"
set ylabel "ns"
set xtics ("64" 64, "1K" 1024, "4K" 4096, "16K" 16384, "64K" 65536, "256K" 262144, "1M" 1048576)
set grid
set key bottom right
plot "docs/charts/bytes.dat" using 1:3:2:4 with yerrorlines lw 2 title "queue, C", "" using 1:6:5:7 with yerrorlines lw 2 title "queue, C#", \
     "" using 1:24:23:25 with yerrorlines dt 2 title "queue, C, cold", "" using 1:27:26:28 with yerrorlines dt 2 title "queue, C#, cold", \
     "" using 1:21:20:22 with yerrorlines lw 2 title "Unix socket", "" using 1:42:41:43 with yerrorlines dt 2 title "Unix socket, cold"
