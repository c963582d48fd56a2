"""Private regressions on real tables: all methods on one budget, against least squares and the constant."""

import csv
import dataclasses
import gzip
import pathlib
import statistics

import pictures
import regression_rivals
from least_squares import DataMissing, by_name, data_folder, workshop
from program import ask
from study import Result, Study

DELTA = 1e-6
METHODS = ["preconditioned", "objective", "covariance", "adaptive-sufficient-statistics"]
WORDS = {"preconditioned": "preconditioned", "objective": "objective, Huber",
         "covariance": "plain moments", "adaptive-sufficient-statistics": "AdaSSP"}


@dataclasses.dataclass
class Source:
    name: str
    path: str
    target: str
    without: tuple = ()


SOURCES = [
    Source("wine, white", "wine_quality/winequality_white.csv", "quality"),
    Source("wine, red", "wine_quality/winequality_red.csv", "quality"),
    Source("cancer", "cancer/cancer_2809.csv", "Mortality_Rate", ("FIPS",)),
    Source("housing", "california_housing/california_housing.csv", "median_house_value"),
    Source("flight", "flight/flights_delay.csv.gz", "arr_delay"),
    Source("song", "song/song_7000.csv.gz", "year"),
    Source("adult, hours", "adult/adult_train.csv", "hours_per_week"),
    Source("credit, first bill", "credit_default/credit_default.csv.gz", "BILL_AMT1"),
]


@dataclasses.dataclass
class Data:
    name: str
    path: pathlib.Path
    target: str
    rows: int
    features: int
    ranges: dict

    def compare(self, epsilon, trials):
        ranges = [word for name, (low, high) in self.ranges.items()
                  for word in ("--range", f"{name}={low!r}:{high!r}")]
        return by_name(ask("compare", "regression", self.path, "--target", self.target, "--intercept",
                           *ranges, "--epsilon", epsilon, "--delta", DELTA, "--trials", trials,
                           "--confidential", "--method", *METHODS))


def numbers_of(line):
    try:
        return [float(field) for field in line]
    except ValueError:
        return None


def prepared(source, path):
    """Rows without missing values; columns that vary; ranges twice as wide as they are."""
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path, newline="")
    with opened as file:
        reader = csv.reader(file)
        header = next(reader)
        rows = [row for row in map(numbers_of, reader) if row is not None]
    names, columns = [], []
    for name, column in zip(header, zip(*rows)):
        if name not in source.without and min(column) < max(column):
            names.append(name)
            columns.append(column)
    target = workshop() / f"{source.name.replace(', ', '_').replace(' ', '_')}.csv"
    with open(target, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(zip(*columns))
    ranges = {}
    for name, column in zip(names, columns):
        low, high = min(column), max(column)
        ranges[name] = (low - (high - low) / 2, high + (high - low) / 2)
    return Data(source.name, target, source.target, len(rows), len(names) - 1, ranges)


def data_sets(quick):
    folder = data_folder()
    there = [source for source in SOURCES if (folder / source.path).exists()]
    if not there:
        raise DataMissing(f"no data in {folder}; MODICUM_DATA names another folder")
    return [prepared(source, folder / source.path) for source in there[:1 if quick else None]]


def cell(method):
    if method is None or "residual_ratio" not in method:
        return "-"
    ratio = method["residual_ratio"]
    return f"{ratio['median']:.4g} ({ratio['upper_decile']:.4g})"


def constant_of(found):
    """The error of the best constant over that of least squares: the same for every method."""
    method = next(iter(found.values()))
    return method["residual_ratio"]["mean"] / method["constant_ratio"]["mean"]


def rivals_of(data, rows, epsilon, runs):
    """Median and ninth decile, in the form of `compare`."""
    found = {}
    for name, rival in regression_rivals.RIVALS.items():
        errors = sorted(rival(rows, epsilon, DELTA, seed) for seed in range(runs))
        found[name] = {"residual_ratio": {"median": statistics.median(errors),
                                          "upper_decile": errors[min(len(errors) - 1, len(errors) * 9 // 10)]}}
    return found


def regressions(folder, name, quick):
    rows, panels = [], []
    if not regression_rivals.available():
        raise DataMissing("the rivals need numpy")
    columns = [*METHODS, *regression_rivals.RIVALS]
    for data in data_sets(quick):
        lines = {method: [] for method in columns}
        at_hand = regression_rivals.Rows(data)
        for epsilon in [1] if quick else [0.1, 0.3, 1, 3, 10]:
            large = data.rows * data.features > 2e5
            found = data.compare(epsilon, 3 if quick else 7 if large else 15)
            constant = constant_of(found)
            found.update(rivals_of(data, at_hand, epsilon, 3 if quick else 7))
            excess = {method: max(row["residual_ratio"]["median"] - 1, 1e-4)
                      for method, row in found.items()}
            rows.append([data.name, data.rows, data.features, epsilon,
                         *(cell(found.get(method)) for method in columns), constant])
            for method in columns:
                if method in found:
                    lines[method].append((epsilon, excess[method]))
        panels.append(pictures.Panel(
            f"{data.name}: {data.rows} rows, {data.features} features", "epsilon",
            "error over that of least squares, less 1",
            [*((WORDS.get(method, method), points) for method, points in lines.items() if points),
             ("constant", [(epsilon, constant - 1) for epsilon, _ in lines[METHODS[0]]])],
            logarithmic=(True, True), dots=True))
    picture = f"{name}.svg"
    pictures.draw(folder / picture, "Errors of private regressions over that of least squares", panels)
    return Result(
        "Private linear regressions on real tables",
        [("data", ""), ("rows", "d"), ("features", "d"), ("epsilon", "g"),
         *((WORDS.get(method, method), "") for method in columns), ("constant", ".4g")], rows,
        [f"Root mean square errors over that of least squares, medians of 15 releases (7 of large tables) "
         f"with the ninth decile in parentheses; delta = {DELTA:g}. The constant is the best one, without "
         "noise. Ranges are twice as wide as the values of a column, their middles the same: they come "
         "from the data, so that nothing here is a private release. All methods see the same ranges; "
         "AdaSSP has bounds of its own for features and target, and spends all of delta.",
         "The rivals, 7 runs each, are simulated. DP-SGD is accounted for exactly, with a tenth of the rows in each step, "
         "and has of 24 settings (100 or 400 steps, four clip norms, three rates) the one that did best on these rows "
         "in a run of its own: that is given to it for nothing. (On flight, whose feature crowds in a corner, none of "
         "them gets far.) The functional mechanism stands for diffprivlib, whose "
         "regression it is; it has one noise for all coefficients together, and spends no delta.",
         "The default takes second moments where rows are many for its budget, noisy gradient descent where they are "
         "fewer, and the mean below 50/mu rows (red wine at epsilon 0.1), where nothing is gained, and little lost.",
         "Draws are fresh in every run: the last digits change."], [picture])


STUDIES = [Study("models-regression", "all methods of regression on eight tables", regressions)]
