"""Draws of the distributions that releases are made of, from the secure source; there is no seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .commands import array_of


def sample_discrete_gaussian(*, standard_deviation: float, count: int) -> NDArray[np.int64]:
    """Whole numbers k with probability proportional to exp(-k^2 / (2 standard_deviation^2)),
    exactly."""
    return _core.discrete_gaussians(deviation=float(standard_deviation), count=_count("count", count))


def sample_spherical(*, dimension: int, alpha: float, beta: float, p: float,
                     grid: float) -> NDArray[np.float64]:
    """Spherical generalized gamma noise, drawn exactly and rounded to multiples of ``grid``, a power
    of two."""
    return np.array(_core.spherical_noise(dimension=float(dimension), alpha=float(alpha),
                                          beta=float(beta), p=float(p), grid=float(grid)))


def sample_components(eigenvalues: ArrayLike, *, beta: float, components: int,
                      sampler: str = "deflation", sweeps: int = 8,
                      count: int = 1) -> NDArray[np.float64]:
    """Frames of the exponential mechanism for principal components, in the eigenbasis: an array of
    shape (count, dimension, components). Exact for one component; for more "deflation" is the one
    with a proof, "gibbs" and "gaussian" are approximate samplers of the joint distribution."""
    values = array_of("eigenvalues", eigenvalues, 1).tolist()
    return np.stack(_core.component_frames(
        eigenvalues=values, beta=float(beta), components=float(components), sampler=sampler,
        sweeps=_count("sweeps", sweeps), count=_count("count", count)))


def _count(name: str, value: int) -> int:
    if isinstance(value, bool) or int(value) != value or value < 1:
        raise _core.InvalidParameter(f"{name} is {value!r}, but must be a whole number above 0")
    return int(value)
