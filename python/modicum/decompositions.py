"""Second moments and what is made of them: components, sketches, covariances."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from .commands import Table
from .private_estimator import Ledgers, PrivateEstimator, Ranges, validated


class PrivatePCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PrivateEstimator):
    """Private principal components.

    ``method``: "gaussian-orthogonal-ensemble" (the default), "exponential" (the default for
    delta = 0), "joint", "adaptive", "analyze-gauss" or "wishart". Components are of the second moments
    of the rows after ``ranges``, which map the middle of a range to 0; no mean is taken off.

    Attributes: ``components_`` (a row each), ``n_components_``, ``certificate_``, ``release_``.
    """

    def __init__(self, *, n_components: int, epsilon: float, delta: float, ranges: Ranges = None,
                 row_norm_bound: Optional[float] = None, method: Optional[str] = None,
                 rows: Optional[int] = None, sampler: Optional[str] = None,
                 sweeps: Optional[int] = None, ledger: Ledgers = None,
                 budget: Optional[str] = None) -> None:
        self.ledger = ledger
        self.budget = budget
        self.n_components = n_components
        self.epsilon = epsilon
        self.delta = delta
        self.ranges = ranges
        self.row_norm_bound = row_norm_bound
        self.method = method
        self.rows = rows
        self.sampler = sampler
        self.sweeps = sweeps

    def fit(self, X: Any, y: Any = None) -> PrivatePCA:
        """Releases the components."""
        X = validated(self, X, dtype=np.float64)
        names = self._names()
        found = self._released(
            "components", Table(X, names), components=self.n_components,
            range=self._ranges(names, self.ranges), row_norm_bound=self.row_norm_bound,
            method=self.method, rows=self.rows, sampler=self.sampler, sweeps=self.sweeps)
        self.components_ = found.values.T
        self.n_components_ = self.components_.shape[0]
        return self

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Where rows lie along the components. The components are private; these numbers are as
        private as the rows that they are made from."""
        check_is_fitted(self)
        rows = validated(self, X, reset=False, dtype=np.float64)
        return self._in_coordinates(rows, self._ranges(self._names(), self.ranges)) @ self.components_.T


class PrivateRandomProjection(PrivateEstimator):
    """A private sketch: ``columns`` random combinations of all rows, over a ridge.

    Attributes: ``sketch_`` (a row for each feature, a column for each combination), ``ridge_``,
    ``certificate_``, ``release_``.
    """

    def __init__(self, *, epsilon: float, delta: float, columns: Optional[int] = None,
                 ranges: Ranges = None, row_norm_bound: Optional[float] = None,
                 method: str = "projection", sampling_rate: Optional[float] = None,
                 ledger: Ledgers = None, budget: Optional[str] = None) -> None:
        self.ledger = ledger
        self.budget = budget
        self.epsilon = epsilon
        self.delta = delta
        self.columns = columns
        self.ranges = ranges
        self.row_norm_bound = row_norm_bound
        self.method = method
        self.sampling_rate = sampling_rate

    def fit(self, X: Any, y: Any = None) -> PrivateRandomProjection:
        """Releases the sketch."""
        X = validated(self, X, dtype=np.float64)
        names = self._names()
        found = self._released(
            "projection", Table(X, names), columns=self.columns,
            range=self._ranges(names, self.ranges), row_norm_bound=self.row_norm_bound,
            method=self.method, sampling_rate=self.sampling_rate)
        self.sketch_ = found.values
        self.ridge_ = self.certificate_["parameters"].get("ridge")
        return self


class PrivateCovariance(PrivateEstimator):
    """Mean and covariance from one private release of second moments.

    With ``assume_centered`` the mean of every feature, in the middle of its range, is taken to be
    known, and only ``second_moments_`` are released: sums over the rows.

    Attributes: ``covariance_``, ``location_`` and ``n_rows_`` (not with ``assume_centered``), all in
    the units of the features; ``second_moments_`` in those that ranges make; ``certificate_``,
    ``release_``.
    """

    def __init__(self, *, epsilon: float, delta: float, ranges: Ranges = None,
                 row_norm_bound: Optional[float] = None, assume_centered: bool = False,
                 ledger: Ledgers = None, budget: Optional[str] = None) -> None:
        self.ledger = ledger
        self.budget = budget
        self.epsilon = epsilon
        self.delta = delta
        self.ranges = ranges
        self.row_norm_bound = row_norm_bound
        self.assume_centered = assume_centered

    def fit(self, X: Any, y: Any = None) -> PrivateCovariance:
        """Releases the second moments."""
        X = validated(self, X, dtype=np.float64)
        names = self._names()
        ranges = self._ranges(names, self.ranges)
        found = self._released("covariance", Table(X, names), range=ranges,
                               row_norm_bound=self.row_norm_bound,
                               intercept=not self.assume_centered)
        self.second_moments_ = found.values
        if self.assume_centered:
            return self
        rows, mean, covariance = _core.centered_moments(found.values)
        scales = np.array([np.ptp(ranges[name]) / 2 if name in ranges else 1.0 for name in names])
        pairs = [ranges.get(name, (-1.0, 1.0)) for name in names]
        self.n_rows_ = rows
        self.location_ = _core.from_coordinates(mean.reshape(1, -1), pairs)[0]
        self.covariance_ = _core.nearest_semidefinite(covariance) * np.outer(scales, scales)
        return self
