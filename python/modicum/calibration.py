"""The least noise for a privacy target, proved to be enough; comparisons and conversions.

Every answer is an :class:`~modicum.Answer` with the entries of the command of the same name. A
calibrated parameter is a plain number, on the safe side.
"""

from __future__ import annotations

from typing import Any, Optional

from numpy.typing import ArrayLike

from .commands import Answer, array_of, command


def calibrate_gaussian(*, epsilon: float, delta: float, sensitivity: float = 1.0,
                       count: int = 1) -> Answer:
    """``standard_deviation`` of normal noise on ``count`` answers."""
    return command("calibrate gaussian", epsilon=epsilon, delta=delta, sensitivity=sensitivity,
                   count=count)


def calibrate_laplace(*, epsilon: float, delta: float = 0.0, sensitivity: float = 1.0,
                      count: int = 1) -> Answer:
    """``scale`` of Laplace noise."""
    return command("calibrate laplace", epsilon=epsilon, delta=delta, sensitivity=sensitivity,
                   count=count)


def calibrate_l2(*, dimension: int, epsilon: float, delta: float = 0.0, sensitivity: float = 1.0,
                 count: int = 1) -> Answer:
    """``scale`` of noise with density proportional to exp(-|x| / scale)."""
    return command("calibrate l2", dimension=dimension, epsilon=epsilon, delta=delta,
                   sensitivity=sensitivity, count=count)


def calibrate_spherical(*, dimension: int, alpha: float, p: float, epsilon: float, delta: float,
                        sensitivity: float = 1.0, count: int = 1) -> Answer:
    """``beta`` of spherical generalized gamma noise."""
    return command("calibrate spherical", dimension=dimension, alpha=alpha, p=p, epsilon=epsilon,
                   delta=delta, sensitivity=sensitivity, count=count)


def calibrate_subsampled_gaussian(*, sampling_rate: float, epsilon: float, delta: float,
                                  sensitivity: float = 1.0, count: int = 1) -> Answer:
    """``standard_deviation`` of normal noise on sums over Poisson samples: private gradient
    descent with ``count`` steps."""
    return command("calibrate subsampled-gaussian", sampling_rate=sampling_rate, epsilon=epsilon,
                   delta=delta, sensitivity=sensitivity, count=count)


def calibrate_allocated_gaussian(*, batches: float, epsilon: float, delta: float,
                                 sensitivity: float = 1.0, count: int = 1) -> Answer:
    """``standard_deviation`` of normal noise on sums over the batches of ``count`` epochs, to which
    each record is allocated uniformly and by itself."""
    return command("calibrate allocated-gaussian", batches=batches, epsilon=epsilon, delta=delta,
                   sensitivity=sensitivity, count=count)


def calibrate_lift(*, mean_shift: float, variance_excess: float, epsilon: float, delta: float,
                   rank: int = 1, directions: Optional[ArrayLike] = None) -> Answer:
    """``noise_variance`` on top of a draw from a Gaussian, by how far one record moves its mean and, in
    ``rank`` directions, its variances; with public ``directions``, a row each, ``noise_covariance``."""
    return command("calibrate lift", mean_shift=mean_shift, variance_excess=variance_excess, rank=rank,
                   directions=None if directions is None else array_of("directions", directions, 2),
                   epsilon=epsilon, delta=delta)


def calibrate_logistic(*, row_norm_bound: float, epsilon: float, delta: float,
                       regularization: Optional[float] = None,
                       largest_rows: Optional[int] = None) -> Answer:
    """``noise_variance`` of Bayesian logistic regression."""
    return command("calibrate logistic", row_norm_bound=row_norm_bound, regularization=regularization,
                   largest_rows=largest_rows, epsilon=epsilon, delta=delta)


def calibrate_gaussian_process(*, largest_rows: int, noise_variance: float, prior_bound: float,
                               epsilon: float, delta: float, kernel_bound: float = 1.0,
                               target_bound: float = 1.0) -> Answer:
    """``noise_variance`` on top of the posterior of a Gaussian process at public points."""
    return command("calibrate gaussian-process", largest_rows=largest_rows, noise_variance=noise_variance,
                   prior_bound=prior_bound, kernel_bound=kernel_bound, target_bound=target_bound,
                   epsilon=epsilon, delta=delta)


def calibrate_projection(*, columns: int, row_norm_bound: float, epsilon: float, delta: float,
                         **options: Any) -> Answer:
    """``ridge`` and ``leverage`` of a random projection."""
    return command("calibrate projection", columns=columns, row_norm_bound=row_norm_bound,
                   epsilon=epsilon, delta=delta, **options)


def calibrate_least_squares(*, columns: int, features: int, row_norm_bound: float, epsilon: float,
                            delta: float) -> Answer:
    """``ridge`` of a sketched least-squares solution, proved for every pair of neighbors."""
    return command("calibrate least-squares", columns=columns, features=features,
                   row_norm_bound=row_norm_bound, epsilon=epsilon, delta=delta)


def calibrate_covariance(*, row_norm_bound: float, epsilon: float, delta: float) -> Answer:
    """``standard_deviation`` of noise on a matrix of second moments, off its diagonal."""
    return command("calibrate covariance", row_norm_bound=row_norm_bound, epsilon=epsilon,
                   delta=delta)


def calibrate_objective(*, lipschitz: float, smoothness: float, regularization: float,
                        epsilon: float, delta: float, loss: Optional[str] = None,
                        count: int = 1) -> Answer:
    """``standard_deviation`` of the random linear term of objective perturbation."""
    return command("calibrate objective", lipschitz=lipschitz, smoothness=smoothness,
                   regularization=regularization, epsilon=epsilon, delta=delta, loss=loss,
                   count=count)


def calibrate_components(eigenvalues: ArrayLike, *, rows: int, components: int,
                         mu: Optional[float] = None, epsilon: Optional[float] = None,
                         delta: Optional[float] = None, beta: Optional[float] = None,
                         ranks: bool = False) -> Answer:
    """``beta`` of private principal components in the limit of many dimensions, and what to expect.

    As confidential as the eigenvalues, which are those of the normalized covariance, in descending
    order (:func:`modicum.spectrum`). What is proved depends on whether they are of ``ranks``.
    """
    values = array_of("eigenvalues", eigenvalues, 1)
    return command("calibrate components", eigenvalues=values, rows=rows, components=components,
                   mu=mu, epsilon=epsilon, delta=delta, beta=beta, ranks=ranks)


def optimize_spherical(*, dimension: int, epsilon: float, delta: Optional[float] = None,
                       sensitivity: float = 1.0, advantage: bool = False, error: str = "squared",
                       count: int = 1) -> Answer:
    """The spherical noise of least error: ``alpha``, ``beta``, ``p``. With ``advantage`` the delta
    at which it gains most is searched for too. ``error`` is ``"squared"``, ``"absolute"`` or
    ``"interval=0.95"``; ``count`` answers meet the target together."""
    return command("optimize spherical", dimension=dimension, epsilon=epsilon, delta=delta,
                   sensitivity=sensitivity, advantage=advantage, error=error, count=count)


def compare_noise(*, dimension: int, epsilon: float, delta: float, sensitivity: float = 1.0,
                  count: int = 1) -> Answer:
    """Kinds of additive noise for one target, side by side."""
    return command("compare", dimension=dimension, epsilon=epsilon, delta=delta,
                   sensitivity=sensitivity, count=count)


def convert_renyi(*, order: float, divergence: float, delta: float) -> Answer:
    """``epsilon`` from a Renyi divergence."""
    return command("convert renyi", order=order, divergence=divergence, delta=delta)


def convert_zcdp(*, rho: float, delta: float) -> Answer:
    """``epsilon`` from zero-concentrated differential privacy."""
    return command("convert zcdp", rho=rho, delta=delta)


def convert_people(*, epsilon: float, delta: float, people: float, spread: float,
                   width: float) -> Answer:
    """How many people the noise of a mean is worth: exact Gaussian noise, and the classical formula."""
    return command("convert people", epsilon=epsilon, delta=delta, people=people, spread=spread, width=width)


def convert_gaussian_dp(*, mu: float, delta: float) -> Answer:
    """``epsilon`` and ``rho`` from Gaussian differential privacy."""
    return command("convert gaussian-dp", mu=mu, delta=delta)


def convert_pure(*, epsilon: float) -> Answer:
    """``rho`` from pure differential privacy."""
    return command("convert pure", epsilon=epsilon)


def convert_sampling(*, epsilon: float, delta: float, sampling_rate: float) -> Answer:
    """``epsilon`` and ``delta`` of a mechanism that sees a Poisson sample."""
    return command("convert sampling", epsilon=epsilon, delta=delta, sampling_rate=sampling_rate)


def quantile_goe(*, dimension: int, upper_tail: float) -> Answer:
    """How large the largest eigenvalue of a symmetric Gaussian matrix gets, exactly."""
    return command("quantile goe", dimension=dimension, upper_tail=upper_tail)
