"""Estimators with the interface of scikit-learn.

All settings are keywords, and all of them must be public knowledge: nothing in them may come from
the data. ``fit`` spends (epsilon, delta) each time it is called. There is no ``random_state``: a
release that can be repeated from a seed is not private.

``ranges`` tells what is known of the features: one pair (low, high) for all, a list of pairs, or a
dictionary by name. Values are clamped to it. ``row_norm_bound`` is another way to bound a row: longer
ones are scaled down. One of the two is needed.
"""

from .classifiers import PrivateBayesianLogisticRegression, PrivateLogisticRegression
from .decompositions import PrivateCovariance, PrivatePCA, PrivateRandomProjection, PrivateStandardScaler
from .regressors import PrivateGaussianProcessRegressor, PrivateLinearRegression

__all__ = [
    "PrivateBayesianLogisticRegression", "PrivateCovariance", "PrivateGaussianProcessRegressor",
    "PrivateLinearRegression", "PrivateLogisticRegression", "PrivatePCA", "PrivateRandomProjection",
    "PrivateStandardScaler",
]
