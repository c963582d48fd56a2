"""Second moments and what is made of them: components, sketches, covariances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from .commands import Table
from .private_estimator import PrivateEstimator, rows_of, validated


@dataclass(kw_only=True, eq=False, repr=False)
class PrivatePCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PrivateEstimator):
    """Private principal components.

    ``method``: "gaussian-orthogonal-ensemble" (the default), "exponential" (the default for
    delta = 0), "joint", "adaptive", "analyze-gauss" or "wishart". ``center``: "private" (the default
    of the first of these) takes off means that are released too, "given" those of ``centers``, "none"
    nothing but the middle of ``ranges``. ``ranks`` replaces values by their ranks. In place of
    ``epsilon``: another budget, or ``beta`` with ``rows``.

    Attributes: ``components_`` (a row each), ``n_components_``, ``mean_``, ``certificate_``,
    ``release_``; where components are centered ``explained_variance_`` and
    ``explained_variance_ratio_``, as noisy as they were released, and ``explained_variance_error_``,
    standard errors of the former. Components and variances count in the coordinates that ranges make.
    """

    _required_parameters: ClassVar[tuple[str, ...]] = ("n_components",)

    n_components: int
    row_norm_bound: Optional[float] = None
    method: Optional[str] = None
    rows: Optional[int] = None
    sampler: Optional[str] = None
    sweeps: Optional[int] = None
    center: Optional[str] = None
    centers: Optional[ArrayLike] = None
    ranks: bool = False
    beta: Optional[float] = None

    def fit(self, X: Any = None, y: Any = None, *, query: Optional[str] = None) -> PrivatePCA:
        """Releases the components."""
        X = rows_of(self, X, query=query, dtype=np.float64)
        names = self._names()
        found = self._released(
            "components", Table(X, names), components=self.n_components,
            range=self._ranges(names, self.ranges), row_norm_bound=self.row_norm_bound,
            method=self.method, rows=self.rows, sampler=self.sampler, sweeps=self.sweeps,
            center=self.center, centers=None if self.centers is None else np.ravel(self.centers),
            ranks=bool(self.ranks), beta=self.beta)
        self.components_ = found.values.T
        self.n_components_ = self.components_.shape[0]
        told = found.certificate["parameters"]
        pairs = [self._ranges(names, self.ranges).get(name, (-1.0, 1.0)) for name in names]
        self.mean_ = np.asarray(told["mean"]) if "mean" in told else _core.from_coordinates(
            np.zeros((1, len(names))), pairs)[0]
        for name in ("explained_variance", "explained_variance_error", "explained_variance_ratio"):
            if name in told:
                setattr(self, name + "_", np.ravel(told[name]))
        return self

    def _mean_in_coordinates(self) -> NDArray[np.float64]:
        # Not clamped: it has noise.
        ranges = self._ranges(self._names(), self.ranges)
        pairs = np.array([ranges.get(name, (-1.0, 1.0)) for name in self._names()])
        return np.asarray((self.mean_ - pairs.mean(axis=1)) / (np.ptp(pairs, axis=1) / 2))

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Where rows lie along the components. The components are private; these numbers are as
        private as the rows that they are made from."""
        check_is_fitted(self)
        rows = validated(self, X, reset=False, dtype=np.float64)
        coordinates = self._in_coordinates(rows, self._ranges(self._names(), self.ranges))
        return (coordinates - self._mean_in_coordinates()) @ self.components_.T

    def inverse_transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Rows with these places along the components, in the units of the features."""
        check_is_fitted(self)
        ranges = self._ranges(self._names(), self.ranges)
        rows = np.asarray(X, dtype=np.float64) @ self.components_
        rows += self._mean_in_coordinates()
        for place, name in enumerate(self._names()):
            if name in ranges:
                rows[:, [place]] = _core.from_coordinates(rows[:, [place]], [ranges[name]])
        return rows


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateStandardScaler(OneToOneFeatureMixin, TransformerMixin, PrivateEstimator):
    """Scales features by private means and standard deviations, from one release of both.

    Deviations that the noise hides are taken to be as large as it. What ``transform`` makes of rows is
    as private as these rows are.

    Attributes: ``mean_``, ``scale_``, ``var_``, ``certificate_``, ``release_``.
    """

    row_norm_bound: Optional[float] = None

    def fit(self, X: Any = None, y: Any = None, *, query: Optional[str] = None) -> PrivateStandardScaler:
        """Releases means and standard deviations."""
        X = rows_of(self, X, query=query, dtype=np.float64)
        names = self._names()
        found = self._released("scales", Table(X, names), range=self._ranges(names, self.ranges),
                               row_norm_bound=self.row_norm_bound)
        self.mean_, self.scale_ = found.values.T
        self.var_ = self.scale_**2
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """``(X - mean_) / scale_``."""
        check_is_fitted(self)
        return (validated(self, X, reset=False, dtype=np.float64) - self.mean_) / self.scale_

    def inverse_transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """``X * scale_ + mean_``."""
        check_is_fitted(self)
        return np.asarray(X, dtype=np.float64) * self.scale_ + self.mean_


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateRandomProjection(PrivateEstimator):
    """A private sketch: ``columns`` random combinations of all rows, over a ridge.

    Attributes: ``sketch_`` (a row for each feature, a column for each combination), ``ridge_``,
    ``certificate_``, ``release_``.
    """

    columns: Optional[int] = None
    row_norm_bound: Optional[float] = None
    method: str = "projection"
    sampling_rate: Optional[float] = None

    def fit(self, X: Any = None, y: Any = None, *, query: Optional[str] = None) -> PrivateRandomProjection:
        """Releases the sketch."""
        X = rows_of(self, X, query=query, dtype=np.float64)
        names = self._names()
        found = self._released(
            "projection", Table(X, names), columns=self.columns,
            range=self._ranges(names, self.ranges), row_norm_bound=self.row_norm_bound,
            method=self.method, sampling_rate=self.sampling_rate)
        self.sketch_ = found.values
        self.ridge_ = self.certificate_["parameters"].get("ridge")
        return self


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateCovariance(PrivateEstimator):
    """Mean and covariance. Looks at means and at how long rows are first, with a part of the budget.

    With ``assume_centered`` the mean of every feature, in the middle of its range, is taken to be
    known, and only ``second_moments_`` are released: sums over the rows, in the units that ranges make.

    Attributes: ``covariance_``, ``location_`` and ``n_rows_`` (not with ``assume_centered``), all in
    the units of the features; ``certificate_``, ``release_``.
    """

    row_norm_bound: Optional[float] = None
    assume_centered: bool = False

    def fit(self, X: Any = None, y: Any = None, *, query: Optional[str] = None) -> PrivateCovariance:
        """Releases the second moments."""
        X = rows_of(self, X, query=query, dtype=np.float64)
        names = self._names()
        ranges = self._ranges(names, self.ranges)
        found = self._released("covariance", Table(X, names), range=ranges,
                               row_norm_bound=self.row_norm_bound,
                               center="none" if self.assume_centered else "private")
        if self.assume_centered:
            self.second_moments_ = found.values
            return self
        told = found.certificate["parameters"]
        self.n_rows_ = float(told["rows_released"])
        self.location_ = np.ravel(told["mean"])
        units = np.array([np.ptp(ranges[name]) / 2 if name in ranges else 1.0 for name in names])
        scales = np.outer(units, units)
        self.covariance_ = _core.nearest_semidefinite(found.values / scales) * scales
        return self
