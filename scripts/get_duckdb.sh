#!/bin/bash
# Fetches DuckDB's library, which reads Parquet and runs queries: libduckdb.so from the npm package that
# holds it, with the registry that npm is configured for. MIT license; 70 MB.
#
# usage: scripts/get_duckdb.sh [FOLDER]
#
# FOLDER is where the program looks for it by default: the folder modicum in XDG_DATA_HOME, or else in
# ~/.local/share. What is there already stays.

set -euo pipefail

version=1.5.6-r.1 # what the tests ran with
folder=${1-${XDG_DATA_HOME-$HOME/.local/share}/modicum}
case $(uname -sm) in
  'Linux x86_64') package=@duckdb/node-bindings-linux-x64 ;;
  'Linux aarch64') package=@duckdb/node-bindings-linux-arm64 ;;
  *) echo "get_duckdb.sh: for Linux on x86-64 and ARM only; elsewhere MODICUM_DUCKDB may name the library" >&2
     exit 1 ;;
esac
if [[ -s $folder/libduckdb.so ]]; then
  echo "$folder/libduckdb.so is there" >&2
  exit 0
fi
if ! command -v npm >/dev/null; then
  echo 'get_duckdb.sh: npm is not here: sudo apt-get install npm' >&2
  exit 1
fi
mkdir -p -- "$folder"
work=$(mktemp -d -- "$folder/.fetch.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
(cd -- "$work" && npm pack --silent "$package@$version" >/dev/null && tar -xzf ./*.tgz)
# Under its name only when it is whole: others may be looking for it.
mv -- "$work/package/LICENSE" "$folder/libduckdb.LICENSE"
mv -- "$work/package/libduckdb.so" "$folder/libduckdb.so"
echo "$folder/libduckdb.so is there" >&2
