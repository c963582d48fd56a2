#!/bin/bash
# For Spark's pipe and its kin: rows of one partition on standard input, without a header; its sums on
# standard output. Nothing confidential stays behind.
#   gather_part.sh JOB NAME...     (the names of all columns)
set -euo pipefail
job=$1
shift
rows=$(mktemp --suffix=.csv)
trap 'rm -f "$rows"' EXIT
cat > "$rows"
"${MODICUM:-modicum}" gather "$rows" --no-header --names "$@" --for "$job" --output -
