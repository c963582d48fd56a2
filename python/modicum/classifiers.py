"""Private logistic regressions, for two classes and more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _core
from .commands import Answer, Queried, Table
from .gathering import Pieces
from .private_estimator import LinearRelease, beside, rows_of, target_name, validated
from .reports import RecordLosses, Report, publish_report, report_losses


def _labels_of(classes: NDArray[Any], y: Any) -> NDArray[np.float64]:
    given = np.asarray(y)
    _require_labels(classes, given)
    return np.where(given == classes[1], 1.0, -1.0)


def _middle(classes: NDArray[Any]) -> float:
    if classes.dtype.kind not in "iufb":
        raise _core.InvalidParameter("classes must be two numbers with query: let it make numbers of labels")
    return float(classes[0]) / 2 + float(classes[1]) / 2


def _as_cell(label: Any) -> str:
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _require_labels(classes: NDArray[Any], y: NDArray[Any]) -> None:
    if not set(y.tolist()) <= set(classes.tolist()):
        raise _core.InvalidParameter("y has labels that are not among `classes`")


@dataclass(kw_only=True, eq=False, repr=False)
class _LogisticRelease(ClassifierMixin, LinearRelease):
    """Two classes, told apart by the sign of a linear function."""

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "binary_only": True}

    def _fit_classes(self, X: Any, y: Any, query: Optional[str], **options: Any) -> None:
        given = y
        X, y = rows_of(self, X, y, query=query, dtype=np.float64)
        queried = isinstance(X, Queried)
        elsewhere = isinstance(y, Pieces) or queried
        if elsewhere and self.classes is None:
            raise _core.InvalidParameter("classes must be given where y lies elsewhere: the two labels")
        if not elsewhere:
            check_classification_targets(y)
        self.classes_ = np.unique(y if self.classes is None else self.classes)
        if self.classes_.size < 2:
            raise _core.InvalidParameter("y has one class, but must have two; `classes` names them")
        if self.classes_.size > 2:
            if isinstance(y, Pieces):
                raise _core.InvalidParameter("classes must be two where y lies elsewhere")
            if not queried:
                _require_labels(self.classes_, y)
            self._fit_several(X, y, given, **options)
            return
        if queried:  # what is above the middle is the second class
            labels, options["threshold"] = y, _middle(self.classes_)
        else:
            labels = y.mapped(partial(_labels_of, self.classes_)) if elsewhere else _labels_of(self.classes_, y)
        names = self._names()
        self.target_name_ = target_name(names, given)
        coefficients, intercept = self._fit_linear(
            "logistic", X, labels, self._ranges(names, self.ranges), self.target_name_,
            classes="observed" if self.classes is None else "declared", **options)
        self.coef_ = coefficients.reshape(1, -1)
        self.intercept_ = np.array([intercept])

    def _fit_several(self, X: Any, y: Any, given: Any, **options: Any) -> None:
        raise _core.InvalidParameter(
            "Only binary classification is supported: y has "
            f"{self.classes_.size} classes, but must have two")

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


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateLogisticRegression(_LogisticRelease):
    """Logistic regression for two classes or more.

    ``classes`` are the labels; without it those that occur in y are taken to be public. More than two
    are told apart by a softmax of linear functions, one for each, by noisy gradient descent
    (``method`` "multinomial", in ``steps``): ``coef_`` has a row for each class. What follows is for
    two classes.

    ``method`` is "best" (a private look centers and scales the rows; then one of the next two, by
    epsilon, the number of features and ``expected_rows``), "standardized" (objective perturbation of
    such rows), "gradient" (noisy gradient descent, in ``steps``), or "objective" (objective
    perturbation of the rows as they are). Without it "best", or "objective" where ``loss``
    ("logistic" or "smoothed-hinge"), ``regularization`` or ``largest_rows`` is given. After a fit
    with "objective" one may ask what single records lost: :meth:`losses` for the holder of the
    data, :meth:`report` for everybody.

    With ``errors`` (and "standardized", which it implies) a tenth of the budget tells the curvature:
    ``standard_errors_`` and ``intervals_`` (95 %) of ``coef_``, with sampling and noise.

    Attributes: ``coef_``, ``intercept_``, ``classes_``, ``certificate_``, ``release_``.
    """

    classes: Optional[Sequence[Any]] = None
    method: Optional[str] = None
    loss: Optional[str] = None
    steps: Optional[int] = None
    expected_rows: Optional[int] = None
    regularization: Optional[float] = None
    largest_rows: Optional[int] = None
    errors: bool = False

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "binary_only": False}

    def _fit_several(self, X: Any, y: Any, given: Any, **options: Any) -> None:
        refused = [name for name, value in options.items()
                   if value is not None and name not in ("method", "steps", "expected_rows")]
        if self.method not in (None, "best", "gradient", "multinomial") or refused:
            raise _core.InvalidParameter(
                f"{refused[0] if refused else 'method'} is given, but must not be: y has "
                f"{self.classes_.size} classes, and several classes go by gradient descent")
        names = self._names()
        self.target_name_ = target_name(names, given)
        # Classes by their number: they are declared, or taken to be public, by all of their names.
        queried = isinstance(X, Queried)
        codes = y if queried else np.searchsorted(self.classes_, y).astype(np.float64)
        table = Table(beside(X, codes), [*names, self.target_name_])
        labels = self.classes_.tolist() if queried else range(self.classes_.size)
        found = self._released(
            "logistic", table, target=self.target_name_, range=self._ranges(names, self.ranges),
            row_norm_bound=self.row_norm_bound, intercept=bool(self.fit_intercept),
            labels=[_as_cell(label) for label in labels], steps=self.steps,
            classes="observed" if self.classes is None else "declared")
        self.coef_ = found.values[-len(names):].T.copy()
        moved = len(found.values) > len(names)
        self.intercept_ = (found.values[0].copy() if moved else np.zeros(self.classes_.size))

    def _scores(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        rows = validated(self, X, reset=False, dtype=np.float64)
        return np.asarray(rows @ self.coef_.T + self.intercept_)

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """The log-odds of the second class; of several, a score for each."""
        check_is_fitted(self)
        return super().decision_function(X) if self.classes_.size == 2 else self._scores(X)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The likeliest class. Costs nothing: the coefficients are public."""
        check_is_fitted(self)
        if self.classes_.size == 2:
            return super().predict(X)
        return self.classes_[np.argmax(self._scores(X), axis=1)]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Probabilities of the classes."""
        check_is_fitted(self)
        return super().predict_proba(X) if self.classes_.size == 2 else np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Their logarithms."""
        from scipy.special import log_softmax
        check_is_fitted(self)
        if self.classes_.size == 2:
            return super().predict_log_proba(X)
        return np.asarray(log_softmax(self._scores(X), axis=1))

    def fit(self, X: Any = None, y: Any = None, *, query: Optional[str] = None) -> PrivateLogisticRegression:
        """Releases the coefficients."""
        self._fit_classes(X, y, query, method=self.method, loss=self.loss, steps=self.steps,
                          expected_rows=self.expected_rows, regularization=self.regularization,
                          largest_rows=self.largest_rows, errors=True if self.errors else None)
        if self.errors:
            own = self.release_.values[-self.n_features_in_:]
            names = self.release_.column_names
            self.standard_errors_ = own[:, names.index("standard_error")]
            self.intervals_ = own[:, [names.index("lower"), names.index("upper")]]
        return self

    def losses(self, X: ArrayLike, y: ArrayLike, *, failure: float = 0.05) -> RecordLosses:
        """What each row of the data, the same as in ``fit``, lost. Confidential."""
        check_is_fitted(self)
        table = self._labeled(X, y)
        return report_losses(table.values, self.release_, names=table.names, failure=failure)

    def report(self, X: Optional[ArrayLike] = None, y: Optional[ArrayLike] = None, *,
               method: str = "data-independent", epsilon: Optional[float] = None,
               delta: Optional[float] = None, failure: float = 0.05, **options: Any) -> Report:
        """A report on what records lost that may be published."""
        check_is_fitted(self)
        if X is None:
            return publish_report(self.release_, method=method, epsilon=epsilon, delta=delta,
                                  failure=failure, **options)
        table = self._labeled(X, y)
        return publish_report(self.release_, table.values, names=table.names, method=method,
                              epsilon=epsilon, delta=delta, failure=failure, **options)

    def bounds(self, report: Report, X: ArrayLike, y: ArrayLike) -> list[Answer]:
        """What a report tells the owners of these records: ``inside`` if it is one of the data,
        ``outside`` if not."""
        check_is_fitted(self)
        table = self._labeled(X, y)
        return report.evaluate(table.values, names=table.names)

    def _labeled(self, X: Any, y: Any) -> Table:
        rows = validated(self, X, reset=False, dtype=np.float64)
        given = np.asarray(y)
        if given.shape != (len(rows),) or not set(given.tolist()) <= set(self.classes_.tolist()):
            raise _core.InvalidParameter("y must have one of the two classes for each row")
        labels = np.where(given == self.classes_[1], 1.0, -1.0)
        return Table(np.column_stack([rows, labels]), [*self._names(), self.target_name_])


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateBayesianLogisticRegression(_LogisticRelease):
    """Logistic regression by a draw from a normal posterior with more noise, for two classes.

    Attributes: ``coef_``, ``intercept_``, ``classes_``, ``certificate_``, ``release_``.
    """

    classes: Optional[Sequence[Any]] = None
    regularization: Optional[float] = None
    largest_rows: Optional[int] = None

    def fit(self, X: Any = None, y: Any = None, *, query: Optional[str] = None) -> PrivateBayesianLogisticRegression:
        """Releases the coefficients."""
        self._fit_classes(X, y, query, method="bayesian", regularization=self.regularization,
                          largest_rows=self.largest_rows)
        return self
