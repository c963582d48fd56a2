"""Releases: private numbers from rows in memory or in files, each with its certificate.

Rows are arrays, data frames, or paths of CSV, gzip, NPY and Parquet files; or what ``query=`` makes, such as
``"select age, wage from 'people.parquet' where year = 2024"``, in their place. What is said about them (ranges,
norm bounds, names) must be public knowledge. Arrays with entries that are not finite are refused, and
whether a call fails is not private: the certificate says so. There is no seed: anyone who knew it could remove
the noise again.
"""

from __future__ import annotations

import importlib
import json
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .commands import Answer, Certificate, Path, array_of, run, source_of
from .frames import columns_in, columns_of

Ranges = Mapping[str, tuple[float, float]]

# Statistics that read columns of any type; the others read numbers.
_everyday = ("count", "sum", "mean", "variance", "standard-deviation", "quantile", "median", "minimum", "maximum",
             "histogram")


class Release(NamedTuple):
    """Private numbers and what is promised about them."""

    values: NDArray[np.float64]
    row_names: list[str]
    column_names: list[str]
    certificate: Certificate
    #: how many times the standard deviation the classical Gaussian mechanism would have needed
    classical_noise_ratio: Optional[float]
    #: numbers that are not private, for the holder of the data only; empty unless asked for
    confidential: Mapping[str, float]
    #: what may be wrong, told from the released numbers alone
    warnings: Sequence[str] = ()

    def __repr__(self) -> str:
        rows, columns = self.values.shape
        return f"<Release: {self.certificate['mechanism']}, {rows} rows, columns {self.column_names}>"

    def __str__(self) -> str:
        rows, columns = self.values.shape
        if rows > 60 or columns > 8:
            return repr(self)
        cells = [["", *self.column_names]]
        cells += [[name, *(format(each, ".7g") for each in row)] for name, row in zip(self.row_names, self.values)]
        widths = [max(map(len, column)) for column in zip(*cells)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)

    def column(self, name: str) -> dict[str, float]:
        """One column, by the names of its rows."""
        if name not in self.column_names:
            raise _core.InvalidParameter(
                f"column is {name!r}, but must be one of: {', '.join(self.column_names)}")
        place = self.column_names.index(name)
        return dict(zip(self.row_names, self.values[:, place].tolist()))

    def to_frame(self) -> Any:
        """The numbers as a data frame of pandas, with the names of rows and columns."""
        pandas = importlib.import_module("pandas")  # needed here alone
        return pandas.DataFrame(self.values, index=self.row_names, columns=self.column_names)

    def save(self, path: Path, *, replace: bool = False) -> None:
        """Writes the numbers (.csv, .npy or .json) and beside them the certificate, which comes
        first: the same files as the program writes. Those of an earlier release are not replaced
        unless told so; its certificate is then kept beside, under a number."""
        _core.save(self.row_names, self.column_names, self.values, self.certificate.as_dict(),
                   path=os.fspath(path), replace=replace)


def release(kind: str, rows: Any = None, /, *, names: Optional[Sequence[str]] = None, **options: Any) -> Release:
    """``modicum release KIND`` with its options as named arguments.

    ``kind`` is the name of the command: "mean", "vector", "covariance", "regression", "components", ...
    ``rows``: an array, a data frame, or the path of a file; a Dask collection, with ``client=`` if needed;
    ``query``, or ``gathered`` (files of :func:`modicum.gather`), can replace them. ``range`` is a
    dictionary of pairs, ``range_of_all`` a pair.

    >>> release("vector", rows, statistic="mean", range_of_all=(0, 1), epsilon=1, delta=1e-6)
    """
    source = columns_of(rows, names, columns_in(options)) if kind in _everyday else source_of(rows, names)
    return released(f"release {kind}", source, **options)


def read_certificate(path: Path, /) -> Certificate:
    """The certificate in a file, or the one beside released numbers.

    >>> read_certificate("mean.csv").guarantee
    'proved'
    """
    place = os.fspath(path)
    if not place.endswith("certificate.json") and os.path.exists(f"{place}.certificate.json"):
        place = f"{place}.certificate.json"
    try:
        with open(place, encoding="utf-8") as file:
            tree = json.load(file)
    except (OSError, ValueError) as error:
        raise _core.UnreadableFile(f"{place}: is no certificate that can be read") from error
    if not isinstance(tree, dict) or not {"mechanism", "guarantee", "assumptions"} <= set(tree):
        raise _core.UnreadableFile(f"{place}: is no certificate")
    return Certificate(tree)


def explain_release(kind: str, rows: Any = None, /, *, names: Optional[Sequence[str]] = None,
                    **options: Any) -> Answer:
    """What ``release(kind, rows, ...)`` would do with each column, from the names and the options
    alone: nothing is released, and no budget is needed. With one, what would be promised and, with a
    ledger, what it would cost, too.

    >>> explain_release("covariance", "rows.csv", row_norm_bound=1).columns
    """
    source = columns_of(rows, names, ()) if kind in _everyday else source_of(rows, names)
    return run(f"release {kind}", source, explain=True, **options).answer


def released(command: str, source: Any, /, **options: Any) -> Release:
    """What a command releases. Its warnings, which follow from what is released, are given, too."""
    out = run(command, source, output="-", **options)
    assert out.values is not None
    said = [warning.replace("`", "") for warning in out.answer.get("warnings", [])]
    for warning in said:
        warnings.warn(warning, stacklevel=4)
    return Release(out.values, out.row_names, out.column_names, out.answer["certificate"],
                   out.answer.get("classical_noise_ratio"), out.answer.get("confidential", {}), said)


def release_vector(answer: ArrayLike, *, sensitivity: float, epsilon: Optional[float] = None,
                   delta: Optional[float] = None, noise: str = "gaussian", **options: Any) -> Release:
    """A vector that was computed elsewhere, with exact noise: normal, "l2", "spherical" or, for two
    numbers, "optimal"."""
    column = array_of("answer", answer, 1).reshape(-1, 1)
    return released("release vector", column, statistic="given", sensitivity=sensitivity,
                     epsilon=epsilon, delta=delta, noise=noise, **options)


def release_matrix(matrix: ArrayLike, *, sensitivity: float, epsilon: Optional[float] = None,
                   delta: Optional[float] = None, noise: str = "goe", failure: Optional[float] = None,
                   **options: Any) -> Release:
    """A symmetric matrix that was computed elsewhere; ``sensitivity`` in the Frobenius norm."""
    return released("release matrix", array_of("matrix", matrix, 2), sensitivity=sensitivity,
                     epsilon=epsilon, delta=delta, noise=noise, failure=failure, **options)


def lift(output: Callable[[Any], tuple[ArrayLike, ArrayLike]], data: Any, /, *, mean_shift: float,
         variance_excess: float, epsilon: Optional[float] = None, delta: Optional[float] = None, rank: int = 1,
         directions: Optional[ArrayLike] = None, **options: Any) -> Release:
    """A private draw from the Gaussian whose mean and covariance ``output(data)`` returns.

    On neighboring data sets the means differ by at most ``mean_shift``, one of the covariances is the
    larger one in all directions, by at most ``variance_excess``, and they differ in at most ``rank`` of
    them: you must know this of ``output``, and the certificate assumes it. With public ``directions``, a
    row each, a record moves the mean along one u of them, by ``mean_shift`` u at most, and adds up to
    ``variance_excess`` u u^T to the covariance: the noise then has about the least trace.

    >>> def noisy_mean(values):
    ...     return [sum(values) / 1000], [[0.0]]
    >>> modicum.lift(noisy_mean, [0.5] * 900, mean_shift=0.001, variance_excess=0, epsilon=1, delta=1e-6).values.shape
    (1, 1)
    """
    mean, covariance = output(data)
    return released("release lift", array_of("mean", mean, 1).reshape(-1, 1),
                    covariance=array_of("covariance", covariance, 2), mean_shift=mean_shift,
                    variance_excess=variance_excess, rank=rank,
                    directions=None if directions is None else array_of("directions", directions, 2),
                    epsilon=epsilon, delta=delta, **options)


def compare_regression(rows: Any, /, *, target: str, epsilon: float, delta: float,
                       names: Optional[Sequence[str]] = None, **options: Any) -> Answer:
    """Errors of all methods of private regression on one data set. Confidential."""
    return _compare("regression", rows, names, target=target, epsilon=epsilon, delta=delta, **options)


def compare_projection(rows: Any, /, *, epsilon: float, delta: float,
                       names: Optional[Sequence[str]] = None, **options: Any) -> Answer:
    """Errors of all methods of private sketches on one data set. Confidential."""
    return _compare("projection", rows, names, epsilon=epsilon, delta=delta, **options)


def compare_components(rows: Any, /, *, components: int, epsilon: float, delta: float,
                       names: Optional[Sequence[str]] = None, **options: Any) -> Answer:
    """Errors of all methods of private principal components on one data set. Confidential."""
    return _compare("components", rows, names, components=components, epsilon=epsilon, delta=delta,
                    **options)


def _compare(kind: str, rows: Any, names: Optional[Sequence[str]], /, **options: Any) -> Answer:
    return run(f"compare {kind}", source_of(rows, names), confidential=True, **options).answer
