"""Figures 5 and 9 of the least-squares paper: approximate least squares, and a random combination of the rows, by
their outputs alone."""

import csv
import itertools
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
HERE = pathlib.Path(__file__).resolve().parent
FLIGHT_ROWS = 20000     # as in the paper


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


def first_rows(path):
    """The first rows of a table."""
    shorter = path.with_suffix(".first.csv")
    with open(path, encoding="utf-8") as file, open(shorter, "w", encoding="utf-8") as out:
        out.writelines(itertools.islice(file, FLIGHT_ROWS + 1))
    return shorter


def tables(quick):
    """Name, path and number of columns of the sketch; the target is the last column."""
    yield example(least_squares.workshop())
    try:
        for data in least_squares.data_sets(quick):
            if data.name == "Cancer" and not quick:
                yield data.name, data.path, data.columns
            elif data.name == "Flight":
                yield f"Flight, {FLIGHT_ROWS} rows", first_rows(data.path), data.columns
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


def without_the_worst(path, ridge=0.0):
    """The table without its row of largest leverage, and that row's leverages over a ridge."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    triangle = triangle_of_moments(path, ridge)
    found = [leverages(triangle, [float(x) for x in row]) for row in rows]
    worst = max(range(len(rows)), key=lambda i: found[i][1])
    neighbor = path.with_suffix(".neighbor.csv")
    write(neighbor, header, rows[:worst] + rows[worst + 1:])
    return neighbor, found[worst], len(header) - 1


numbers = itertools.count()


def workshop_file(ending):
    return least_squares.workshop() / f"black-box-{next(numbers)}.{ending}"


def theory(**description):
    """delta for the two data sets, at each epsilon."""
    path = workshop_file("json")
    path.write_text(json.dumps(description), encoding="utf-8")
    return [point["delta"]["upper"]
            for point in ask("profile", path, "--epsilon", *EPSILONS)["points"]]


def estimates(path, neighbor, trials, program, *arguments):
    """Lower bounds on delta, all from one journal of samples."""
    command = shlex.join([sys.executable, str(HERE / program), *map(str, arguments), "--samples", "1000", "{input}"])
    journal = workshop_file("journal")
    return [ask("audit", "program", "--command", command, "--input", path, "--neighbor", neighbor,
                "--epsilon", epsilon, "--delta", 0, "--trials", trials, "--confidence", 0.95,
                "--jobs", os.cpu_count() or 1, "--journal", journal)["delta_lower_bound"]
            for epsilon in EPSILONS]


def figure_5(_folder, _name, quick):
    rows = []
    for label, path, columns in tables(quick):
        neighbor, pair, features = without_the_worst(path)
        trials = 6000 if quick else 60000
        limit = theory(mechanism="least_squares", columns=columns, features=features, row_leverage=pair[0],
                       full_leverage=pair[1])
        for epsilon, exact, found in zip(EPSILONS, limit,
                                         estimates(path, neighbor, trials, "sketched_solutions.py", "--columns",
                                                   columns)):
            rows.append([label, columns, trials, epsilon, exact, found,
                         found / exact if exact > 0 else 0.0])
    return Result(
        "Least-squares paper, Figure 5: approximate least squares as a black box",
        [("data", ""), ("r", "d"), ("samples", "d"), ("epsilon", "g"), ("delta, in the limit", ".4g"),
         ("delta, at least", ".4g"), ("ratio", ".2f")], rows,
        ["The paper estimates the indistinguishability of approximate least squares on neighbors "
         "by a black-box estimator and finds it close to its asymptotic formula (Theorem 4). Here "
         "the sketch is solved by a program of its own, `reproduction/sketched_solutions.py`, and "
         "`modicum audit program` sees only its outputs on the table and on the table without its "
         "row of largest leverage. *delta, in the limit* is exact for the normal distribution that the "
         "solution has in the limit of many columns; *delta, at least* is a lower bound with "
         "confidence 95 %, not an estimate: it should not exceed the truth, and it approaches "
         "it from below with more samples. It does so at r = 100 and r = 300: the limit tells "
         "the truth there, as the paper says.",
         f"Flight: the first {FLIGHT_ROWS} records, as in the paper, with departure and arrival delays. There little is to "
         "be found, and from epsilon = 0.25 on so many samples do not show it.",
         "Each column of bounds comes from one journal of samples: the claims are checked one "
         "after the other, each with its own confidence."], [])


# --- Figure 9: one random combination of the rows -------------------------------------------------

def noise_for(path):
    """The variance of noise that brings every leverage to one half at most: the squared norm of the longest row."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = [[float(x) for x in row] for row in list(csv.reader(file))[1:]]
    return max(math.fsum(x * x for x in row) for row in rows)


def figure_9(_folder, _name, quick):
    rows = []
    for label, path, _ in tables(quick):
        if label.startswith("Flight"):      # nothing to be seen with one column
            continue
        for ridge in 0.0, noise_for(path):
            neighbor, (_, leverage), _ = without_the_worst(path, ridge)
            trials = 6000 if quick else 60000
            exact = theory(mechanism="random_projection", columns=1, leverage=leverage)
            lower = estimates(path, neighbor, trials, "combined_rows.py", "--ridge", ridge)
            rows += [[label, "with noise" if ridge else "without", leverage, epsilon, each, found,
                      found / each if each > 0 else 0.0] for epsilon, each, found in zip(EPSILONS, exact, lower)]
    return Result(
        "Least-squares paper, Figure 9: a random combination of the rows as a black box",
        [("data", ""), ("noise", ""), ("leverage", ".4g"), ("epsilon", "g"), ("delta", ".4g"), ("delta, at least", ".4g"),
         ("ratio", ".2f")], rows,
        ["The paper compares its formula for one random linear combination of the rows (Theorem 7), and for one with "
         "noise added, with a black-box estimator that was trained on ten million samples, and finds them equal. Here a "
         "program of its own, `reproduction/combined_rows.py`, prints D^T g, and `modicum audit program` sees only its "
         "outputs on the table and on the table without its row of largest leverage. *delta* is exact; *delta, at "
         "least* is a lower bound with confidence 95 %, from 60,000 samples.",
         "The two distributions differ in one direction of space, by their spread alone, and what a test finds lies far out "
         "in their tails. At small epsilon and without noise the bounds reach most of what there is to be found, at "
         "larger epsilon little of it. With noise so many samples show nothing in either table, although a delta of 0.07 is "
         "there on Cancer: the direction is one among thirteen, and not that of a column. No bound exceeds the formula."], [])


STUDIES = [Study("least-squares-figure-5", "the black-box audit against the theory", figure_5),
           Study("least-squares-figure-9", "the same for one column", figure_9)]
