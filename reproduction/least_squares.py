"""Tables 1 to 4 and Figure 6 of the least-squares paper, arXiv:2309.01243v3, on its data."""

import atexit
import csv
import dataclasses
import functools
import gzip
import json
import math
import os
import pathlib
import shutil
import tempfile

from program import ask
from study import Result, Study

EPSILON = 1
NO_NOISE = 1 - 1e-9     # a delta that needs no noise


class DataMissing(Exception):
    pass


@dataclasses.dataclass
class Source:
    """A table of the paper: a column of ones, features, and the target last."""
    name: str
    path: str               # below the folder of data
    target: str
    features: tuple         # empty: all others
    columns: int = 0        # of the sketch; 0: log(n) / 0.1^2


SOURCES = [
    Source("Cancer", "cancer/cancer_2809.csv", "Mortality_Rate",
           ("Incidence_Rate", "All_Poverty_PC", "Med_Income", "All_With_PC", "All_Without_PC",
            "Rising", "Falling", "POPESTIMATE2015", "All_Poverty", "All_With", "All_Without"), 300),
    Source("Song", "song/song_7000.csv.gz", "year", ()),
    Source("Flight", "flight/flights_delay.csv.gz", "arr_delay", ("dep_delay",)),
]

# As printed: sigma, distance ratio, dot product ratio (Tables 1 and 2); sigma, error (Table 2);
# delta of projection and of approximate least squares without noise (Tables 3 and 4); error of
# Gaussian noise on the solution and of approximate least squares (Table 4).
PRINTED = {
    "Cancer": {"projection": ("6.850", "18.942 ± 0.036", "0.399 ± 0.005", "1.001 ± 0.012"),
               "singular-value": ("20.317", "56.116 ± 0.130", "0.379 ± 0.005", "1.022 ± 0.013"),
               "least-squares": ("7.917", "", "", "0.996 ± 0.011"),
               "inherent": ("0.999", "0.999 ± 0.003", "0.998 ± 0.001"),
               "relative-gaussian": "2.563 ± 0.127", "approximate": ("0.133", "0.656 ± 0.072")},
    "Song": {"projection": ("0.224", "2.146 ± 0.001", "0.787 ± 0.002", "0.752 ± 0.001"),
             "singular-value": ("12.496", "7.373 ± 0.004", "0.445 ± 0.001", "0.996 ± 0.002"),
             "least-squares": ("3.374", "", "", "0.983 ± 0.003"),
             "inherent": ("0.135", "1.000 ± 0.001", "0.993 ± 0.000"),
             "relative-gaussian": "0.001 ± 0.000", "approximate": ("1.079e-9", "0.001 ± 0.000")},
    "Flight": {"projection": ("0.745", "1.763 ± 0.005", "1.064 ± 0.004", "0.395 ± 0.005"),
               "singular-value": ("2.060", "3.989 ± 0.013", "0.868 ± 0.004", "0.789 ± 0.006"),
               "least-squares": ("0.864", "", "", "0.465 ± 0.006"),
               "inherent": ("<= 1e-16", "0.998 ± 0.003", "1.123 ± 0.000"),
               "relative-gaussian": "0.001 ± 0.000", "approximate": ("<= 1e-16", "0.016 ± 0.001")},
}

SETTING = (
    "epsilon = 1, delta = 1/n; r = 300 for Cancer and log(n)/0.01 for the others, as in the paper. "
    "Means of 100 trials with 95 % confidence intervals; they are random, and the last digits "
    "change with every run. The tables are scaled as the paper's numbers show that it did: a column "
    "of ones is added, every column has Euclidean norm 1, and the row bound l is the largest norm of "
    "a row. Scales and l come from the data, so that nothing here is a private release. Cancer is "
    "the twelve columns that are neither counts of men or of women nor codes: its l is then 1.1075, "
    "which is also the ratio of the paper's sigma to what its formula says for l = 1. For Flight l "
    "is 0.0732; the paper's sigma need 0.0722. Song is a random subset of 7,000 rows of the paper's "
    "515,345: its numbers cannot be compared. The paper prints the sizes of Song and Flight the "
    "wrong way round.")


def data_folder():
    """MODICUM_DATA, or shared/data beside the repository."""
    given = os.environ.get("MODICUM_DATA")
    beside = pathlib.Path(__file__).resolve().parents[2] / "shared" / "data"
    return pathlib.Path(given) if given else beside


@functools.lru_cache(maxsize=None)
def workshop():
    folder = tempfile.mkdtemp(prefix="modicum-study.")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return pathlib.Path(folder)


@dataclasses.dataclass
class Data:
    name: str
    path: pathlib.Path
    target: str
    rows: int
    columns: int            # of the sketch
    bound: float            # l

    def arguments(self, delta=None):
        return [self.path, "--row-norm-bound", self.bound, "--epsilon", EPSILON, "--delta",
                1 / self.rows if delta is None else delta, "--confidential"]

    def inherent(self):
        return ask("audit", "inherent", self.path, "--target", self.target, "--columns",
                   self.columns, "--epsilon", EPSILON, "--confidential")


def read_rows(path, names):
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path, newline="")
    with opened as file:
        reader = csv.reader(file)
        header = next(reader)
        places = [header.index(name) for name in names or header]
        return [header[place] for place in places], [
            [float(row[place]) for place in places] for row in reader]


def prepared(source, path):
    """Adds ones, scales every column to norm 1 and writes the table for the program."""
    wanted = [*source.features, source.target] if source.features else []
    names, rows = read_rows(path, wanted)
    if not wanted:      # the target last
        place = names.index(source.target)
        order = [*range(place), *range(place + 1, len(names)), place]
        names, rows = [names[i] for i in order], [[row[i] for i in order] for row in rows]
    names, rows = ["one", *names], [[1.0, *row] for row in rows]
    norms = [math.sqrt(math.fsum(x * x for x in column)) for column in zip(*rows)]
    rows = [[x / norm for x, norm in zip(row, norms)] for row in rows]
    target = workshop() / f"{source.name}.csv"
    with open(target, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rows)
    bound = math.sqrt(max(math.fsum(x * x for x in row) for row in rows))
    columns = source.columns or round(math.log(len(rows)) / 0.01)
    return Data(source.name, target, source.target, len(rows), columns, bound)


@functools.lru_cache(maxsize=None)
def data_sets(quick):
    folder = data_folder()
    there = [source for source in SOURCES if (folder / source.path).exists()]
    if not there:
        raise DataMissing(f"no data in {folder}; MODICUM_DATA names another folder")
    return [prepared(source, folder / source.path) for source in there[:1 if quick else None]]


def spread(value):
    if value is None or value["mean"] is None:
        return "-"
    return f"{value['mean']:.4g} ± {value['half_width']:.2g}"


def by_name(answer):
    return {method["name"]: method for method in answer["methods"]}


def compare(kind, data, methods, *arguments, delta=None, quick=False, columns=True):
    target = ["--target", data.target] if kind == "regression" else []
    sketch = ["--columns", data.columns] if columns else []
    return by_name(ask("compare", kind, *data.arguments(delta), *target, *sketch, "--trials",
                       10 if quick else 100, "--method", *methods, *arguments))


def sigma(method):
    """The root of the ridge, on average where each trial finds its own."""
    return f"{math.sqrt(method['ridge_used']['mean']):.4g}"


def published_delta(data):
    """The delta that the published ridge truly has: with it as a target, that ridge comes out."""
    found = ask("calibrate", "projection", "--columns", data.columns, "--row-norm-bound",
                data.bound, "--epsilon", EPSILON, "--delta", 1 / data.rows)
    description = {"mechanism": "projection_release", "columns": data.columns,
                   "ridge": found["published_ridge"], "row_norm_bound": data.bound}
    path = workshop() / "published.json"
    path.write_text(json.dumps(description), encoding="utf-8")
    return ask("profile", path, "--epsilon", EPSILON)["delta"]["upper"]


def projection_row(data, label, method, delta, printed):
    sigma_printed, distance, product = printed[:3]
    return [data.name, label, delta, sigma(method), sigma_printed,
            spread(method["distance_ratio"]), distance,
            spread(method["dot_product_correlation"]), product,
            spread(method["off_diagonal_correlation"]),
            spread(method["relative_spectral_error"])]


PROJECTION_COLUMNS = [("data", ""), ("method", ""), ("delta", ".5g"), ("sigma, ours", ""),
                      ("sigma, paper", ""), ("distance ratio, ours", ""),
                      ("distance ratio, paper", ""), ("correlation, ours", ""),
                      ("correlation, paper", ""), ("off the diagonal", ""),
                      ("spectral error", "")]

MEASURES = (
    "The distance ratio is the mean of |M_i - M_j| / (sqrt(r) |D_i - D_j|) over pairs of columns of "
    "D; the correlation that of the dot products of all ordered pairs of columns before and after. "
    "The paper's numbers come out only if the product of a column with itself is taken too, and "
    "there the ridge is: the column *off the diagonal* leaves those out, and shows how little of the "
    "products between columns survives on Cancer. The paper's values above 1 for Flight cannot be "
    "correlations.")


def table_1(_folder, _name, quick):
    rows = []
    for data in data_sets(quick):
        printed, delta = PRINTED[data.name], 1 / data.rows
        found = compare("projection", data, ["projection", "propose-test-release",
                                             "singular-value", "additive"], quick=quick)
        true = published_delta(data)
        paper = compare("projection", data, ["projection"], delta=true, quick=quick)
        none = ("-", "-", "-")
        rows += [
            projection_row(data, "projection, ridge as published", paper["projection"], delta,
                           printed["projection"]),
            projection_row(data, "projection, our ridge", found["projection"], delta, none),
            projection_row(data, "propose-test-release", found["propose-test-release"], delta,
                           none),
            projection_row(data, "least singular value [15]", found["singular-value"], delta,
                           printed["singular-value"]),
            projection_row(data, "additive noise", found["additive"], delta, none)]
    return Result("Least-squares paper, Table 1: private projections", PROJECTION_COLUMNS, rows,
                  [SETTING, MEASURES,
                   "sigma is the square root of the ridge. Ours is l^2 (1/p* - 1) where the paper "
                   "has l^2/p*: the leverage that counts is that in the larger data set. "
                   "Propose-test-release pays for its test and gains nothing here: the least "
                   "eigenvalues are small. The paper's sigma of 0.224 for a projection of Song "
                   "contradicts its own formula: beside 12.496 for [15] it should be about 4.5."], [])


def regression_row(data, label, method, printed=("-", "-")):
    noise = method.get("sigma", method.get("standard_deviation", 0))
    return [data.name, label, method["guarantee"],
            f"{method['columns']:g}" if "columns" in method else "-", f"{noise:.4g}", printed[0],
            spread(method.get("relative_error")), printed[1]]


REGRESSION_COLUMNS = [("data", ""), ("method", ""), ("guarantee", ""), ("r", ""),
                      ("sigma, ours", ""), ("sigma, paper", ""), ("error, ours", ""),
                      ("error, paper", "")]

DRAWN = ["least-squares", "approximate", "projection"]


def table_2(_folder, _name, quick):
    rows, remarks = [], []
    for data in data_sets(quick):
        printed = PRINTED[data.name]
        outer = {name: (values[0], values[3]) for name, values in printed.items()
                 if name in ("least-squares", "projection", "singular-value")}
        found = compare("regression", data, [*DRAWN, "covariance", "singular-value", "additive",
                                             "adaptive-sufficient-statistics"], quick=quick)
        chosen = compare("regression", data, DRAWN, quick=quick, columns=False)
        rows += [regression_row(data, name, method, outer.get(name, ("-", "-")))
                 for name, method in found.items()]
        rows += [regression_row(data, f"{name}, default r", method) for name, method in chosen.items()]
        features = ask("audit", "inherent", data.path, "--columns", 1, "--confidential")
        calibrated = ask("calibrate", "least-squares", "--columns", data.columns, "--features",
                         features["dimension"] - 1, "--row-norm-bound", data.bound, "--epsilon",
                         EPSILON, "--delta", 1 / data.rows)
        published = [math.sqrt(calibrated[key]) for key in ("published_ridge", "ridge")]
        remarks.append(f"{data.name}: the paper's formula gives sigma = {published[0]:.4g} for "
                       f"least squares (printed: {printed['least-squares'][0]}); "
                       f"{published[1]:.4g} is enough for all neighbors.")
    return Result(
        "Least-squares paper, Table 2: private regressions", REGRESSION_COLUMNS, rows,
        [SETTING, *remarks,
         "The error is |x - x*| / |x*|, x* the solution of least squares on the same rows; an answer "
         "of zeros has error 1. sigma is the square root of the ridge, and for *covariance* and "
         "*adaptive-sufficient-statistics* (AdaSSP, what people use today) the deviation of the "
         "noise on second moments. `approximate` is what the paper calls M_ALS, `least-squares` its "
         "M_LS; its projection has the published ridge, l^2 more than ours. *default r*: what `modicum "
         "release regression` takes without being told, max(100, 10 (d + 1)).",
         "On Cancer and Song no method tells more than zeros would: the noise is for any rows of "
         "norm l, and these tables are small beside it. On Flight the paper finds that M_RP beats "
         "M_LS, since the ridge of M_LS must be larger; with the ridge that is needed it is the other "
         "way round. Fewer columns than the paper's log(n)/0.01 need a smaller ridge and serve better "
         "there, and exact noise on the second moments, without any sketch, better still."], [])


def without_noise(kind, data, quick, *declared):
    """The draws themselves: relative to a set, at a delta that anything meets."""
    return compare(kind, data, ["relative"], *declared, delta=NO_NOISE, quick=quick).get("relative")


def draw_figure_6(folder, name, curves):
    paths = []
    for label, columns, leverage in curves:
        path = workshop() / f"inherent-{label}.json"
        path.write_text(json.dumps({"mechanism": "random_projection", "columns": columns,
                                    "leverage": leverage}), encoding="utf-8")
        paths.append(path)
    labels = [item for label, columns, _ in curves for item in ("--label", f"{label}, r {columns}")]
    ask("plot", "profile", *paths, *labels, "--epsilon-from", 0, "--epsilon-to", 2,
        "--title", "Projections without noise, relative to one data set", "--output",
        folder / f"{name}.svg")


def table_3(folder, name, quick):
    rows, curves = [], []
    for data in data_sets(quick):
        printed, delta = PRINTED[data.name], 1 / data.rows
        leverage = data.inherent()
        inherent = leverage["points"][0]["projection_delta"]
        declared = ["--set-leverage", leverage["leverage"] * (1 + 1e-9)]
        curves.append((data.name, data.columns, leverage["leverage"]))
        plain = without_noise("projection", data, quick, *declared)
        found = compare("projection", data, ["relative", "singular-value", "additive"], *declared,
                        quick=quick)
        if plain:
            rows.append(projection_row(data, "no noise", plain, inherent,
                                       ("0", *printed["inherent"][1:])))
        rows += [projection_row(data, "relative", found["relative"], delta, ("-", "-", "-")),
                 projection_row(data, "least singular value [15]", found["singular-value"], delta,
                                printed["singular-value"]),
                 projection_row(data, "additive noise", found["additive"], delta,
                                ("-", "-", "-"))]
    draw_figure_6(folder, name, curves)
    inherent_words = "; ".join(f"{data.name} {PRINTED[data.name]['inherent'][0]}"
                               for data in data_sets(quick))
    return Result(
        "Least-squares paper, Table 3 and Figure 6: projections relative to one data set",
        PROJECTION_COLUMNS, rows,
        [SETTING, MEASURES,
         f"The paper's delta without noise at epsilon = 1: {inherent_words}. The set is the data "
         "set and its neighbors by one of its own rows, which is private itself: relative to it, "
         "nothing is promised to the public. `modicum audit inherent` computes it, for the holder "
         "of the data only. Where the delta without noise is above 1/n, the relative mechanism adds "
         "the ridge of Table 1. *Additive noise* is calibrated to the row bound here, for all data "
         "sets; the paper calibrates [17] to the set."],
        [f"{name}.svg"])


def table_4(_folder, _name, quick):
    rows, remarks = [], []
    for data in data_sets(quick):
        printed, inherent = PRINTED[data.name], data.inherent()
        regression = inherent["regression"]
        delta, paper_delta = (inherent["points"][0]["least_squares_delta"],
                              printed["approximate"][0])
        declared = ["--set-leverage", regression["set_leverage"] * (1 + 1e-9), "--set-residual",
                    regression["set_residual"] * (1 + 1e-9)]
        plain = without_noise("regression", data, quick, *declared)
        if plain:
            rows.append(regression_row(data, "no noise", plain, ("0", printed["approximate"][1])))
        found = compare("regression", data, ["relative", "relative-gaussian", "singular-value"],
                        *declared, "--solution-sensitivity",
                        regression["solution_sensitivity"] * (1 + 1e-9), quick=quick)
        outer = {"relative-gaussian": ("-", printed["relative-gaussian"]),
                 "singular-value": (printed["singular-value"][0], printed["singular-value"][3])}
        rows += [regression_row(data, label, method, outer.get(label, ("-", "-")))
                 for label, method in found.items()]
        remarks.append(
            f"{data.name}: without noise delta is {delta:.4g} (paper: {paper_delta}), the largest "
            f"leverage of a row {regression['set_leverage']:.4g}, its largest share of the squared "
            f"residual {regression['set_residual']:.4g}, and it moves the solution by at most "
            f"{regression['solution_sensitivity']:.4g}.")
    return Result(
        "Least-squares paper, Table 4: regressions relative to one data set", REGRESSION_COLUMNS,
        rows,
        [SETTING, *remarks,
         "*No noise* is a draw from the limit law of approximate least squares on the data as they "
         "are. *relative* adds the ridge of Table 2 unless the supremum over the declared largest "
         "leverage and residual meets the target, which is a stronger condition than the paper's. "
         "*relative-gaussian* is noise on the solution, its sensitivity taken from the data set and "
         "its neighbors (sigma: its deviation). Such a set is private itself: a diagnostic, no "
         "promise to the public."], [])


STUDIES = [
    Study("least-squares-table-1", "private projections of the paper's data", table_1),
    Study("least-squares-table-2", "private regressions on the paper's data", table_2),
    Study("least-squares-table-3", "projections relative to one data set", table_3),
    Study("least-squares-table-4", "regressions relative to one data set", table_4),
]
