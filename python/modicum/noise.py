"""The least noise there is for one number, and how good Gaussian noise is."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from . import _core
from .commands import Answer, command
from .samplers import _count


def optimize_noise(*, epsilon: float, delta: float = 0.0, sensitivity: float = 1.0,
                   integers: bool = False, error: str = "squared", count: int = 1) -> Answer:
    """The additive noise of least error for one number, and a proof of how close to the least it is.

    With ``integers`` the answer is a whole number, such as a count; else it is rounded to a ``grid``.
    ``error`` is ``"squared"``, ``"absolute"`` or ``"interval=0.95"``. No additive noise that meets the
    target has an error below ``lower_bound``. The ``description`` is for :func:`modicum.loss` and
    :func:`sample_noise`.
    """
    return command("optimize noise", epsilon=epsilon, delta=delta, sensitivity=sensitivity,
                   integers=integers, error=error, count=count)


def sample_noise(description: Mapping[str, Any], *, count: int) -> NDArray[np.int64]:
    """Exact draws of noise on the integers, from secure random bits, as :func:`optimize_noise`
    describes it."""
    draws = _count("count", count)
    kind = description["mechanism"]
    if kind == "discrete_staircase":
        return _core.staircase_noises(
            epsilon=float(description["epsilon"]), inner=float(description["inner"]),
            sensitivity=float(description["sensitivity"]), count=draws)
    if kind == "discrete_gaussian":
        return _core.discrete_gaussians(deviation=float(description["sigma"]), count=draws)
    if kind != "integer_noise":
        raise _core.InvalidParameter(
            f"mechanism is {kind!r}, but must be integer_noise, discrete_staircase or discrete_gaussian")
    return _core.integer_noises(weights=[float(each) for each in description["probabilities"]],
                                first=int(description["first"]), count=draws)


def optimality(*, epsilon: float, delta: Optional[float] = None, dimension: Optional[int] = None,
               sensitivity: float = 1.0) -> Answer:
    """How good Gaussian noise is among all additive noises: ``delta_star``, up to which none beats it
    in the limit of high dimension, and with ``dimension`` what is proved there."""
    return command("optimality", epsilon=epsilon, delta=delta, dimension=dimension,
                   sensitivity=sensitivity)


def spherical_oracle(*, dimension: int, beta: float, p: float, epsilon: float,
                     alpha: Optional[float] = None, sensitivity: float = 1.0,
                     slack: float = 1e-9) -> Answer:
    """``delta`` of spherical noise at ``epsilon``: an upper bound, proved within ``slack``."""
    return command("oracle", dimension=dimension, alpha=alpha, beta=beta, p=p, epsilon=epsilon,
                   sensitivity=sensitivity, slack=slack)
