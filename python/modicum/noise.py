"""The least noise there is for one number or two, and how good Gaussian noise is."""

from __future__ import annotations

import math
from typing import Any, Mapping, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from .commands import Answer, command
from .samplers import _count


def optimize_noise(*, epsilon: float, delta: float = 0.0, sensitivity: float = 1.0,
                   integers: bool = False, error: str = "squared", count: int = 1,
                   dimension: int = 1) -> Answer:
    """The additive noise of least error for one number, and a proof of how close to the least it is.

    With ``integers`` the answer is a whole number, such as a count; else it is rounded to a ``grid``.
    With ``dimension`` 2 the answer is a pair of numbers, and ``sensitivity`` a Euclidean distance.
    ``error`` is ``"squared"``, ``"absolute"`` or ``"interval=0.95"``. No additive noise that meets the
    target has an error below ``lower_bound``. The ``description`` is for :func:`modicum.loss` and
    :func:`sample_noise`.
    """
    return command("optimize noise", dimension=dimension, epsilon=epsilon, delta=delta, sensitivity=sensitivity,
                   integers=integers, error=error, count=count)


def sample_noise(description: Mapping[str, Any], *, count: int,
                 grid: Optional[float] = None) -> Union[NDArray[np.int64], NDArray[np.float64]]:
    """Exact draws of noise on the integers, from secure random bits, as :func:`optimize_noise`
    describes it. Discrete Laplace noise is drawn as in releases: its scale is the next from the one
    described on whose inverse is a number of 53 bits. Noise on two numbers has two columns and is rounded to
    multiples of ``grid``, a power of two, by default near 2^-30 of the width of its rings."""
    draws = _count("count", count)
    kind = description["mechanism"]
    if kind == "disc_noise":
        width = float(description["width"])
        return _core.disc_noises(weights=[float(each) for each in description["probabilities"]],
                                 width=width, count=draws,
                                 grid=2.0 ** (math.frexp(width)[1] - 30) if grid is None else float(grid))
    if grid is not None:
        raise _core.InvalidParameter(f"grid is {grid}, but must not be given for noise on the integers")
    if kind == "discrete_staircase":
        return _core.staircase_noises(
            epsilon=float(description["epsilon"]), inner=float(description["inner"]),
            sensitivity=float(description["sensitivity"]), count=draws)
    if kind == "discrete_laplace":
        scale = float(description["scale"])
        if not (scale > 0 and math.isfinite(scale)):
            raise _core.InvalidParameter(f"scale is {scale}, but must be positive and finite")
        return _core.staircase_noises(epsilon=math.nextafter(1.0 / scale, 0.0), inner=1.0, sensitivity=1.0,
                                      count=draws)
    if kind == "discrete_gaussian":
        return _core.discrete_gaussians(deviation=float(description["sigma"]), count=draws)
    if kind != "integer_noise":
        raise _core.InvalidParameter(
            f"mechanism is {kind!r}, but must be integer_noise, discrete_staircase, discrete_gaussian, "
            "discrete_laplace or disc_noise")
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
