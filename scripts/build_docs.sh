#!/bin/bash
# Builds the documentation site: scripts/build_docs.sh OUTPUT_DIR
#
# PYTHONPATH has a folder with the built package modicum, MODICUM_PROGRAM names the program; what needs
# one that is missing becomes a short page that says so. Needs python3-sphinx, python3-myst-parser and
# furo. Nothing is written into the source tree. Warnings are errors.
set -euo pipefail

if [ $# -ne 1 ]; then
  echo "usage: $0 OUTPUT_DIR" >&2
  exit 2
fi
source_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
python=${PYTHON:-/usr/bin/python3}
mkdir -p -- "$1"
output_dir=$(cd -- "$1" && pwd)
export PYTHONDONTWRITEBYTECODE=1

work_dir=$(mktemp -d "${TMPDIR:-/tmp}/modicum-docs.XXXXXX")
trap 'rm -rf -- "$work_dir"' EXIT
cp -R -- "$source_dir/docs" "$work_dir/pages"
"$python" "$work_dir/pages/generated_pages.py" "$source_dir" "$work_dir/pages"

version=$(sed -n 's/^project(modicum VERSION \([0-9.]*\).*/\1/p' "$source_dir/CMakeLists.txt")
"$python" -m sphinx -q -W --keep-going -n -b html -D "version=$version" -D "release=$version" \
  -d "$work_dir/doctrees" "$work_dir/pages" "$output_dir"
echo "$output_dir/index.html"
