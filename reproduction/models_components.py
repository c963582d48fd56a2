"""Private principal components of real tables: all methods on one budget, and what was expected of the default."""

import csv

import pictures
from components_data import FILE as GENOTYPES
from components_data import chosen
from least_squares import DataMissing, by_name, data_folder, workshop
from models import SOURCES, prepared
from program import ask
from study import Result, Study

DELTA = 1e-6
COMPONENTS = 2
# The adaptive mechanism and several joint draws are not proved.
METHODS = {"centered": "default", "gaussian-orthogonal-ensemble": "noise on second moments",
           "analyze-gauss": "Analyze Gauss", "wishart": "Wishart", "exponential": "exponential mechanism"}
USED = ("wine, white", "cancer", "housing", "song", "credit, first bill")


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return header, [[float(field) for field in row] for row in rows]


def genotypes(path):
    target = workshop() / "genotype_numbers.csv"
    with open(target, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(row[1:] for row in chosen(path))
    return target


def sources(quick):
    folder = data_folder()
    found = [(source.name.split(", f")[0], prepared(source, folder / source.path).path)
             for source in SOURCES if source.name in USED and (folder / source.path).exists()]
    if (folder / GENOTYPES).exists() and not quick:
        found.append(("genotypes", genotypes(folder / GENOTYPES)))
    if not found:
        raise DataMissing(f"no data in {folder}; MODICUM_DATA names another folder")
    return found[:1 if quick else None]


class Data:
    """Ranges lie about the means, twice as wide as they need be: the rivals have the means for nothing."""

    def __init__(self, name, path):
        self.name, self.path = name, path
        header, rows = table(path)
        self.rows, self.columns, self.ranges = len(rows), len(header), []
        for column, values in zip(header, zip(*rows)):
            mean = sum(values) / len(values)
            half = 2 * max(abs(value - mean) for value in values)
            self.ranges += ["--range", f"{column}={mean - half!r}:{mean + half!r}"]
        self.eigenvalues = workshop() / f"spectrum_{path.stem}.json"
        ask("report", "spectrum", path, *self.ranges, "--confidential", "--output", self.eigenvalues)

    def compare(self, epsilon, trials):
        return by_name(ask("compare", "components", self.path, *self.ranges, "--components", COMPONENTS, "--epsilon",
                           epsilon, "--delta", DELTA, "--trials", trials, "--confidential", "--method", *METHODS))

    def expected(self, epsilon):
        return ask("release", "components", self.path, *self.ranges, "--components", COMPONENTS, "--epsilon", epsilon,
                   "--delta", DELTA, "--explain", "--rows", self.rows, "--eigenvalues", self.eigenvalues)["outlook"]


def cell(method):
    return "-" if method is None else f"{method['captured']['median']:.3f} ({method['spectral_error']['median']:.2g})"


def components(folder, name, quick):
    rows, panels = [], []
    for data in (Data(*source) for source in sources(quick)):
        lines = {method: [] for method in METHODS}
        for epsilon in [1] if quick else [0.1, 0.3, 1, 3, 10]:
            found, expected = data.compare(epsilon, 3 if quick else 7), data.expected(epsilon)
            rows.append([data.name, data.rows, data.columns, epsilon,
                         *(cell(found.get(method)) for method in METHODS), expected["captured"]])
            for method, line in lines.items():
                if method in found:
                    line.append((epsilon, max(1 - found[method]["captured"]["median"], 1e-4)))
        panels.append(pictures.Panel(
            f"{data.name}: {data.rows} rows, {data.columns} columns", "epsilon", "variance not captured",
            [(METHODS[method], points) for method, points in lines.items() if points],
            logarithmic=(True, True), dots=True))
    picture = f"{name}.svg"
    pictures.draw(folder / picture, f"Variance that {COMPONENTS} private components do not capture", panels)
    return Result(
        "Private principal components of real tables",
        [("data", ""), ("rows", "d"), ("columns", "d"), ("epsilon", "g"), *((words, "") for words in METHODS.values()),
         ("expected of the default", ".3f")], rows,
        [f"Share of the variance of the best {COMPONENTS} components that private ones capture, and their squared "
         f"spectral error in parentheses (1: a direction is lost), medians of 7 releases; delta = {DELTA:g}. Columns are "
         "mapped onto [-1, 1] from ranges about their means, twice as wide as the values: they come from the data, so "
         "that nothing here is a private release. The default is about private means; the others are given the means "
         "for nothing. The picture ends at 0.0001.",
         "*Expected* is what `release components --explain --rows --eigenvalues` says before a row is read, from the "
         "number of rows and the true eigenvalues, for rows without outliers.",
         "Draws are fresh in every run: the last digits change."], [picture])


STUDIES = [Study("models-components", "all proved methods of components on six tables", components)]
