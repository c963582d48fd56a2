"""Figures 4 and 5 of the per-instance paper, on made-up data."""

import csv
import dataclasses
import json
import math
import random
import statistics

import pictures
from least_squares import workshop
from per_instance_runs import (BOUNDS, CONFIDENTIAL, DELTA, FAILURE, METHODS, RHO, Table, above,
                               budget, release, report, tau)
from study import Result, Study

PAPER_TAU, PAPER_DIMENSION = 12, 50
EPSILON, TOTAL = 1, (3, 3 * DELTA)


def made_up(rows, dimension):
    """Rows uniform on the unit sphere, labels by a logistic model: the same in every run."""
    source = random.Random(f"{rows} {dimension}")
    truth = [source.gauss(0, 2) for _ in range(dimension)]
    path = workshop() / f"made-up-{rows}-{dimension}.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{i + 1}" for i in range(dimension)), "y"])
        for _ in range(rows):
            row = [source.gauss(0, 1) for _ in range(dimension)]
            norm = math.sqrt(math.fsum(x * x for x in row))
            row = [x / norm for x in row]
            odds = math.exp(math.fsum(a * b for a, b in zip(row, truth)))
            writer.writerow([*row, int(source.random() * (1 + odds) < odds)])
    return Table(path, rows, ["logistic", "--target", "y", "--threshold", 0.5,
                              "--row-norm-bound", 1])


@dataclasses.dataclass
class Worst:
    """Of one release: the largest loss and bounds over all records."""
    loss: float
    free: float
    bounds: dict
    published: float
    median_loss: float
    above: int


def worst(table):
    released = release(table, EPSILON)
    reports = {method: report(released, method, *TOTAL) for method in METHODS}
    broken = sum(above(released.losses, bounds) for bounds in
                 [released.free, *(made.bounds for made in reports.values())])
    return released, reports, Worst(
        max(released.losses), max(released.free),
        {method: max(made.bounds) for method, made in reports.items()},
        max(reports["data-dependent"].published), statistics.median(released.losses), broken)


def median(runs, value):
    return statistics.median(map(value, runs))


def worst_row(first, runs):
    return [first, median(runs, lambda run: run.median_loss), median(runs, lambda run: run.loss),
            median(runs, lambda run: run.free),
            *(median(runs, lambda run, m=method: run.bounds[m]) for method in METHODS),
            median(runs, lambda run: run.published)]


WORST_COLUMNS = [("median loss", ".4f"), ("worst loss", ".4f"), ("data-independent", ".4f"),
                 ("data-dependent", ".4f"), ("adaptive", ".4f"), ("as published", ".4f")]


def draw_worst(folder, name, title, across, rows, logarithmic):
    labels = ["worst loss", "data-independent", "data-dependent", "adaptive"]
    lines = [(label, [(row[0], row[2 + i]) for row in rows]) for i, label in enumerate(labels)]
    lines.append((f"guarantee: {EPSILON}", [(row[0], EPSILON) for row in rows]))
    pictures.draw(folder / f"{name}.svg", title, [pictures.Panel(
        title, across, "largest over all records", lines, logarithmic=(logarithmic, False),
        dots=True)])


def setting(runs):
    return (
        f"Coefficients by objective perturbation at epsilon = {EPSILON}, delta = {DELTA:g}, lambda "
        f"by default; coefficients and report together ({TOTAL[0]}, {TOTAL[1]:g}), which is what "
        f"the paper's three epsilons of 1 add up to. Rows uniform on the unit sphere, labels by a "
        f"logistic model with coefficients N(0, 4). The data stay the same, the noise is "
        f"fresh: medians of {runs} releases; they change somewhat with every run. The appendix "
        "prints no numbers, and leaves the data to the main paper: ours need not be the same.")


PUBLISHED = (
    BOUNDS + " *As published* is the data-dependent bound as the sum of three terms that the paper "
    "has, its errors put right; the other columns are an interval for the signed loss, which is "
    "never wider.")


def conditions(released):
    """What Algorithm 2 asks of lambda at d = 50, by the paper's tau and by the true one."""
    noise = budget(released, "data-dependent", *TOTAL)["noise"]["matrix"]
    true = tau(PAPER_DIMENSION)
    return (
        f"The paper takes tau = {PAPER_TAU} at d = {PAPER_DIMENSION}, which is the quantile for "
        f"(Z + Z^T)/2; for its own noise, (Z + Z^T)/sqrt 2, it is {true:.4f}. Its Algorithm 2 "
        f"needs lambda >= 2 tau sigma_3: with the sigma_3 = {noise:.4g} of these reports that is "
        f"{2 * PAPER_TAU * noise:.4g} by the paper's tau and {2 * true * noise:.4g} by the right "
        f"one, where these releases have lambda = {released.parameters['regularization']:.4g}. "
        "Ours has no such condition: it takes the best of all combinations of the noisy Hessian "
        "and lambda I that are proved to lie below the Hessian.")


def squared_length(row, matrix):
    """row^T matrix^-1 row by Cholesky's factor; infinite where that does not exist."""
    factor, whitened = [], []
    for line, value in zip(matrix, row):
        left = []
        for j, above_it in enumerate(factor):
            left.append((line[j] - math.fsum(a * b for a, b in zip(left, above_it)))
                        / above_it[j])
        rest = line[len(left)] - math.fsum(x * x for x in left)
        if not rest > 0:
            return math.inf
        whitened.append((value - math.fsum(a * b for a, b in zip(left, whitened)))
                        / math.sqrt(rest))
        factor.append([*left, math.sqrt(rest)])
    return math.fsum(x * x for x in whitened)


def leverage_bound(made, row, quantile):
    """Least x^T [a H + ((1 - a) lambda - a tau sigma_3) I]^-1 x over a grid of a, for this tau."""
    said = json.loads(made.path.read_text(encoding="utf-8"))
    hessian, floor = said["released"]["hessian"], said["release"]["regularization"]
    margin = quantile * said["noise"]["matrix"]

    def at(share):
        added = (1 - share) * floor - share * margin
        return squared_length(row, [[share * entry + (added if i == j else 0)
                                     for j, entry in enumerate(line)]
                                    for i, line in enumerate(hessian)])

    return min(at(step / 20) for step in range(21))


def tau_changes(table, made):
    """The leverage of the record with the worst bound, by the right tau and by the paper's."""
    place = max(range(len(made.bounds)), key=made.bounds.__getitem__)
    with open(table.path, newline="", encoding="utf-8") as file:
        row = [float(x) for x in list(csv.reader(file))[1 + place][:-1]]
    right, paper = (leverage_bound(made, row, quantile)
                    for quantile in (tau(PAPER_DIMENSION), PAPER_TAU))
    # f'' <= 1/4: the first term is at most this.
    first, by_paper = (-math.log1p(-leverage / 4) for leverage in (right, paper))
    return (
        f"What tau changes in the bound: x^T H^-1 x of the record with the largest data-dependent "
        f"bound at n = {table.rows} is at most {right:.3g} by the right tau, and would be "
        f"{paper:.3g} by the paper's. The first term of the bound is then at most {first:.3g}, and "
        f"would be {by_paper:.3g}, in a bound of {made.bounds[place]:.3g} for which the gradient "
        "matters more: the wrong tau hardly shows in such a figure, but what it draws is not "
        "proved.")


def course(letter, rows, broken, count):
    """The ends of the curves, and how many of the bounds failed."""
    first, last = rows[0], rows[-1]
    return (
        f"From {letter} = {first[0]} to {last[0]} the worst loss goes from {first[2]:.3f} to "
        f"{last[2]:.3f}, the worst data-independent bound from {first[3]:.3f} to {last[3]:.3f}, "
        f"the data-dependent one from {first[4]:.3f} to {last[4]:.3f}. Of {count} bounds, for all "
        f"records and releases and three kinds, {broken} were below the loss; their probability "
        f"lets at most {count * FAILURE:.2g} be expected.")


def figure_4(folder, name, quick):
    sizes = [100, 1000] if quick else [100, 300, 1000, 3000, 10000]
    runs, dimension = 1 if quick else 5, PAPER_DIMENSION
    rows, broken, count = [], 0, (1 + len(METHODS)) * runs * sum(sizes)
    for size in sizes:
        table = made_up(size, dimension)
        found = [worst(table) for _ in range(runs)]
        rows.append(worst_row(size, [run for _, _, run in found]))
        broken += sum(run.above for _, _, run in found)
    released, reports, _ = found[-1]
    title = f"Worst loss and bounds against n, d = {dimension}"
    draw_worst(folder, name, title, "records n", rows, True)
    return Result(
        "Per-instance paper, Figure 4: worst loss and bounds against the number of records",
        [("n", "d"), *WORST_COLUMNS], rows,
        ["The paper says that the strength of its bounds does not depend on the size of the data.",
         setting(runs), PUBLISHED,
         course("n", rows, broken, count),
         conditions(released), tau_changes(table, reports["data-dependent"]), CONFIDENTIAL],
        [f"{name}.svg"])


def figure_5(folder, name, quick):
    dimensions = [1, 20] if quick else [1, 2, 5, 10, 20, 40, 50, 60]
    runs, size = (1, 200) if quick else (3, 1000)
    rows, broken, count = [], 0, (1 + len(METHODS)) * runs * size * len(dimensions)
    for dimension in dimensions:
        table = made_up(size, dimension)
        found = [worst(table)[2] for _ in range(runs)]
        quantile = tau(dimension)
        rows.append([*worst_row(dimension, found), quantile, quantile / math.sqrt(2)])
        broken += sum(run.above for run in found)
    draw_worst(folder, name, f"Worst loss and bounds against d, n = {size}", "dimension d", rows,
               False)
    return Result(
        "Per-instance paper, Figure 5: worst loss and bounds against the dimension",
        [("d", "d"), *WORST_COLUMNS, ("tau", ".4f"), ("tau for (Z + Z^T)/2", ".4f")], rows,
        ["The paper says that for generalized linear models the strength of its bounds does not "
         "depend on the dimension.",
         setting(runs) + f" n = {size}.", PUBLISHED,
         course("d", rows, broken, count),
         f"*tau* is the quantile that the margin of the noisy Hessian needs, by `modicum quantile "
         f"goe --upper-tail {RHO / 2:g}`; the last column is what the paper's {PAPER_TAU} at d = "
         f"{PAPER_DIMENSION} is.", CONFIDENTIAL],
        [f"{name}.svg"])


STUDIES = [
    Study("per-instance-figure-4", "worst loss and bounds against the number of records", figure_4),
    Study("per-instance-figure-5", "worst loss and bounds against the dimension", figure_5),
]
