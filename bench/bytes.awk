# bench/sizes.sh: the pairs of sizes one byte apart, of docs/charts/bytes.dat.
NR == 1 { for (i = 8; i <= NF; i++) name[i - 7] = $i; n = NF - 7; next } # behind "# bytes, then least median greatest of:"
NR % 2 == 0 { split($0, less); next }
{ if (!head++) { printf "%24s", "ns, one byte more:"; for (i = 1; i <= n; i++) printf " %15s", name[i]; print "" }
  printf "%11d and %8d", less[1], $1
  for (i = 1; i <= n; i++) { a = less[3 * i]; b = $(3 * i); r = b / a; printf " %8.0f (%4.2f)", a, r; if (r > worst[i]) worst[i] = r }
  print "" }
END { printf "%24s", "worst ratio (target 2):"; for (i = 1; i <= n; i++) { printf " %15.2f", worst[i]; over += name[i] !~ /^uds/ && worst[i] > 2 }; printf "\n%d of the columns above 2\n", over }
