#!/bin/sh
# Mean wall time of 50 starts of the program, in milliseconds: bench/start_time.sh build/bench/modicum
set -eu
program=${1:?usage: start_time.sh PROGRAM}
runs=50
"$program" --version > /dev/null  # the first start reads from disk
begin=$(date +%s%N)
i=0
while [ "$i" -lt "$runs" ]; do
  "$program" --version > /dev/null
  i=$((i + 1))
done
end=$(date +%s%N)
awk -v total="$((end - begin))" -v runs="$runs" 'BEGIN { printf "%.2f\n", total / runs / 1e6 }'
