"""Modicum: differential privacy with proofs. Releases from tables, each with a certificate; what a
mechanism gives away, alone and composed, as bounds; audits of claims.

>>> import modicum
>>> steps = modicum.subsampled_gaussian(standard_deviation=1, sampling_rate=0.01, count=1000)
>>> steps.epsilon(1e-5)
1.8282366...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    from . import _core
except ImportError as problem:
    from ._libraries import named
    raise named(problem) from None
from ._core import (CalibrationFailed, Error, InvalidDescription, InvalidParameter,
                    TargetUnreachable, UnreadableFile, UsageError)
from .accountant import PrivacyAccountant, import_description
from .audits import (audit_claim, audit_components, audit_inherent, audit_loss, audit_mechanism,
                     audit_program, audit_samples, published_claims, spectrum)
from .calibration import (calibrate_allocated_gaussian, calibrate_components, calibrate_covariance, calibrate_gaussian,
                          calibrate_gaussian_process, calibrate_l2, calibrate_laplace, calibrate_least_squares,
                          calibrate_lift, calibrate_logistic, calibrate_objective, calibrate_projection, calibrate_spherical,
                          calibrate_subsampled_gaussian, compare_noise, convert_gaussian_dp,
                          convert_people, convert_pure, convert_renyi, convert_sampling, convert_zcdp,
                          optimize_spherical, quantile_goe)
from .commands import Answer, Bounds, Certificate, command
from .gathering import Gathered, gather
from .ledger import Ledger, Plan, price
from .losses import (Loss, Profile, allocated_gaussian, approximate, bounded_range, compose, gaussian, gaussian_dp,
                     gaussian_pair, gaussian_spectrum, integer_noise, l2, laplace, least_squares, loss,
                     objective_perturbation, pure, random_projection, randomized_response, renyi,
                     spherical, subsampled_gaussian, subsampled_laplace, tabulated)
from .noise import optimality, optimize_noise, sample_noise, spherical_oracle
from .releases import (Release, compare_components, compare_projection, compare_regression, explain_release, lift,
                       read_certificate, release, release_matrix, release_vector)
from .reports import RecordLosses, Report, publish_report, report_budget, report_losses, report_noise
from .samplers import sample_components, sample_discrete_gaussian, sample_spherical
from .statistics import (JointRelease, release_count, release_histogram, release_many, release_maximum, release_mean,
                         release_median, release_minimum, release_quantile, release_standard_deviation, release_sum,
                         release_variance)

if TYPE_CHECKING:
    from .estimators import (PrivateBayesianLogisticRegression, PrivateCovariance,
                             PrivateGaussianProcessRegressor, PrivateLinearRegression,
                             PrivateLogisticRegression, PrivatePCA, PrivateRandomProjection,
                             PrivateStandardScaler)

__version__: str = _core.__version__


def __getattr__(name: str) -> Any:
    # scikit-learn is only needed by those who use its estimators, and takes a second to import.
    if name.startswith("Private") and name in __all__:
        from . import estimators
        return getattr(estimators, name)
    raise AttributeError(f"module 'modicum' has no attribute {name!r}")


__all__ = [
    "Answer", "Bounds", "CalibrationFailed", "Certificate", "Error", "Gathered", "InvalidDescription",
    "InvalidParameter", "JointRelease", "Ledger", "Loss", "Plan", "PrivacyAccountant", "PrivateBayesianLogisticRegression", "PrivateCovariance",
    "PrivateGaussianProcessRegressor", "PrivateLinearRegression", "PrivateLogisticRegression",
    "PrivatePCA", "PrivateRandomProjection", "PrivateStandardScaler", "Profile", "RecordLosses", "Release", "Report",
    "TargetUnreachable", "UnreadableFile", "UsageError", "allocated_gaussian", "approximate", "audit_claim",
    "audit_components", "audit_inherent", "audit_loss", "audit_mechanism", "audit_program",
    "audit_samples", "bounded_range", "calibrate_allocated_gaussian", "calibrate_components", "calibrate_covariance",
    "calibrate_gaussian", "calibrate_gaussian_process", "calibrate_l2", "calibrate_laplace",
    "calibrate_least_squares", "calibrate_lift", "calibrate_logistic",
    "calibrate_objective", "calibrate_projection", "calibrate_spherical",
    "calibrate_subsampled_gaussian", "command", "compare_components", "compare_noise",
    "compare_projection", "compare_regression", "compose", "convert_gaussian_dp", "convert_people", "convert_pure",
    "convert_renyi", "convert_sampling", "convert_zcdp", "explain_release", "gather", "gaussian", "gaussian_dp",
    "gaussian_pair", "gaussian_spectrum", "import_description", "integer_noise", "l2", "laplace", "least_squares", "lift", "loss", "objective_perturbation",
    "optimality", "optimize_noise", "optimize_spherical", "price", "publish_report", "published_claims", "pure", "quantile_goe",
    "random_projection", "randomized_response", "renyi", "read_certificate", "release", "release_count",
    "release_histogram", "release_many", "release_matrix", "release_maximum", "release_mean", "release_median",
    "release_minimum", "release_quantile", "release_standard_deviation", "release_sum", "release_variance", "release_vector", "report_budget", "report_losses", "report_noise",
    "sample_components", "sample_discrete_gaussian", "sample_noise", "sample_spherical", "spectrum", "spherical", "spherical_oracle",
    "subsampled_gaussian", "subsampled_laplace", "tabulated",
]
