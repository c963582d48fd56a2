"""Releases: private numbers from rows in memory or in files, each with its certificate.

Rows are arrays, data frames, or paths of CSV, gzip and NPY files. What is said about them (ranges,
norm bounds, names) must be public knowledge. Arrays with entries that are not finite are refused, and
that a call fails is not private: the certificate says so. There is no seed: whoever knows it could take the
noise off again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .commands import Answer, Certificate, Path, array_of, run, source_of

Ranges = Mapping[str, tuple[float, float]]


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

    def __repr__(self) -> str:
        rows, columns = self.values.shape
        return f"<Release: {self.certificate['mechanism']}, {rows} rows, columns {self.column_names}>"

    def column(self, name: str) -> dict[str, float]:
        """One column, by the names of its rows."""
        if name not in self.column_names:
            raise _core.InvalidParameter(
                f"column is {name!r}, but must be one of: {', '.join(self.column_names)}")
        place = self.column_names.index(name)
        return dict(zip(self.row_names, self.values[:, place].tolist()))

    def save(self, path: Path, *, replace: bool = False) -> None:
        """Writes the numbers (.csv, .npy or .json) and beside them the certificate, which comes
        first: the same files as the program writes. Those of an earlier release are not replaced
        unless told so; its certificate is then kept beside, under a number."""
        _core.save(self.row_names, self.column_names, self.values, self.certificate.as_dict(),
                   path=os.fspath(path), replace=replace)


def release(kind: str, rows: Any, /, *, names: Optional[Sequence[str]] = None, **options: Any) -> Release:
    """``modicum release KIND`` with its options as named arguments.

    ``kind``: vector, projection, covariance, regression, logistic, gaussian-process or components.
    ``rows``: an array, a data frame, or the path of a file. ``range`` is a dictionary of pairs,
    ``range_of_all`` a pair.

    >>> release("vector", rows, statistic="mean", range_of_all=(0, 1), epsilon=1, delta=1e-6)
    """
    source = source_of(rows, names)
    return _released(f"release {kind}", source, **options)


def explain_release(kind: str, rows: Any, /, *, names: Optional[Sequence[str]] = None,
                    **options: Any) -> Answer:
    """What ``release(kind, rows, ...)`` would do with each column, from the names and the options
    alone: nothing is released, and no budget is needed.

    >>> explain_release("covariance", "rows.csv", row_norm_bound=1).columns
    """
    return run(f"release {kind}", source_of(rows, names), explain=True, **options).answer


def _released(command: str, source: Any, /, **options: Any) -> Release:
    out = run(command, source, output="-", **options)
    assert out.values is not None
    return Release(out.values, out.row_names, out.column_names, out.answer["certificate"],
                   out.answer.get("classical_noise_ratio"), out.answer.get("confidential", {}))


def release_sum(rows: Any, /, *, epsilon: float, delta: float, range: Optional[Ranges] = None,
                row_norm_bound: Optional[float] = None, noise: str = "gaussian",
                **options: Any) -> Release:
    """The sum of the rows. Columns with a range count in units in which it is [-1, 1]; centers and
    scales are in the certificate."""
    return release("vector", rows, statistic="sum", epsilon=epsilon, delta=delta, range=range,
                   row_norm_bound=row_norm_bound, noise=noise, **options)


def release_mean(rows: Any, /, *, epsilon: float, delta: float, range: Optional[Ranges] = None,
                 row_norm_bound: Optional[float] = None, noise: str = "gaussian",
                 **options: Any) -> Release:
    """The mean of the rows; their number is released with it unless ``rows=`` tells it. The column
    "mean" is in the units of the rows, "sum" in those that ranges make."""
    return release("vector", rows, statistic="mean", epsilon=epsilon, delta=delta, range=range,
                   row_norm_bound=row_norm_bound, noise=noise, **options)


def release_histogram(rows: Any, /, *, epsilon: float, delta: float, column: str,
                      edges: Optional[Sequence[float]] = None,
                      categories: Optional[Sequence[str]] = None, noise: str = "gaussian",
                      **options: Any) -> Release:
    """How many rows fall between ``edges``, or into ``categories``, of one column: "value"."""
    if categories is not None and (isinstance(categories, str) or not all(
            isinstance(each, str) and "," not in each for each in categories)):
        raise _core.InvalidParameter("categories must be a list of texts without commas")
    return release(
        "vector", rows, statistic="histogram", select=column, epsilon=epsilon, delta=delta,
        edges=None if edges is None else ",".join(
            repr(edge) for edge in array_of("edges", edges, 1).tolist()),
        categories=None if categories is None else ",".join(categories), noise=noise, **options)


def release_vector(answer: ArrayLike, *, sensitivity: float, epsilon: float, delta: float,
                   noise: str = "gaussian", **options: Any) -> Release:
    """A vector that was computed elsewhere, with exact noise: normal, "l2" or "spherical"."""
    column = array_of("answer", answer, 1).reshape(-1, 1)
    return _released("release vector", column, statistic="given", sensitivity=sensitivity,
                     epsilon=epsilon, delta=delta, noise=noise, **options)


def release_matrix(matrix: ArrayLike, *, sensitivity: float, epsilon: float, delta: float,
                   noise: str = "goe", failure: Optional[float] = None,
                   **options: Any) -> Release:
    """A symmetric matrix that was computed elsewhere; ``sensitivity`` in the Frobenius norm."""
    return _released("release matrix", array_of("matrix", matrix, 2), sensitivity=sensitivity,
                     epsilon=epsilon, delta=delta, noise=noise, failure=failure, **options)


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
