#!/bin/bash
# For Spark's pipe and similar: on standard input a line with the number of a partition, which names the
# piece, then its rows, without a header; its sums on standard output. Nothing confidential stays behind.
#   gather_part.sh JOB NAME...     (the names of all columns)
set -euo pipefail
job=$1
shift
rows=$(mktemp --suffix=.csv)
trap 'rm -f "$rows"' EXIT
read -r place
cat > "$rows"
"${MODICUM:-modicum}" gather "$rows" --no-header --names "$@" --for "$job" --piece "$place" --output -
