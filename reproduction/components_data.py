"""Genotypes for the studies of private principal components, and what the program says of them."""

import csv
import dataclasses
import functools
import itertools
import pathlib
import random
from concurrent.futures import ThreadPoolExecutor

from least_squares import data_folder, workshop
from program import ask

FILE = "genotypes_1000g/geno_1000g_r2_50.csv"
LABEL = "super_pop"
# "Hispanic" in the paper is AMR, admixed American.
GROUPS = ["AFR", "AMR", "EAS", "EUR", "SAS"]
COLUMNS = 200
RANKS = [1, 2, 3]           # of the span: how many components
LEVELS = [0.5, 1, 1.5]      # mu
DRAWS = 30000               # as in the paper


@dataclasses.dataclass(frozen=True)
class Genotypes:
    path: pathlib.Path
    words: str              # where the rows are from
    rows: int
    columns: int
    eigenvalues: pathlib.Path

    def reading(self):
        """How the program is to read the rows."""
        return [self.path, "--exclude", LABEL, "--ranks"]

    def spectrum(self, components):
        return ["components", "--eigenvalues", self.eigenvalues, "--rows", self.rows,
                "--components", *([components] if isinstance(components, int) else components)]


def chosen(path):
    """200 of the SNPs, the same in every run, in the order of the file; groups by name."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    markers = [place for place, column in enumerate(header) if column.startswith("rs")]
    used = sorted(random.Random(2504).sample(markers, COLUMNS))
    label = header.index(LABEL)
    yield [LABEL, *(header[place] for place in used)]
    for row in rows:
        yield [GROUPS[int(row[label])], *(row[place] for place in used)]


def made_up(people, places):
    """Five groups; how common a variant is differs between them, about half of them alike."""
    chance = random.Random(2505)
    common = [chance.uniform(0.2, 0.8) for _ in range(places)]
    often = {group: [min(max(each + chance.gauss(0, spread), 0.02), 0.98) for each in common]
             for group, spread in zip(GROUPS, (0.25, 0.06, 0.2, 0.12, 0.06))}
    yield [LABEL, *(f"place_{place + 1}" for place in range(places))]
    for _ in range(people):
        group = chance.choice(GROUPS)
        yield [group, *((chance.random() < each) + (chance.random() < each)
                        for each in often[group])]


@functools.lru_cache(maxsize=None)
def genotypes(quick):
    """The data where they are; else a made-up table of the same shape, or a smaller one."""
    source, target = data_folder() / FILE, workshop() / "genotypes.csv"
    real = source.exists()
    lines = chosen(source) if real else made_up(*((600, 60) if quick else (2504, COLUMNS)))
    with open(target, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(lines)
    eigenvalues = workshop() / "eigenvalues.json"
    found = ask("report", "spectrum", target, "--exclude", LABEL, "--ranks", "--confidential",
                "--output", eigenvalues)
    rows, columns = int(found["rows"]), int(found["dimension"])
    words = (
        f"1000 Genomes, phase 3: {rows} people, {columns} SNPs, chosen with a fixed seed of the "
        f"273 in `{FILE}`, by ranks as in the paper. The paper has 200 of 466,487 SNPs from the "
        "whole genome; these lie in a few gene regions. Eigenvalues differ, and with them every "
        "beta: only what the paper says in words can be compared." if real else
        f"Made-up data, since there is no {source.name}: {rows} people of five groups, {columns} "
        "places of the genome, by ranks as in the paper.")
    return Genotypes(target, words, rows, columns, eigenvalues)


CONFIDENTIAL = (
    "Eigenvalues, and what is computed from them, are as confidential as the rows. These data are "
    "public or made up, so that it does no harm here.")


SAMPLER = (
    "One component is drawn exactly, several by Gibbs sampling with exact columns, which is "
    "approximate. The paper has Gibbs sampling throughout, 50 sweeps a draw.")


def plateau(data, components):
    """Where the privacy plateau is, which the calibration for any mu tells."""
    return ask("calibrate", *data.spectrum(components), "--ranks", "--mu", 1e3)


def calibrated(data, components, mu):
    """None where no beta that shows all components has so small a mu."""
    if not mu >= plateau(data, components)["mu_minimum"]:
        return None
    return ask("calibrate", *data.spectrum(components), "--ranks", "--mu", mu)


def at_once(work, *lists):
    """Results in order; two processes at a time."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(work, *lists))


def audit(data, components, draws, *arguments):
    return ask("audit", *data.spectrum(components), "--ranks", "--draws", draws, *arguments)


def written(folder, name, columns, rows):
    """The points of a picture."""
    with open(folder / f"{name}-points.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([each if isinstance(each, str) else f"{each:.6g}" for each in row]
                         for row in rows)


numbers = itertools.count()


def fresh(ending):
    return workshop() / f"components-{next(numbers)}.{ending}"
