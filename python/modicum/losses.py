"""Privacy losses: what a mechanism gives away, alone and composed with others."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .commands import Answer, Bounds, Path, array_of, command

Numbers = Union[float, NDArray[np.float64]]


class Profile(NamedTuple):
    """delta at epsilon. ``forward`` is with the record against without it, ``delta`` the larger
    direction, ``proved`` whether the bounds are a theorem or an honest estimate."""

    epsilon: Numbers
    delta: Bounds
    forward: Bounds
    reverse: Bounds
    proved: Any


class Loss:
    """The privacy loss of a mechanism, from which everything else follows.

    Made by the functions of this module (``gaussian``, ``laplace``, ``random_projection``, ...), by
    :func:`loss` from a description, or by composing others: ``a + b``, ``1000 * a``,
    :func:`compose`. All answers take one number or an array, in one call.

    ``mode`` is "automatic" (a proof where that costs milliseconds), "fast" (double arithmetic with
    an error estimate) or "certified" (a proof, or TargetUnreachable). :meth:`profile` tells which it was.
    """

    def __init__(self, core: _core.Loss) -> None:
        self._core = core

    @property
    def label(self) -> str:
        """In words: "Gaussian, sigma 50, 1000 times"."""
        return self._core.label

    @property
    def adjacency(self) -> str:
        """Which data sets are neighbors: "add_remove", "replace_one" or "zero_out"."""
        return self._core.adjacency

    @property
    def is_upper_bound(self) -> bool:
        """Whether the truth may be smaller: lower ends of delta are then 0."""
        return self._core.is_upper_bound

    def __repr__(self) -> str:
        return f"<Loss: {self.label}>"

    def __add__(self, other: Loss) -> Loss:
        return compose([self, other]) if isinstance(other, Loss) else NotImplemented

    def __radd__(self, other: Any) -> Loss:
        if isinstance(other, int) and other == 0:  # with which sum() begins
            return self
        return NotImplemented

    def __mul__(self, count: float) -> Loss:
        return self.repeated(count)

    __rmul__ = __mul__

    def repeated(self, count: float) -> Loss:
        """So many independent uses of the mechanism."""
        return Loss(self._core.repeated(_scalar("count", count)))

    def delta(self, epsilon: ArrayLike, *, mode: str = "automatic") -> Any:
        """delta at epsilon, at most: the upper end."""
        if isinstance(epsilon, float):
            return self._core.delta(epsilon, _mode(mode))
        return self.profile(epsilon, mode=mode).delta.upper

    def profile(self, epsilon: ArrayLike, *, mode: str = "automatic") -> Profile:
        """delta at any real epsilon, in both directions, between two bounds."""
        if isinstance(epsilon, float):  # need not become an array
            a, b, c, d, proved = self._core.profile(epsilon, _mode(mode))
            return Profile(epsilon, Bounds(max(a, c), max(b, d)), Bounds(a, b), Bounds(c, d), proved)
        places, shape = _places("epsilon", epsilon)
        a, b, c, d, certified = (_shaped(end, shape) for end in self._core.profiles(places, _mode(mode)))
        return Profile(_shaped(places, shape), Bounds(np.maximum(a, c), np.maximum(b, d)), Bounds(a, b),
                       Bounds(c, d), certified == 1.0)

    def epsilon(self, delta: ArrayLike, *, mode: str = "automatic") -> Any:
        """The smallest epsilon at delta, at most: the upper end."""
        return self.epsilon_bounds(delta, mode=mode).upper

    def epsilon_bounds(self, delta: ArrayLike, *, mode: str = "automatic") -> Bounds:
        """The smallest epsilon >= 0 at which delta is met in both directions."""
        return _bounds(self._core.epsilons, "delta", delta, mode)

    def tradeoff(self, type1: ArrayLike, *, mode: str = "automatic") -> Any:
        """Any test for the record with this type I error has at least this type II error."""
        return self.tradeoff_bounds(type1, mode=mode).lower

    def tradeoff_bounds(self, type1: ArrayLike, *, mode: str = "automatic") -> Bounds:
        """The least type II error of any test with this type I error."""
        return _bounds(self._core.tradeoffs, "type1", type1, mode)

    def renyi(self, order: ArrayLike, *, mode: str = "automatic") -> Any:
        """The Renyi divergence of this order, the larger direction: the upper end."""
        return self.renyi_bounds(order, mode=mode).upper

    def renyi_bounds(self, order: ArrayLike, *, mode: str = "automatic") -> Bounds:
        """The same between two bounds. Order 1 is Kullback-Leibler, infinity the largest loss."""
        return _bounds(self._core.renyi_divergences, "order", order, mode)

    def meaning(self, prior: float = 0.5, *, false_alarms: float = 0.05) -> Answer:
        """What somebody's best guess becomes, to whom the record is there with probability ``prior``:
        ``right_without`` and ``right_with`` the release, and the ``belief`` after the alarm of a test
        that is wrong about this share of those who are not there."""
        return command("meaning", self, prior=prior, false_alarms=false_alarms)


def _mode(mode: str) -> str:
    if not isinstance(mode, str):
        raise _core.InvalidParameter(f"mode is {mode!r}, but must be automatic, fast or certified")
    return mode


def _scalar(name: str, value: Any) -> float:
    try:
        if isinstance(value, (str, bytes, bytearray)):
            raise ValueError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise _core.InvalidParameter(f"{name} is {value!r}, but must be a number") from None


def _places(name: str, values: ArrayLike) -> tuple[NDArray[np.float64], tuple[int, ...]]:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise _core.InvalidParameter(f"{name} is {values!r}, but must be numbers") from None
    return np.ascontiguousarray(array).reshape(-1), array.shape


def _shaped(values: NDArray[np.float64], shape: tuple[int, ...]) -> Any:
    return float(values[0]) if shape == () else values.reshape(shape)


def _bounds(ask: Any, name: str, points: ArrayLike, mode: str) -> Bounds:
    places, shape = _places(name, points)
    lower, upper, _ = ask(places, _mode(mode))
    return Bounds(_shaped(lower, shape), _shaped(upper, shape))


def loss(description: Union[Mapping[str, Any], Path], *, folder: Path = "",
         mode: str = "automatic") -> Loss:
    """The loss of a description: a dictionary, JSON text, or the path of a file that ends in
    .json. The entry ``loss`` of a certificate is one, too.

    >>> loss({"mechanism": "gaussian", "standard_deviation": 50, "sensitivity": 1, "count": 1000})
    <Loss: Gaussian, sigma 50, 1000 times>

    A table of losses that it names by its file is looked for in ``folder``, by default that of the
    description.
    """
    if isinstance(description, os.PathLike) or (
            isinstance(description, str) and description.endswith(".json")):
        text, folder = _read(os.fspath(description)), folder or os.path.dirname(description)
    elif isinstance(description, str):
        text = description
    else:
        text = _json(description.as_dict() if isinstance(description, Answer) else description)
    return Loss(_core.Loss(text, folder=os.fspath(folder), mode=mode))


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise _core.UnreadableFile(f"{path} cannot be read: {error}") from None


def _json(description: Mapping[str, Any]) -> str:
    def plain(value: Any) -> Any:
        if isinstance(value, (np.ndarray, np.generic)):
            return value.tolist()
        raise _core.InvalidDescription(f"description has {value!r}, but must be numbers, text and lists")
    return json.dumps(description, default=plain)


def _mechanism(name: str, count: float, **entries: Any) -> Loss:
    numbers = {key: value if isinstance(value, (str, list)) else _scalar(key, value)
               for key, value in entries.items()}
    return loss({"mechanism": name, **numbers, "count": _scalar("count", count)})


def compose(parts: Iterable[Loss]) -> Loss:
    """All of these together: mechanisms fixed in advance, whose questions may depend on earlier answers."""
    every = list(parts)
    for part in every:
        if not isinstance(part, Loss):
            raise _core.InvalidParameter(f"parts have {part!r}, but must all be losses")
    return Loss(_core.Loss.composed([part._core for part in every]))


def gaussian(*, standard_deviation: float, sensitivity: float = 1.0, count: float = 1) -> Loss:
    """Normal noise on each number; ``sensitivity`` in Euclidean distance."""
    return _mechanism("gaussian", count, standard_deviation=standard_deviation, sensitivity=sensitivity)


def laplace(*, scale: float, sensitivity: float = 1.0, count: float = 1) -> Loss:
    """Laplace noise on one number."""
    return _mechanism("laplace", count, scale=scale, sensitivity=sensitivity)


def subsampled_gaussian(*, standard_deviation: float, sampling_rate: float, sensitivity: float = 1.0,
                        count: float = 1) -> Loss:
    """Normal noise on a sum over a Poisson sample of the records: a step of private gradient
    descent. Adjacency is adding or removing a record."""
    return _mechanism("subsampled_gaussian", count, standard_deviation=standard_deviation,
                      sensitivity=sensitivity, sampling_rate=sampling_rate)


def subsampled_laplace(*, scale: float, sampling_rate: float, sensitivity: float = 1.0,
                       count: float = 1) -> Loss:
    """Laplace noise on a sum over a Poisson sample of the records."""
    return _mechanism("subsampled_laplace", count, scale=scale, sensitivity=sensitivity,
                      sampling_rate=sampling_rate)


def allocated_gaussian(*, standard_deviation: float, batches: float, sensitivity: float = 1.0,
                       count: float = 1) -> Loss:
    """Normal noise on the sums over the batches of an epoch, each record being in one of them, drawn
    uniformly and by itself ("balls and bins"); ``count`` epochs. An upper bound. Adjacency is adding or
    removing a record."""
    return _mechanism("allocated_gaussian", count, standard_deviation=standard_deviation,
                      sensitivity=sensitivity, batches=batches)


def spherical(*, dimension: float, alpha: float, beta: float, p: float, sensitivity: float = 1.0,
              count: float = 1) -> Loss:
    """Noise R U, U uniform on the sphere, R with density proportional to r^alpha exp(-beta r^p)."""
    return _mechanism("spherical_generalized_gamma", count, dimension=dimension, alpha=alpha,
                      beta=beta, p=p, sensitivity=sensitivity)


def l2(*, dimension: float, scale: float, sensitivity: float = 1.0, count: float = 1) -> Loss:
    """Noise with density proportional to exp(-|x| / scale)."""
    return _mechanism("l2", count, dimension=dimension, scale=scale, sensitivity=sensitivity)


def random_projection(*, columns: float, leverage: float, count: float = 1) -> Loss:
    """A sketch of so many columns, with and without a row of this leverage."""
    return _mechanism("random_projection", count, columns=columns, leverage=leverage)


def least_squares(*, columns: float, features: float, row_leverage: float, full_leverage: float,
                  count: float = 1) -> Loss:
    """Sketched least squares, with and without a row of these leverages."""
    return _mechanism("least_squares", count, columns=columns, features=features,
                      row_leverage=row_leverage, full_leverage=full_leverage)


def objective_perturbation(*, standard_deviation: float, lipschitz: float, smoothness: float,
                           regularization: float, loss: str = "logistic", count: float = 1) -> Loss:
    """The minimizer of a convex objective with a random linear term."""
    return _mechanism("objective_perturbation", count, standard_deviation=standard_deviation,
                      lipschitz=lipschitz, smoothness=smoothness, regularization=regularization,
                      loss=loss)


def gaussian_dp(*, mu: float, count: float = 1) -> Loss:
    """Whatever is known to be mu-Gaussian differentially private."""
    return _mechanism("gaussian_dp", count, mu=mu)


def pure(*, epsilon: float, count: float = 1) -> Loss:
    """Whatever is known to be epsilon-differentially private."""
    return _mechanism("pure", count, epsilon=epsilon)


def approximate(*, epsilon: float, delta: float, count: float = 1) -> Loss:
    """Whatever is known to be (epsilon, delta)-differentially private."""
    return _mechanism("approximate", count, epsilon=epsilon, delta=delta)


def randomized_response(*, truth_probability: float, count: float = 1) -> Loss:
    """One bit, reported as it is with this probability."""
    return _mechanism("randomized_response", count, truth_probability=truth_probability)


def bounded_range(*, range: float, count: float = 1) -> Loss:
    """The exponential mechanism, by how much its losses can differ."""
    return _mechanism("bounded_range", count, range=range)


def gaussian_spectrum(components: Iterable[Mapping[str, float]], *, count: float = 1) -> Loss:
    """Two Gaussians by their coordinates: ``mean``, ``variance_ratio``, ``multiplicity``."""
    parts = [{key: _scalar(key, value) for key, value in each.items()} for each in components]
    return _mechanism("gaussian_spectrum", count, components=parts)


def gaussian_pair(mean1: ArrayLike, covariance1: ArrayLike, mean2: ArrayLike, covariance2: ArrayLike,
                  *, mode: str = "automatic") -> Loss:
    """Any two Gaussians; index 1 is the side with the record."""
    return Loss(_core.Loss.gaussian_pair(
        array_of("mean1", mean1, 1), array_of("covariance1", covariance1, 2),
        array_of("mean2", mean2, 1), array_of("covariance2", covariance2, 2), mode=mode))


def tabulated(losses: ArrayLike, probabilities: ArrayLike, *, infinite: float = 0.0) -> Loss:
    """A loss by its distribution on the data with the record: values and their probabilities, and
    the probability that it is infinite."""
    values, weights = array_of("losses", losses, 1), array_of("probabilities", probabilities, 1)
    if values.shape != weights.shape:
        raise _core.InvalidParameter(
            f"probabilities are {weights.size}, but must be as many as losses, {values.size}")
    return Loss(_core.Loss.tabulated(values.tolist(), weights.tolist(), infinite=_scalar("infinite", infinite)))


def integer_noise(probabilities: ArrayLike, *, first: float, sensitivity: float = 1.0,
                  count: float = 1) -> Loss:
    """Noise on the integers ``first``, ``first + 1``, ..., by its probabilities."""
    return _mechanism("integer_noise", count, probabilities=array_of("probabilities", probabilities, 1).tolist(),
                      first=first, sensitivity=sensitivity)


def renyi(orders: ArrayLike, divergences: ArrayLike, *, count: float = 1) -> Loss:
    """Whatever is known to have these Renyi divergences, at most, at these orders: an upper bound."""
    return _mechanism("renyi", count, orders=array_of("orders", orders, 1).tolist(),
                      divergences=array_of("divergences", divergences, 1).tolist())
