"""Figures 1, 2 and 6 of the paper on private principal components: projections, and notions of privacy."""

import csv
import json
import math

from components import projected
from components_data import CONFIDENTIAL, LABEL, SAMPLER, fresh, genotypes
from program import ask
from study import Result, Study


# --- Figure 1: projections at three beta ----------------------------------------------------------

def figure_1(folder, name, quick):
    data = genotypes(quick)
    shown, rows = [projected(data, folder / f"{name}-true.svg", "The true components")], []
    for beta in 0.01, 0.2, 1.2:
        components = fresh("csv")
        errors = ask("release", "components", *data.reading(), "--components", 2, "--method", "joint", "--beta", beta,
                     "--rows", data.rows, "--output", components, "--confidential")["confidential"]
        shown.append(projected(data, folder / f"{name}-beta-{beta:g}.svg", f"Two private components, beta = {beta:g}",
                               "--components", components, "--align"))
        rows.append([beta, beta * data.columns**2 / data.rows, errors["spectral_error"],
                     100 * errors["variance_captured"]])
    return Result(
        "Principal components paper, Figure 1: projections on private components",
        [("beta", "g"), ("pure epsilon of the paper", ".2f"), ("squared spectral error", ".3f"),
         ("variance captured, %", ".0f")], rows,
        ["The paper shows that beta = 0.01 gives noise, 0.2 little, and 1.2 the clusters of the data, where the bound "
         "of pure privacy, beta p^2/n, says nothing any more.", data.words,
         "One draw each, turned within its span to be near the true components. *Variance captured* is a share of what "
         "the true components have.", SAMPLER, CONFIDENTIAL], shown)


# --- Figure 2: what guarantees say of a test ------------------------------------------------------

GUARANTEES = {
    "epsilon = 1": {"mechanism": "pure", "epsilon": 1},
    "epsilon = 1, delta = 0.05": {"mechanism": "approximate", "epsilon": 1, "delta": 0.05},
    "mu = 1": {"mechanism": "gaussian_dp", "mu": 1},
    "rho = 1/2": {"mechanism": "zcdp", "rho": 0.5},
}


def figure_2(folder, name, _quick):
    paths = []
    for label, description in GUARANTEES.items():
        paths.append(fresh("json"))
        paths[-1].write_text(json.dumps(description), encoding="utf-8")
    labels = [word for label in GUARANTEES for word in ("--label", label)]
    ask("plot", "tradeoff", *paths, *labels, "--output", folder / f"{name}.svg", "--title",
        "Least type II error under four guarantees")
    levels = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75]
    found = [[point["type2"]["lower"] for point in ask("tradeoff", path, "--type1", *levels)["points"]]
             for path in paths]
    return Result(
        "Principal components paper, Figure 2: what guarantees say of a test",
        [("type I error", "g"), *((label, ".4f") for label in GUARANTEES)],
        [[level, *column] for level, column in zip(levels, zip(*found))],
        ["The paper draws the lower bounds on the trade-off function that pure, approximate and Gaussian differential "
         "privacy imply, and does not give their parameters; here they are 1, (1, 0.05) and 1.",
         "Zero-concentrated differential privacy with rho = 1/2, which a Gaussian of mu = 1 has, implies less than that "
         "Gaussian's own curve."],
        [f"{name}.svg"])


# --- Figure 6: ranks and standardized columns -----------------------------------------------------

def standardized(data):
    """The same table, each column with mean 0 and variance 1."""
    with open(data.path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    label = header.index(LABEL)
    columns = []
    for place, cells in enumerate(zip(*rows)):
        if place == label:
            columns.append(cells)
            continue
        values = [float(cell) for cell in cells]
        mean = math.fsum(values) / len(values)
        spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
        columns.append([(value - mean) / spread if spread > 0 else 0.0 for value in values])
    path = fresh("csv")
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *zip(*columns)])
    return path


def shares(*reading):
    path = fresh("json")
    ask("report", "spectrum", *reading, "--confidential", "--output", path)
    eigenvalues = json.loads(path.read_text(encoding="utf-8"))
    return [100 * each / math.fsum(eigenvalues) for each in eigenvalues[:4]]


def figure_6(folder, name, quick):
    data = genotypes(quick)
    path = standardized(data)
    bound = 1e3 * data.columns      # no row is nearly as long
    readings = {"standardized": [path, "--exclude", LABEL, "--row-norm-bound", bound], "ranks": data.reading()}
    rows, shown = [], []
    for kind, reading in readings.items():
        rows.append([kind, *shares(*reading)])
        picture = folder / f"{name}-{kind}.svg"
        ask("plot", "projections", *reading, "--label", LABEL, "--output", picture, "--confidential", "--title",
            f"Two components of {'ranks' if kind == 'ranks' else 'standardized columns'}")
        picture.chmod(0o644)        # the data are public
        shown.append(picture.name)
    return Result(
        "Principal components paper, Figure 6: standardized columns and ranks",
        [("columns", ""), *((f"{number}, % of the variance", ".2f") for number in ("first", "second", "third", "fourth"))],
        rows,
        ["The paper says that components of ranks often carry very similar information as those of standardized columns, "
         "and shows it by two pictures.", data.words,
         "The same groups stand apart in both pictures, up to signs. The first component has the same share of the "
         "variance either way, the second a larger one among ranks. Nothing here is private.", CONFIDENTIAL], shown)


STUDIES = [
    Study("components-figure-1", "projections at three beta", figure_1),
    Study("components-figure-2", "what guarantees say of a test", figure_2),
    Study("components-figure-6", "standardized columns and ranks", figure_6),
]
