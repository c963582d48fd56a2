"""Releases by objective perturbation, what each record lost, and reports on it."""

import csv
import dataclasses
import itertools
import pathlib

from least_squares import workshop
from program import ask

DELTA = 1e-6                # of the coefficients
RHO = 8.465e-6              # the paper's, at which it finds tau = 12 for d = 50
FAILURE = 2 * RHO           # of a bound, in all
METHODS = ["data-dependent", "adaptive"]

CONFIDENTIAL = (
    "The loss of a record depends on all the data: it is for their holder, and may not be "
    "published. These data are public or made up, so that it does no harm here.")

BOUNDS = (
    "The bounds are `if in the data` of `modicum report evaluate`; each fails with probability "
    f"{FAILURE:g}, twice the rho at which the paper says tau = 12, and any of n with n times that.")


@dataclasses.dataclass
class Table:
    """Data, and how `modicum release` is to read them."""
    path: pathlib.Path
    rows: int
    arguments: list         # kind of regression first


@dataclasses.dataclass
class Release:
    """Coefficients, what every record lost to them, and the bound that costs nothing."""
    table: Table
    path: pathlib.Path
    parameters: dict
    losses: list
    free: list


@dataclasses.dataclass
class Report:
    bounds: list
    published: list
    path: pathlib.Path


numbers = itertools.count()


def fresh(ending):
    return workshop() / f"per-instance-{next(numbers)}.{ending}"


def release(table, epsilon, delta=DELTA):
    kind, *arguments = table.arguments
    coefficients, losses = fresh("csv"), fresh("csv")
    certificate = ask("release", kind, table.path, "--method", "objective", *arguments,
                      "--epsilon", epsilon, "--delta", delta, "--output",
                      coefficients)["certificate"]
    ask("report", "per-instance", table.path, "--release", coefficients, "--confidential",
        "--failure", FAILURE, "--output", losses)
    with open(losses, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return Release(table, coefficients, certificate["parameters"],
                   [float(row["epsilon_1"]) for row in rows], [float(row["bound"]) for row in rows])


def planned(released, method, epsilon, delta, shares):
    """The arguments that plan a report; (epsilon, delta) is for it and the coefficients."""
    divided = ["--shares", ",".join(f"{share:g}" for share in shares)] if shares else []
    return ["--release", released.path, "--method", method, "--failure", FAILURE, "--epsilon",
            epsilon, "--delta", delta, *divided]


def report(released, method, epsilon, delta, shares=()):
    path = fresh("json")
    ask("report", "per-instance", released.table.path, "--output", path,
        *planned(released, method, epsilon, delta, shares))
    told = ask("report", "evaluate", path, "--records", released.table.path)["records"]
    return Report([one["inside"] for one in told], [one["published"] for one in told],
                  path)


def budget(released, method, epsilon, delta, shares=()):
    return ask("report", "budget", *planned(released, method, epsilon, delta, shares))


def above(losses, bounds):
    return sum(loss > bound for loss, bound in zip(losses, bounds))


def tau(dimension):
    """Of (Z + Z^T)/sqrt 2, as the paper defines it."""
    found = ask("quantile", "goe", "--dimension", dimension, "--upper-tail", RHO / 2)
    return found["quantile"]["upper"]
