"""Private regressions: linear ones, and values of a Gaussian process at public points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from .commands import Table
from .private_estimator import (LinearRelease, Pair, PrivateEstimator, Ranges, as_pair, beside, rows_of,
                                target_name, validated)


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateLinearRegression(RegressorMixin, LinearRelease):
    """Linear regression from one private release.

    ``method``: "preconditioned" (looks at means and spread first; the default), "covariance" (noise on
    the second moments), "least-squares" (a sketch of ``columns`` columns), "objective" (a random linear term in what is minimized; ``loss`` is "huber"
    or "squared"), and others of ``modicum release regression``. ``row_norm_bound`` is that of
    features and target together, after ranges; for "objective" that of the features, and
    ``target_range`` is needed.

    Attributes: ``coef_``, ``intercept_``, ``certificate_``, ``release_``; with "preconditioned" also
    ``standard_errors_`` of ``coef_``, with noise and sampling (NaN where there were too few rows for
    coefficients, which then are 0), ``intervals_`` (95 %, a row each) and
    ``residual_standard_deviation_``.
    """

    target_range: Optional[Pair] = None
    method: Optional[str] = None
    columns: Optional[int] = None
    loss: Optional[str] = None
    regularization: Optional[float] = None
    largest_rows: Optional[int] = None

    def fit(self, X: Any = None, y: Any = None, *, query: Optional[str] = None) -> PrivateLinearRegression:
        """Releases the coefficients."""
        given = y
        X, y = rows_of(self, X, y, query=query, dtype=np.float64, y_numeric=True)
        names = self._names()
        target = target_name(names, given)
        ranges = self._ranges(names, self.ranges)
        if self.target_range is not None:
            ranges[target] = as_pair(self.target_range)
        self.coef_, self.intercept_ = self._fit_linear(
            "regression", X, y, ranges, target, method=self.method, columns=self.columns,
            loss=self.loss, regularization=self.regularization, largest_rows=self.largest_rows)
        found = self.release_
        if "standard_error" in found.column_names:
            last = found.column_names.index("upper") + 1
            own = found.values[-len(names):]
            self.standard_errors_, self.intervals_ = own[:, last - 3], own[:, last - 2:last]
            self.residual_standard_deviation_ = found.certificate["parameters"].get(
                "residual_standard_deviation", float("nan"))
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Costs nothing: the coefficients are public."""
        return self._predicted(X)


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateGaussianProcessRegressor(RegressorMixin, PrivateEstimator):
    """A draw from the posterior of a Gaussian process at public points, with noise.

    ``query_points`` are public, in the units of the features: a row each. Without them a fixed grid
    within ``ranges`` is taken: 25 points for one feature, 32 for each of several. ``kernel``,
    ``length_scale``, ``amplitude`` and ``noise_variance`` count in units in which ``ranges`` and
    ``target_range`` are [-1, 1]. No data set may have more than ``largest_rows`` rows.

    ``predict`` carries the released values on to other points by the same prior, which costs
    nothing.

    Attributes: ``query_points_``, ``values_``, ``certificate_``, ``release_``.
    """

    _required_parameters: ClassVar[tuple[str, ...]] = ("ranges", "target_range", "largest_rows")

    ranges: Ranges = field()
    target_range: Pair
    largest_rows: int
    noise_variance: float = 0.1
    kernel: str = "rbf"
    length_scale: float = 1.0
    amplitude: float = 1.0
    query_points: Optional[ArrayLike] = None

    def _queries(self, ranges: Mapping[str, Pair]) -> NDArray[np.float64]:
        if self.query_points is not None:
            points = np.asarray(self.query_points, dtype=np.float64)
            return points.reshape(-1, 1) if points.ndim == 1 else points
        missing = [name for name in self._names() if name not in ranges]
        if missing:
            raise _core.InvalidParameter(
                f"ranges are missing for {missing[0]!r}, but must be given without query_points")
        low, high = np.array([ranges[name] for name in self._names()]).T
        if low.size == 1:
            return np.linspace(low, high, 25)
        from scipy.stats import qmc
        unit = qmc.Halton(d=low.size, scramble=False).random(32 * low.size + 1)[1:]
        return low + unit * (high - low)

    def fit(self, X: Any = None, y: Any = None, *, query: Optional[str] = None) -> PrivateGaussianProcessRegressor:
        """Releases the values at the query points."""
        given = y
        X, y = rows_of(self, X, y, query=query, dtype=np.float64, y_numeric=True)
        names = self._names()
        target = target_name(names, given)
        ranges = self._ranges(names, self.ranges)
        self.query_points_ = self._queries(ranges)
        table = Table(beside(X, y), [*names, target])
        length_scale = None if self.kernel == "linear" else self.length_scale
        found = self._released(
            "gaussian-process", table, target=target, kernel=self.kernel, length_scale=length_scale,
            range={**ranges, target: as_pair(self.target_range)}, amplitude=self.amplitude,
            noise_variance=self.noise_variance, largest_rows=self.largest_rows,
            queries=self.query_points_)
        self.values_ = found.values[:, 0]
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Costs nothing: only the released values are used."""
        check_is_fitted(self)
        rows = validated(self, X, reset=False, dtype=np.float64)
        ranges = self._ranges(self._names(), self.ranges)
        low, high = as_pair(self.target_range)
        values = _core.in_coordinates(
            self.values_.reshape(-1, 1), [(low, high)])[:, 0]
        carried = _core.carried_on(
            kernel=self.kernel, length_scale=float(self.length_scale),
            amplitude=float(self.amplitude),
            noise_variance=self.certificate_["parameters"]["lift_variance"],
            queries=self._in_coordinates(self.query_points_, ranges), values=values,
            points=self._in_coordinates(rows, ranges))
        return _core.from_coordinates(carried.reshape(-1, 1), [(low, high)])[:, 0]
