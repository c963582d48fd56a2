#!/usr/bin/env python3
"""Releases from large Parquet files: seconds, rows a second and the most memory held.

Makes a table of so many rows by 20 columns (13 bits a cell: 100 million rows are 4 GB), or takes the one that
is there, and runs a regression of one column on the 19 others, second moments (also gathered) and a mean with one and
with all threads; some also from a CSV file of the first million rows. Times of several runs: the least.

usage: MODICUM_DUCKDB=build/duckdb/libduckdb.so bench/parquet_bench.py PROGRAM [--rows 5000000] [--folder /tmp]
         [--runs 3] [--only WORD]
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "command_line"))
import _duckdb  # noqa: E402

FEATURES = 19
FIRST = 1_000_000


def made_up(rows):
    """Features are uniform on 0..8191; the target is half of the first and a quarter of the second, and noise."""
    features = ", ".join(f"(hash(i * {FEATURES} + {k}) % 8192)::USMALLINT AS x{k}" for k in range(1, FEATURES + 1))
    noise = "(hash(-i) % 2048)"
    return (f"SELECT *, (x1 // 2 + x2 // 4 + {noise})::USMALLINT AS y "
            f"FROM (SELECT i, {features} FROM range({rows}) t(i)) s").replace("SELECT *,", "SELECT * EXCLUDE (i),")


def measured(program, *arguments):
    before = time.perf_counter()
    process = subprocess.Popen([program, "release", *map(str, arguments), "--epsilon", "1", "--delta", "1e-6",
                                "--output", "-"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{arguments[0]}: exit code {process.returncode}")
    return time.perf_counter() - before, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp"))
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--only", default="", help="what the name of a release must contain")
    given = parser.parse_args()

    parquet = given.folder / f"modicum-bench-{given.rows}.parquet"
    csv = given.folder / f"modicum-bench-{FIRST}.csv"
    if not parquet.exists():
        started = time.perf_counter()
        _duckdb.run(f"COPY ({made_up(given.rows)}) TO '{parquet}.part' (FORMAT parquet, COMPRESSION snappy)")
        os.rename(f"{parquet}.part", parquet)
        print(f"made {parquet}: {parquet.stat().st_size / 1e9:.2f} GB in {time.perf_counter() - started:.0f} s")
    if not csv.exists():
        _duckdb.run(f"COPY ({made_up(FIRST)}) TO '{csv}' (FORMAT csv, HEADER)")
    regression = "--target", "y", "--range-of-all", "0:8191", "--intercept"
    mean = "--select", "y", "--bounds", "y=0:8191"
    every = "--range-of-all", "0:8191"
    cores = len(os.sched_getaffinity(0))
    print(f"{'release':34} {'threads':>7} {'seconds':>8} {'million rows/s':>14} {'MB held':>8} {'CPU s':>6} {'speed-up':>8}")
    for name, rows, words in (
            ("regression, 20 columns, Parquet", given.rows, ("regression", parquet, *regression)),
            ("regression, second moments once", given.rows,
             ("regression", parquet, *regression, "--method", "covariance")),
            ("covariance, 20 columns, Parquet", given.rows, ("covariance", parquet, *every)),
            ("mean of one column, Parquet", given.rows, ("mean", parquet, *mean)),
            ("the same where x1 > 5000", given.rows,
             ("mean", "--query", f"select y from '{parquet}' where x1 > 5000", *mean)),
            ("gathered, 20 columns, Parquet", given.rows, ("covariance", parquet, *every, "--gather", "--piece", "1")),
            ("regression, 20 columns, CSV", FIRST, ("regression", csv, *regression)),
            ("covariance, 20 columns, CSV", FIRST, ("covariance", csv, *every)),
            ("gathered, 20 columns, CSV", FIRST, ("covariance", csv, *every, "--gather", "--piece", "1"))):
        if given.only not in name:
            continue
        alone = None
        for threads in sorted({1, cores}):
            seconds, memory, work = min(measured(given.program, *words, "--threads", threads) for _ in range(given.runs))
            alone = alone or seconds
            print(f"{name:34} {threads:7} {seconds:8.2f} {rows / seconds / 1e6:14.2f} {memory:8.0f} {work:6.1f} "
                  f"{alone / seconds:8.2f}", flush=True)


if __name__ == "__main__":
    main()
