"""Figures 6 to 10 of the per-instance paper: losses and bounds on three public data sets."""

import csv
import gzip
import statistics

import pictures
from least_squares import DataMissing, data_folder, workshop
from per_instance_runs import (BOUNDS, CONFIDENTIAL, DELTA, METHODS, Table, above, budget,
                               release, report)
from study import Result, Study

# Round numbers near the ends of each column. The data are public; for data that are not, state
# such numbers from general knowledge, without looking at the rows;
# values beyond are clamped.
KIDNEY = {
    "age": (0, 100), "bp": (40, 180), "sg": (1.005, 1.025), "al": (0, 5), "su": (0, 5),
    "bgr": (0, 500), "bu": (0, 400), "sc": (0, 20), "sod": (100, 165), "pot": (2, 10),
    "hemo": (3, 18), "pcv": (10, 55), "wc": (2000, 27000), "rc": (2, 8),
    **{code: (0, 1) for code in ("htn", "dm", "cad", "appet", "pe", "rbc", "pc", "pcc", "ba",
                                 "ane")}}
WINE = {
    "fixed_acidity": (0, 20), "volatile_acidity": (0, 2), "citric_acid": (0, 2),
    "residual_sugar": (0, 70), "chlorides": (0, 1), "free_sulfur_dioxide": (0, 300),
    "total_sulfur_dioxide": (0, 450), "density": (0.98, 1.04), "pH": (2.5, 4.5),
    "sulphates": (0, 2), "alcohol": (8, 15)}
CREDIT = {
    "LIMIT_BAL": (0, 1000000), "SEX": (1, 2), "EDUCATION": (0, 6), "MARRIAGE": (0, 3),
    "AGE": (18, 80), **{f"PAY_{month}": (-2, 8) for month in (0, 2, 3, 4, 5, 6)},
    **{f"BILL_AMT{month}": (0, 500000) for month in range(1, 7)},
    **{f"PAY_AMT{month}": (0, 50000) for month in range(1, 7)}}

ROWS = (
    "Rows: an intercept and all features, each mapped from a public range (in "
    "`reproduction/per_instance_data.py`) onto [-1, 1], then scaled down to norm 1, which "
    "the intercept alone has. The paper has rows of norm at most 1.")


def joined(name, paths, most):
    """One CSV file of all rows, or of the first ones."""
    missing = [path for path in paths if not path.exists()]
    if missing:
        raise DataMissing(f"no {missing[0]}; MODICUM_DATA names another folder")
    header, rows = None, []
    for path in paths:
        opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path, newline="")
        with opened as file:
            header, *more = csv.reader(file)
            rows += more
    rows = rows[:most]
    target = workshop() / f"{name}.csv"
    with open(target, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return target, len(rows)


def table(name, paths, ranges, kind, *arguments, most=None):
    path, rows = joined(name, [data_folder() / part for part in paths], most)
    known = [item for column, (low, high) in ranges.items()
             for item in ("--range", f"{column}={low}:{high}")]
    return Table(path, rows, [kind, *arguments, *known, "--intercept", "--row-norm-bound", 1])


def select(names):
    return [item for name in names for item in ("--select", name)]


def kidney():
    return table("kidney", ["kidney/chronic_kidney_disease_complete158.csv"], KIDNEY, "logistic",
                 "--target", "classification", "--threshold", 0.5, *select(KIDNEY))


def wine(quick, loss):
    return table("wine", ["wine_quality/winequality_red.csv", "wine_quality/winequality_white.csv"],
                 {**WINE, "quality": (0, 10)}, "regression", "--target", "quality", "--loss", loss,
                 most=500 if quick else None)


def credit(quick):
    return table("credit", ["credit_default/credit_default.csv.gz"], CREDIT, "logistic", "--target",
                 "default_next_month", "--threshold", 0.5, most=2000 if quick else None)


# --- Figure 6 -------------------------------------------------------------------------------------

SPLITS = [(0.2, 0.7, 0.1), (0.4, 0.5, 0.1), (0.5, 0.25, 0.25), (0.8, 0.1, 0.1)]
IN_ALL = (1, 3 * DELTA)


def row_6(label, runs):
    """Medians over pairs of a release and bounds."""
    def typical(value):
        return statistics.median(value(released.losses, bounds) for released, bounds in runs)

    return [label, runs[0][0].parameters["standard_deviation"],
            typical(lambda losses, _: statistics.median(losses)),
            typical(lambda losses, _: max(losses)),
            typical(lambda _, bounds: statistics.median(bounds)),
            typical(lambda _, bounds: max(bounds)),
            typical(lambda losses, bounds: statistics.median(ratios(bounds, losses))),
            sum(above(released.losses, bounds) for released, bounds in runs)]


def free(releases):
    return [(released, released.free) for released in releases]


def figure_6(folder, name, quick):
    data, repeats = credit(quick), 1 if quick else 5
    panels, remarks, shares_left = [], [], []
    alone = [release(data, *IN_ALL) for _ in range(repeats)]
    rows = [row_6("1, data-independent", free(alone))]
    for split in SPLITS[:2] if quick else SPLITS:
        first, second, third = split
        words = " / ".join(f"{part:g}" for part in split)
        # Noise is in proportion to 1/epsilon, and mu^2 to the inverse square of the noise.
        shares = (second ** 2, third ** 2)
        released = [release(data, first) for _ in range(repeats)]
        made = [report(one, "data-dependent", *IN_ALL, shares).bounds for one in released]
        rows += [row_6(words, list(zip(released, made))),
                 row_6(f"{words}, data-independent", free(released))]
        shares_left.append(f"{rows[-2][4] / rows[-1][4]:.2f} at {first:g}")
        plan = budget(released[0], "data-dependent", *IN_ALL, shares)
        paper = plan["published_epsilons"]
        remarks.append(f"{words}: sigma_2 = {plan['noise']['gradient']:.3g}, sigma_3 = "
                       f"{plan['noise']['matrix']:.3g}, to which the paper's formulas give "
                       f"epsilon_2 = {paper['gradient']:.3g} and epsilon_3 = "
                       f"{paper['matrix']:.3g}.")
        panels.append(pictures.Panel(
            f"epsilon {words}", "epsilon_1 and bounds on it", "records, %",
            pictures.histograms([("loss, release at 1", alone[0].losses),
                                 ("data-independent, at 1", alone[0].free),
                                 (f"loss, release at {first:g}", released[0].losses),
                                 ("data-dependent, in all 1", made[0])]),
            (("guarantee", IN_ALL[0]),)))
    pictures.draw(folder / f"{name}.svg", "Losses and bounds by split of the budget", panels)
    return Result(
        "Per-instance paper, Figure 6: credit default, four splits of epsilon = 1",
        [("epsilon of coefficients / gradient / Hessian", ""), ("sigma", ".4g"),
         ("median loss", ".4f"), ("largest loss", ".4f"), ("median bound", ".4f"),
         ("largest bound", ".4f"), ("median ratio", ".2f"), ("records above", "d")], rows,
        ["The paper says that the split matters: as epsilon of the coefficients approaches the "
         "whole, the data-dependent report is little better than the data-independent one, or "
         "worse.",
         f"UCI default of credit card clients, {data.rows} rows, 23 features. " + ROWS,
         f"The paper adds its three epsilons up to 1. Here 1 is what coefficients and report cost "
         f"together, composed exactly, at delta = {IN_ALL[1]:g}: the coefficients are released at "
         f"the first epsilon and delta = {DELTA:g}, and the report gets all that is left, divided "
         "between gradient and Hessian by the squares of the other two (`--shares`, which divides "
         "mu^2). That is more than the paper's sum leaves. " + " ".join(remarks),
         f"Medians over {repeats} releases for each split; the pictures show one of them. All "
         "records share the noise of a release, so that losses differ much between releases. At a "
         "smaller epsilon records lose less, and the coefficients have more noise, sigma. *Median "
         "ratio*: bound over loss. The lines *data-independent* below a split are the bound that "
         "the same releases have for nothing. The report brings the median bound to this share of "
         "it: "
         + ", ".join(shares_left) + ".",
         BOUNDS, CONFIDENTIAL], [f"{name}.svg"])


# --- Figures 7 to 10 ------------------------------------------------------------------------------

def ratios(bounds, losses):
    return [bound / loss for bound, loss in zip(bounds, losses) if loss > 0]


RATIO_COLUMNS = [
    ("epsilon", "g"), ("median loss", ".4g"), ("largest loss", ".4g"),
    *((f"median bound, {method}", ".4g") for method in ["data-independent", *METHODS]),
    *((f"largest bound, {method}", ".4g") for method in ["data-independent", *METHODS]),
    *((f"median ratio, {method}", ".3g") for method in ["data-independent", *METHODS]),
    ("bounds below the loss", "d")]


def one_release(data, epsilon):
    """Coefficients at epsilon, reports for 2 more, as in the paper: their losses and bounds."""
    released = release(data, epsilon)
    total = (epsilon + 2, 3 * DELTA)
    return released, [released.free, *(report(released, method, *total).bounds
                                       for method in METHODS)]


def ratio_row(epsilon, runs):
    """Medians over releases of what describes each of them."""
    def typical(value):
        return statistics.median(value(released.losses, bounds) for released, bounds in runs)

    kinds = range(1 + len(METHODS))
    return [epsilon, typical(lambda losses, _: statistics.median(losses)),
            typical(lambda losses, _: max(losses)),
            *(typical(lambda _, bounds, k=kind: statistics.median(bounds[k])) for kind in kinds),
            *(typical(lambda _, bounds, k=kind: max(bounds[k])) for kind in kinds),
            *(typical(lambda losses, bounds, k=kind: statistics.median(ratios(bounds[k], losses)))
              for kind in kinds),
            sum(above(released.losses, some) for released, bounds in runs for some in bounds)]


def panels_of(words, epsilon, released, bounds):
    labels = ["data-independent", *METHODS]
    return [
        pictures.Panel(f"{words}: losses and bounds", "epsilon_1 and bounds on it", "records, %",
                       pictures.histograms([("loss", released.losses), *zip(labels, bounds)]),
                       ((f"guarantee {epsilon:g}", epsilon),)),
        pictures.Panel(f"{words}: bound / loss", "ratio", "records, %",
                       pictures.histograms([(label, ratios(some, released.losses))
                                            for label, some in zip(labels, bounds)], cut=True),
                       (("bound = loss", 1.0),))]


PAPER_RATIOS = (
    "The paper says that the data-dependent report is the more accurate one, markedly so where "
    "epsilon of the coefficients is far below 1 and for the kidney data, and that its price is "
    "two more epsilons of 1.")


def budgets(runs):
    return (
        f"Coefficients at epsilon and delta = {DELTA:g}; coefficients and reports together at "
        f"epsilon + 2 and {3 * DELTA:g}, composed exactly. Medians over {runs} releases for each "
        "epsilon; the pictures show one at epsilon = 1. The ratio is bound over loss, and is large "
        "where a loss happens to be near 0; in the pictures the outer hundredths are put into the "
        "outer bins. All records share one noise: losses, and what a report gains, change from "
        "release to release. A bound may be above epsilon, as a loss may: the guarantee is about "
        "epsilon together with delta.")


def gains(rows, words):
    """What the data-dependent report gains, by the table."""
    return "Median bound, data-dependent over data-independent: " + ", ".join(
        f"{row['median bound, data-dependent'] / row['median bound, data-independent']:.2f} {words}"
        .format(**row) for row in rows) + "."


def by_heading(row):
    return dict(zip((heading for heading, _ in RATIO_COLUMNS), row))


def figures_7_9(folder, name, quick):
    data, repeats = kidney(), 1 if quick else 7
    rows, panels = [], []
    for epsilon in [1] if quick else [0.3, 1]:
        runs = [one_release(data, epsilon) for _ in range(repeats)]
        rows.append(ratio_row(epsilon, runs))
        if epsilon == 1:
            panels = panels_of("Kidney, logistic", epsilon, *runs[0])
    pictures.draw(folder / f"{name}.svg", "Kidney data: losses, bounds and their ratio", panels)
    return Result(
        "Per-instance paper, Figures 7 and 9: kidney data, logistic regression", RATIO_COLUMNS,
        rows,
        [PAPER_RATIOS,
         f"UCI chronic kidney disease: the {data.rows} rows without missing values, 24 features. "
         + ROWS, gains(map(by_heading, rows), "at epsilon = {epsilon:g}"), budgets(repeats),
         BOUNDS, CONFIDENTIAL], [f"{name}.svg"])


LOSSES = ["squared", "huber"]


def figures_8_10(folder, name, quick):
    repeats, rows, panels, remarks = 1 if quick else 5, [], [], []
    for loss in LOSSES:
        data = wine(quick, loss)
        for epsilon in [1] if quick else [0.3, 1]:
            runs = [one_release(data, epsilon) for _ in range(repeats)]
            rows.append([loss, *ratio_row(epsilon, runs)])
        panels += panels_of(f"Wine, {loss}", epsilon, *runs[0])
        known = runs[0][0].parameters
        remarks.append(f"{loss}: the gradient of one record is at most {known['lipschitz']:.3g} "
                       f"long, its second derivative at most {known['smoothness']:.3g}, sigma = "
                       f"{known['standard_deviation']:.4g} at epsilon = 1.")
    pictures.draw(folder / f"{name}.svg", "Wine data: losses, bounds and their ratio", panels)
    return Result(
        "Per-instance paper, Figures 8 and 10: wine quality, linear regression",
        [("loss", ""), *RATIO_COLUMNS], rows,
        [PAPER_RATIOS,
         f"UCI wine quality, red and white: {data.rows} rows, 11 features, quality from 0 to 10 "
         "mapped onto [-1, 1]. " + ROWS,
         "With squared losses on all of R^d a record can lose any amount: the paper's algorithm "
         "has no worst case there. Ours has one, marked in the pictures: `squared` is the squared "
         "loss for predictions in [-1, 1] and goes on as a straight line beyond, and Huber's loss "
         "is straight from a residual of 0.25 on. " + " ".join(remarks),
         gains(({"loss": row[0], **by_heading(row[1:])} for row in rows),
               "for {loss} at epsilon = {epsilon:g}"),
         budgets(repeats), BOUNDS, CONFIDENTIAL], [f"{name}.svg"])


STUDIES = [
    Study("per-instance-figure-6", "credit default, splits of the budget", figure_6),
    Study("per-instance-figures-7-9", "kidney data, logistic regression", figures_7_9),
    Study("per-instance-figures-8-10", "wine quality, linear regression", figures_8_10),
]
