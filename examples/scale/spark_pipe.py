"""Spark: the sums of each partition are found where it lies; two lines for each come back.

    spark-submit --files jobs.json,gather_part.sh spark_pipe.py people.csv
    modicum release jobs.json --gathered sums/*.gathered --output answers.csv
"""

import itertools
import os
import sys

COLUMNS = ["age", "schooling", "hours", "wage"]


def main(path: str, folder: str = "sums") -> None:
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.appName("gather").getOrCreate()
    rows = spark.read.csv(path, header=True).select(*COLUMNS).rdd
    lines = rows.map(lambda row: ",".join("" if cell is None else str(cell) for cell in row))
    # Named by its place: two partitions that have the same rows, or none, are still two pieces.
    named = lines.mapPartitionsWithIndex(lambda place, own: itertools.chain([str(place)], own))
    sums = named.pipe("bash gather_part.sh jobs.json " + " ".join(COLUMNS), checkCode=True).collect()
    write(sums, folder)


def write(lines: list, folder: str) -> None:
    """Two lines are one piece; for its owner alone."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.umask(0o077)
    for place in range(0, len(lines), 2):
        with open(os.path.join(folder, f"{place // 2}.gathered"), "w", encoding="utf-8") as file:
            file.write(lines[place] + "\n" + lines[place + 1] + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
