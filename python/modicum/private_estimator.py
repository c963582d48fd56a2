"""What all estimators share: rows with names, ranges by name, the end of a release."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Optional, Union

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _core
from .commands import Certificate, Path, Queried, Table
from .gathering import Pieces, is_dask
from .ledger import Ledger, Plan, StorePath, say_that_copies_pay
from .releases import Release, explain_release, release

Pair = tuple[float, float]
Ledgers = Union[None, Path, Ledger]
Plans = Union[None, int, Plan]
Ranges = Union[None, Pair, Sequence[Pair], Mapping[str, Pair]]


_checks_of_two_fits = ("check_fit_idempotent", "check_supervised_y_2d", "check_regressors_int",
                       "check_regressor_data_not_an_array", "check_classifier_data_not_an_array")


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateEstimator(BaseEstimator):
    """What all of them share: rows with names, ranges by name, the end of a release.

    A budget is ``epsilon`` and ``delta``, or ``mu``, or ``rho``, or a ``share`` or the ``rest`` of what
    ``ledger`` has left. Settings are fields, which a data class keeps as they were given, under their own
    names, as scikit-learn asks for.
    """

    # A budget is for its owner to choose: nothing is taken for granted. Without one a fit is refused.
    epsilon: Optional[float] = None
    delta: Optional[float] = None
    mu: Optional[float] = None
    rho: Optional[float] = None
    share: Optional[float] = None
    rest: bool = False
    ledger: Ledgers = None
    budget: Optional[str] = None
    plan: Plans = None
    ranges: Ranges = None

    release_: Release = field(init=False)
    certificate_: Certificate = field(init=False)

    _required_parameters: ClassVar[tuple[str, ...]] = ()

    def _more_tags(self) -> dict[str, Any]:
        # Fresh noise in every fit, and on small data little else.
        return {"non_deterministic": True, "poor_score": True,
                "_xfail_checks": {check: "compares two fits, which differ by their noise"
                                  for check in _checks_of_two_fits}}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        parameters: dict[str, Any] = super().get_params(deep)
        store = parameters.get("ledger")
        if isinstance(store, (str, os.PathLike)) and not isinstance(store, StorePath):
            parameters["ledger"] = StorePath(os.fspath(store))
        return parameters

    def __sklearn_clone__(self) -> Any:  # since scikit-learn 1.3; earlier ones copy the parameters alone
        if self.ledger is not None:
            say_that_copies_pay()
        return super().__sklearn_clone__()

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
            return {name: as_pair(ranges[name]) for name in names if name in ranges}
        try:
            pairs = np.asarray(ranges, dtype=np.float64)
        except (TypeError, ValueError):
            raise _core.InvalidParameter(f"ranges are {ranges!r}, but must be pairs of numbers") from None
        if pairs.shape == (2,):
            return {name: as_pair(pairs) for name in names}
        if pairs.shape != (len(names), 2):
            raise _core.InvalidParameter(
                f"ranges have shape {pairs.shape}, but must be a pair, or one for each of the "
                f"{len(names)} features")
        return {name: as_pair(pair) for name, pair in zip(names, pairs)}

    def _released(self, kind: str, table: Table, /, **options: Any) -> Release:
        self.release_ = release(kind, table.values, names=table.names, epsilon=self.epsilon,
                                delta=self.delta, mu=self.mu, rho=self.rho, share=self.share,
                                rest=bool(self.rest), ledger=self.ledger, budget=self.budget,
                                plan=self.plan, **options)
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


def as_pair(values: Any) -> Pair:
    try:
        low, high = values
        return float(low), float(high)
    except (TypeError, ValueError, OverflowError):
        raise _core.InvalidParameter(f"range is {values!r}, but must be two numbers") from None


def _elsewhere(estimator: Any, X: Any, y: Any) -> Any:
    """Partitions of Dask collections: what is wrong with their cells is told where they are."""
    if getattr(X, "ndim", 0) != 2:
        raise _core.InvalidParameter("X must have two dimensions")
    if hasattr(X, "columns"):
        estimator.feature_names_in_ = np.array([str(name) for name in X.columns], dtype=object)
    estimator.n_features_in_ = X.shape[1]
    if isinstance(y, str) and y == "no_validation":
        return Pieces.of(X)
    if not is_dask(y) or getattr(y, "ndim", 0) != 1:
        raise _core.InvalidParameter("y must be a Dask collection of one dimension, as X is of two")
    return Pieces.of(X), Pieces.of(y)


def validated(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    if is_dask(X) and options.get("reset", True):
        return _elsewhere(estimator, X, y)
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before scikit-learn 1.6
        return estimator._validate_data(X, y, **options)
    return validate_data(estimator, X, y, **options)


def rows_of(estimator: Any, X: Any, y: Any = "no_validation", /, *, query: Optional[str], **options: Any) -> Any:
    """X and y as ``fit`` needs them; with a query, what it makes, of which ``y`` names a column."""
    if query is None:
        if X is None:
            raise _core.InvalidParameter("X is missing, but must be given, or query in its place")
        return validated(estimator, X, y, **options)
    if X is not None:
        raise _core.InvalidParameter("X must not be given with query")
    told = explain_release("covariance", query=query, row_norm_bound=1)
    names = [str(each["name"]) for each in told["columns"]]
    supervised = not (isinstance(y, str) and y == "no_validation")
    if supervised:
        if not isinstance(y, str) or y not in names:
            raise _core.InvalidParameter(
                f"y must name a column that the query makes, but is {y!r}: {', '.join(names)}")
        names.remove(y)
    estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator.n_features_in_ = len(names)
    return (Queried(query), y) if supervised else Queried(query)


def beside(X: Any, y: Any) -> Any:
    """The features, and behind them the target."""
    if isinstance(X, Queried):
        return X
    return X.beside(y) if isinstance(X, Pieces) else np.column_stack([X, y])


def target_name(taken: Sequence[str], y: Any) -> str:
    """That of a series, or of a column of a query, else y; another one where a feature has it."""
    if isinstance(y, str):
        return y
    name = str(getattr(y, "name", None) or "y")
    while name in taken:
        name += "_"
    return name


@dataclass(kw_only=True, eq=False, repr=False)
class LinearRelease(PrivateEstimator):
    """Coefficients of a prediction that is linear in the features."""

    row_norm_bound: Optional[float] = None
    fit_intercept: bool = True

    coef_: NDArray[np.float64] = field(init=False)

    def _fit_linear(self, kind: str, X: Any, y: Any,
                    ranges: dict[str, Pair], target: str,
                    **options: Any) -> tuple[NDArray[np.float64], float]:
        names = self._names()
        table = Table(beside(X, y), [*names, target])
        found = self._released(kind, table, target=target, range=ranges,
                               row_norm_bound=self.row_norm_bound,
                               intercept=bool(self.fit_intercept), **options)
        # What ranges move the origin by is an intercept too, the first row, wanted or not.
        values = found.values[:, found.column_names.index("coefficient")]
        assert found.row_names[-len(names):] == names
        return values[-len(names):], float(values[0]) if len(values) > len(names) else 0.0

    def _predicted(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        rows = validated(self, X, reset=False, dtype=np.float64)
        return rows @ np.ravel(self.coef_) + np.ravel(self.intercept_)[0]
