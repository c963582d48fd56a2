"""Figure 5 of the least-squares paper: approximate least squares by its outputs alone."""

import csv
import json
import math
import os
import pathlib
import shlex
import sys

import least_squares
from program import ask
from sketched_solutions import triangle_of_moments
from study import Result, Study

EPSILONS = [0.0, 0.25, 0.5, 1.0, 1.5, 2.0]
PROGRAM = pathlib.Path(__file__).resolve().parent / "sketched_solutions.py"


def example(folder):
    """A few rows of an example, which hide little, with a column of ones: always there."""
    source = pathlib.Path(__file__).resolve().parents[1] / "examples" / "wages.csv"
    with open(source, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    path = folder / "Wages.csv"
    write(path, ["one", *header], [["1", *row] for row in rows[:40]])
    return "Wages, 40 rows (an example)", path, 100


def write(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def tables(quick):
    """Name, path and number of columns of the sketch; the target is the last column."""
    yield example(least_squares.workshop())
    try:
        for data in least_squares.data_sets(quick):
            if data.name == "Cancer" and not quick:
                yield data.name, data.path, data.columns
    except least_squares.DataMissing:
        pass


def leverages(triangle, row):
    """Of a row in the features, and with the target."""
    whitened = []
    for i, value in enumerate(row):
        rest = value - sum(triangle[i][k] * whitened[k] for k in range(i))
        whitened.append(rest / triangle[i][i])
    squares = [z * z for z in whitened]
    return math.fsum(squares[:-1]), math.fsum(squares)


def without_the_worst(path):
    """The table without its row of largest leverage, and that row's leverages."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    triangle = triangle_of_moments(path)
    found = [leverages(triangle, [float(x) for x in row]) for row in rows]
    worst = max(range(len(rows)), key=lambda i: found[i][1])
    neighbor = path.with_suffix(".neighbor.csv")
    write(neighbor, header, rows[:worst] + rows[worst + 1:])
    return neighbor, found[worst], len(header) - 1


def theory(columns, features, pair):
    """delta of the limit law for the two data sets, at each epsilon."""
    path = least_squares.workshop() / "pair.json"
    path.write_text(json.dumps({"mechanism": "least_squares", "columns": columns,
                                "features": features, "row_leverage": pair[0],
                                "full_leverage": pair[1]}), encoding="utf-8")
    return [point["delta"]["upper"]
            for point in ask("profile", path, "--epsilon", *EPSILONS)["points"]]


def estimates(path, neighbor, columns, trials):
    """Lower bounds on delta, all from one journal of samples."""
    command = shlex.join([sys.executable, str(PROGRAM), "--columns", str(columns), "--samples",
                          "1000", "{input}"])
    journal = path.with_suffix(".journal")
    return [ask("audit", "program", "--command", command, "--input", path, "--neighbor", neighbor,
                "--epsilon", epsilon, "--delta", 0, "--trials", trials, "--confidence", 0.95,
                "--jobs", os.cpu_count() or 1, "--journal", journal)["delta_lower_bound"]
            for epsilon in EPSILONS]


def figure_5(_folder, _name, quick):
    rows = []
    for label, path, columns in tables(quick):
        neighbor, pair, features = without_the_worst(path)
        trials = 6000 if quick else 60000
        for epsilon, exact, found in zip(EPSILONS, theory(columns, features, pair),
                                         estimates(path, neighbor, columns, trials)):
            rows.append([label, columns, trials, epsilon, exact, found,
                         found / exact if exact > 0 else 0.0])
    return Result(
        "Least-squares paper, Figure 5: approximate least squares as a black box",
        [("data", ""), ("r", "d"), ("samples", "d"), ("epsilon", "g"), ("delta, limit law", ".4g"),
         ("delta, at least", ".4g"), ("ratio", ".2f")], rows,
        ["The paper estimates the indistinguishability of approximate least squares on neighbors "
         "by a black-box estimator and finds it close to its asymptotic formula (Theorem 4). Here "
         "the sketch is solved by a program of its own, `reproduction/sketched_solutions.py`, and "
         "`modicum audit program` sees only its outputs on the table and on the table without its "
         "row of largest leverage. *delta, limit law* is exact for the normal law that the "
         "solution has in the limit of many columns; *delta, at least* is a lower bound with "
         "confidence 95 %, not an estimate: it should not exceed the truth, and it approaches "
         "it from below with more samples. It does so at r = 100 and r = 300: the limit law tells "
         "the truth there, as the paper says.",
         "Each column of bounds comes from one journal of samples: the claims are checked one "
         "after the other, each with its own confidence."], [])


STUDIES = [Study("least-squares-figure-5", "the black-box audit against the theory", figure_5)]
