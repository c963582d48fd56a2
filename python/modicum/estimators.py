"""Estimators in scikit-learn's manner.

All settings are keywords, and all of them must be public knowledge: nothing in them may come from
the data. ``fit`` spends (epsilon, delta) each time it is called. There is no ``random_state``: a
release that can be repeated from a seed is not private.

``ranges`` tells what is known of the features: one pair (low, high) for all, a list of pairs, or a
dictionary by name. Values are clamped to it. ``row_norm_bound`` is another way to bound a row: longer
ones are scaled down. One of the two is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin,
                          RegressorMixin, TransformerMixin)
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _core
from .commands import Answer, Certificate, Table
from .releases import Release, release
from .reports import RecordLosses, Report, publish_report, report_losses

Pair = tuple[float, float]
Ranges = Union[None, Pair, Sequence[Pair], Mapping[str, Pair]]


_checks_of_two_fits = ("check_fit_idempotent", "check_supervised_y_2d", "check_regressors_int",
                       "check_regressor_data_not_an_array", "check_classifier_data_not_an_array")


class _PrivateEstimator(BaseEstimator):
    """What all of them share: rows with names, ranges by name, the end of a release."""

    release_: Release
    certificate_: Certificate

    # A budget is for its owner to choose: nothing is taken for granted.
    _required_parameters = ("epsilon", "delta")

    def _more_tags(self) -> dict[str, Any]:
        # Fresh noise in every fit, and on small data little else.
        return {"non_deterministic": True, "poor_score": True,
                "_xfail_checks": {check: "compares two fits, which differ by their noise"
                                  for check in _checks_of_two_fits}}

    def _names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            return [str(name) for name in names]
        return [f"x{column}" for column in range(self.n_features_in_)]

    def _ranges(self, names: Sequence[str], ranges: Ranges) -> dict[str, Pair]:
        if ranges is None:
            return {}
        if isinstance(ranges, Mapping):
            unknown = [name for name in ranges if name not in names]
            if unknown:
                raise _core.InvalidParameter(
                    f"ranges name {unknown[0]!r}, but must name features: {', '.join(names)}")
            return {name: _pair(ranges[name]) for name in names if name in ranges}
        pairs = np.asarray(ranges, dtype=np.float64)
        if pairs.shape == (2,):
            return {name: _pair(pairs) for name in names}
        if pairs.shape != (len(names), 2):
            raise _core.InvalidParameter(
                f"ranges have shape {pairs.shape}, but must be a pair, or one for each of the "
                f"{len(names)} features")
        return {name: _pair(pair) for name, pair in zip(names, pairs)}

    def _released(self, kind: str, table: Table, /, **options: Any) -> Release:
        self.release_ = release(kind, table.values, names=table.names, epsilon=self.epsilon,
                                delta=self.delta, **options)
        self.certificate_ = self.release_.certificate
        return self.release_

    def _in_coordinates(self, X: NDArray[np.float64], ranges: Mapping[str, Pair]) -> NDArray[np.float64]:
        # Columns without a range stay as they are.
        result = np.array(X, dtype=np.float64)
        ranged = [place for place, name in enumerate(self._names()) if name in ranges]
        if ranged:
            pairs = [ranges[name] for name in self._names() if name in ranges]
            result[:, ranged] = _core.in_coordinates(result[:, ranged], pairs)
        return result


def _pair(values: Any) -> Pair:
    low, high = values
    return float(low), float(high)


def _validated(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before scikit-learn 1.6
        return estimator._validate_data(X, y, **options)
    return validate_data(estimator, X, y, **options)


def _target_name(taken: Sequence[str], y: Any) -> str:
    """That of a series, else y; another one where a feature has it."""
    name = str(getattr(y, "name", None) or "y")
    while name in taken:
        name += "_"
    return name


class _LinearRelease(_PrivateEstimator):
    """Coefficients of a prediction that is linear in the features."""

    coef_: NDArray[np.float64]

    def _fit_linear(self, kind: str, X: NDArray[np.float64], y: NDArray[np.float64],
                    ranges: dict[str, Pair], target: str,
                    **options: Any) -> tuple[NDArray[np.float64], float]:
        names = self._names()
        table = Table(np.column_stack([X, y]), [*names, target])
        found = self._released(kind, table, target=target, range=ranges,
                               row_norm_bound=self.row_norm_bound, intercept=self.fit_intercept,
                               **options).column("coefficient")
        return np.array([found[name] for name in names]), found.get("intercept", 0.0)

    def _predicted(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        rows = _validated(self, X, reset=False, dtype=np.float64)
        return rows @ np.ravel(self.coef_) + np.ravel(self.intercept_)[0]


class PrivateLinearRegression(RegressorMixin, _LinearRelease):
    """Linear regression from one private release.

    ``method``: "covariance" (noise on the second moments; the default), "least-squares" (a sketch of
    ``columns`` columns), "objective" (a random linear term in what is minimised; ``loss`` is "huber"
    or "squared"), and others of ``modicum release regression``. ``row_norm_bound`` is that of
    features and target together, after ranges; for "objective" that of the features, and
    ``target_range`` is needed.

    Attributes: ``coef_``, ``intercept_``, ``certificate_``, ``release_``.
    """

    def __init__(self, *, epsilon: float, delta: float, ranges: Ranges = None,
                 target_range: Optional[Pair] = None, row_norm_bound: Optional[float] = None,
                 fit_intercept: bool = True, method: Optional[str] = None,
                 columns: Optional[int] = None, loss: Optional[str] = None,
                 regularization: Optional[float] = None,
                 largest_rows: Optional[int] = None) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.ranges = ranges
        self.target_range = target_range
        self.row_norm_bound = row_norm_bound
        self.fit_intercept = fit_intercept
        self.method = method
        self.columns = columns
        self.loss = loss
        self.regularization = regularization
        self.largest_rows = largest_rows

    def fit(self, X: Any, y: Any) -> PrivateLinearRegression:
        """Releases the coefficients."""
        given = y
        X, y = _validated(self, X, y, dtype=np.float64, y_numeric=True)
        names = self._names()
        target = _target_name(names, given)
        ranges = self._ranges(names, self.ranges)
        if self.target_range is not None:
            ranges[target] = _pair(self.target_range)
        self.coef_, self.intercept_ = self._fit_linear(
            "regression", X, y, ranges, target, method=self.method, columns=self.columns,
            loss=self.loss, regularization=self.regularization, largest_rows=self.largest_rows)
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Costs nothing: the coefficients are public."""
        return self._predicted(X)


class _LogisticRelease(ClassifierMixin, _LinearRelease):
    """Two classes, told apart by the sign of a linear function."""

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "binary_only": True}

    def _fit_classes(self, X: Any, y: Any, **options: Any) -> None:
        given = y
        X, y = _validated(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y if self.classes is None else self.classes)
        if self.classes_.size > 2:
            raise _core.InvalidParameter(
                "Only binary classification is supported: y has "
                f"{self.classes_.size} classes, but must have two")
        if self.classes_.size < 2:
            raise _core.InvalidParameter("y has one class, but must have two; `classes` names them")
        if not np.isin(y, self.classes_).all():
            raise _core.InvalidParameter("y has labels that are not among `classes`")
        labels = np.where(y == self.classes_[1], 1.0, -1.0)
        names = self._names()
        self.target_name_ = _target_name(names, given)
        coefficients, intercept = self._fit_linear(
            "logistic", X, labels, self._ranges(names, self.ranges), self.target_name_, **options)
        self.coef_ = coefficients.reshape(1, -1)
        self.intercept_ = np.array([intercept])

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """The log-odds of the second class."""
        return self._predicted(X)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The likelier class. Costs nothing: the coefficients are public."""
        second = self.decision_function(X) > 0.0
        return self.classes_[second.astype(int)]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Probabilities of both classes."""
        from scipy.special import expit
        log_odds = self.decision_function(X)
        return np.column_stack([expit(-log_odds), expit(log_odds)])

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Their logarithms."""
        from scipy.special import log_expit
        log_odds = self.decision_function(X)
        return np.column_stack([log_expit(-log_odds), log_expit(log_odds)])


class PrivateLogisticRegression(_LogisticRelease):
    """Logistic regression by objective perturbation, for two classes.

    ``classes`` are the two labels; without it those that occur in y are taken to be public. ``loss``
    is "logistic" or "smoothed-hinge". After a fit one may ask what single records lost:
    :meth:`losses` for the holder of the data, :meth:`report` for everybody.

    Attributes: ``coef_``, ``intercept_``, ``classes_``, ``certificate_``, ``release_``.
    """

    def __init__(self, *, epsilon: float, delta: float, ranges: Ranges = None,
                 row_norm_bound: Optional[float] = None, fit_intercept: bool = True,
                 classes: Optional[Sequence[Any]] = None, loss: str = "logistic",
                 regularization: Optional[float] = None,
                 largest_rows: Optional[int] = None) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.ranges = ranges
        self.row_norm_bound = row_norm_bound
        self.fit_intercept = fit_intercept
        self.classes = classes
        self.loss = loss
        self.regularization = regularization
        self.largest_rows = largest_rows

    def fit(self, X: Any, y: Any) -> PrivateLogisticRegression:
        """Releases the coefficients."""
        self._fit_classes(X, y, method="objective", loss=self.loss,
                          regularization=self.regularization, largest_rows=self.largest_rows)
        return self

    def losses(self, X: ArrayLike, y: ArrayLike, *, failure: float = 0.05) -> RecordLosses:
        """What each row of the data, the same as in ``fit``, lost. Confidential."""
        check_is_fitted(self)
        table = self._labelled(X, y)
        return report_losses(table.values, self.release_, names=table.names, failure=failure)

    def report(self, X: Optional[ArrayLike] = None, y: Optional[ArrayLike] = None, *,
               method: str = "data-independent", epsilon: Optional[float] = None,
               delta: Optional[float] = None, failure: float = 0.05, **options: Any) -> Report:
        """A report on what records lost that may be published."""
        check_is_fitted(self)
        if X is None:
            return publish_report(self.release_, method=method, failure=failure, **options)
        table = self._labelled(X, y)
        return publish_report(self.release_, table.values, names=table.names, method=method,
                              epsilon=epsilon, delta=delta, failure=failure, **options)

    def bounds(self, report: Report, X: ArrayLike, y: ArrayLike) -> list[Answer]:
        """What a report tells the owners of these records: ``inside`` if it is one of the data,
        ``outside`` if not."""
        check_is_fitted(self)
        table = self._labelled(X, y)
        return report.evaluate(table.values, names=table.names)

    def _labelled(self, X: Any, y: Any) -> Table:
        rows = _validated(self, X, reset=False, dtype=np.float64)
        given = np.asarray(y)
        if given.shape != (len(rows),) or not np.isin(given, self.classes_).all():
            raise _core.InvalidParameter("y must have one of the two classes for each row")
        labels = np.where(given == self.classes_[1], 1.0, -1.0)
        return Table(np.column_stack([rows, labels]), [*self._names(), self.target_name_])


class PrivateBayesianLogisticRegression(_LogisticRelease):
    """Logistic regression by a draw from a normal posterior with more noise, for two classes.

    Attributes: ``coef_``, ``intercept_``, ``classes_``, ``certificate_``, ``release_``.
    """

    def __init__(self, *, epsilon: float, delta: float, ranges: Ranges = None,
                 row_norm_bound: Optional[float] = None, fit_intercept: bool = True,
                 classes: Optional[Sequence[Any]] = None, regularization: Optional[float] = None,
                 largest_rows: Optional[int] = None) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.ranges = ranges
        self.row_norm_bound = row_norm_bound
        self.fit_intercept = fit_intercept
        self.classes = classes
        self.regularization = regularization
        self.largest_rows = largest_rows

    def fit(self, X: Any, y: Any) -> PrivateBayesianLogisticRegression:
        """Releases the coefficients."""
        self._fit_classes(X, y, method="bayesian", regularization=self.regularization,
                          largest_rows=self.largest_rows)
        return self


class PrivateGaussianProcessRegressor(RegressorMixin, _PrivateEstimator):
    """A draw from the posterior of a Gaussian process at public points, with noise.

    ``query_points`` are public, in the units of the features: a row each. Without them a fixed grid
    within ``ranges`` is taken: 25 points for one feature, 32 for each of several. ``kernel``,
    ``length_scale``, ``amplitude`` and ``noise_variance`` count in units in which ``ranges`` and
    ``target_range`` are [-1, 1]. No data set may have more than ``largest_rows`` rows.

    ``predict`` carries the released values on to other points by the same prior, which costs
    nothing.

    Attributes: ``query_points_``, ``values_``, ``certificate_``, ``release_``.
    """

    def __init__(self, *, epsilon: float, delta: float, ranges: Ranges, target_range: Pair,
                 largest_rows: int, noise_variance: float = 0.1, kernel: str = "rbf",
                 length_scale: float = 1.0, amplitude: float = 1.0,
                 query_points: Optional[ArrayLike] = None) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.ranges = ranges
        self.target_range = target_range
        self.largest_rows = largest_rows
        self.noise_variance = noise_variance
        self.kernel = kernel
        self.length_scale = length_scale
        self.amplitude = amplitude
        self.query_points = query_points

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

    def fit(self, X: Any, y: Any) -> PrivateGaussianProcessRegressor:
        """Releases the values at the query points."""
        given = y
        X, y = _validated(self, X, y, dtype=np.float64, y_numeric=True)
        names = self._names()
        target = _target_name(names, given)
        ranges = self._ranges(names, self.ranges)
        self.query_points_ = self._queries(ranges)
        table = Table(np.column_stack([X, y]), [*names, target])
        length_scale = None if self.kernel == "linear" else self.length_scale
        found = self._released(
            "gaussian-process", table, target=target, kernel=self.kernel, length_scale=length_scale,
            range={**ranges, target: _pair(self.target_range)}, amplitude=self.amplitude,
            noise_variance=self.noise_variance, largest_rows=self.largest_rows,
            queries=Table(self.query_points_, names))
        self.values_ = found.values[:, 0]
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Costs nothing: only the released values are used."""
        check_is_fitted(self)
        rows = _validated(self, X, reset=False, dtype=np.float64)
        ranges = self._ranges(self._names(), self.ranges)
        low, high = _pair(self.target_range)
        values = _core.in_coordinates(
            self.values_.reshape(-1, 1), [(low, high)])[:, 0]
        carried = _core.carried_on(
            kernel=self.kernel, length_scale=float(self.length_scale),
            amplitude=float(self.amplitude),
            noise_variance=self.certificate_["parameters"]["lift_variance"],
            queries=self._in_coordinates(self.query_points_, ranges), values=values,
            points=self._in_coordinates(rows, ranges))
        return _core.from_coordinates(carried.reshape(-1, 1), [(low, high)])[:, 0]


class PrivatePCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _PrivateEstimator):
    """Private principal components.

    ``method``: "gaussian-orthogonal-ensemble" (the default), "exponential" (the default for
    delta = 0), "joint", "adaptive", "analyze-gauss" or "wishart". Components are of the second moments
    of the rows after ``ranges``, which map the middle of a range to 0; no mean is taken off.

    Attributes: ``components_`` (a row each), ``n_components_``, ``certificate_``, ``release_``.
    """

    def __init__(self, *, n_components: int, epsilon: float, delta: float, ranges: Ranges = None,
                 row_norm_bound: Optional[float] = None, method: Optional[str] = None,
                 rows: Optional[int] = None, sampler: Optional[str] = None,
                 sweeps: Optional[int] = None) -> None:
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
        X = _validated(self, X, dtype=np.float64)
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
        rows = _validated(self, X, reset=False, dtype=np.float64)
        return self._in_coordinates(rows, self._ranges(self._names(), self.ranges)) @ self.components_.T


class PrivateRandomProjection(_PrivateEstimator):
    """A private sketch: ``columns`` random combinations of all rows, over a ridge.

    Attributes: ``sketch_`` (a row for each feature, a column for each combination), ``ridge_``,
    ``certificate_``, ``release_``.
    """

    def __init__(self, *, epsilon: float, delta: float, columns: Optional[int] = None,
                 ranges: Ranges = None, row_norm_bound: Optional[float] = None,
                 method: str = "projection", sampling_rate: Optional[float] = None) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.columns = columns
        self.ranges = ranges
        self.row_norm_bound = row_norm_bound
        self.method = method
        self.sampling_rate = sampling_rate

    def fit(self, X: Any, y: Any = None) -> PrivateRandomProjection:
        """Releases the sketch."""
        X = _validated(self, X, dtype=np.float64)
        names = self._names()
        found = self._released(
            "projection", Table(X, names), columns=self.columns,
            range=self._ranges(names, self.ranges), row_norm_bound=self.row_norm_bound,
            method=self.method, sampling_rate=self.sampling_rate)
        self.sketch_ = found.values
        self.ridge_ = self.certificate_["parameters"].get("ridge")
        return self


class PrivateCovariance(_PrivateEstimator):
    """Mean and covariance from one private release of second moments.

    With ``assume_centered`` the mean of every feature, in the middle of its range, is taken to be
    known, and only ``second_moments_`` are released: sums over the rows.

    Attributes: ``covariance_``, ``location_`` and ``n_rows_`` (not with ``assume_centered``), all in
    the units of the features; ``second_moments_`` in those that ranges make; ``certificate_``,
    ``release_``.
    """

    def __init__(self, *, epsilon: float, delta: float, ranges: Ranges = None,
                 row_norm_bound: Optional[float] = None, assume_centered: bool = False) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.ranges = ranges
        self.row_norm_bound = row_norm_bound
        self.assume_centered = assume_centered

    def fit(self, X: Any, y: Any = None) -> PrivateCovariance:
        """Releases the second moments."""
        X = _validated(self, X, dtype=np.float64)
        names = self._names()
        ranges = self._ranges(names, self.ranges)
        found = self._released("covariance", Table(X, names), range=ranges,
                               row_norm_bound=self.row_norm_bound,
                               intercept=not self.assume_centered)
        self.second_moments_ = found.values
        if self.assume_centered:
            return self
        rows, mean, covariance = _core.centred_moments(found.values)
        scales = np.array([np.ptp(ranges[name]) / 2 if name in ranges else 1.0 for name in names])
        pairs = [ranges.get(name, (-1.0, 1.0)) for name in names]
        self.n_rows_ = rows
        self.location_ = _core.from_coordinates(mean.reshape(1, -1), pairs)[0]
        self.covariance_ = _core.nearest_semidefinite(covariance) * np.outer(scales, scales)
        return self
