"""Is a privacy claim true? Exact answers for pairs and data sets, tests for any program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .commands import Answer, Path, array_of, command, source_of
from .losses import Loss


def audit_loss(loss: Loss, *, epsilon: float, delta: float, mode: str = "automatic") -> Answer:
    """The exact delta of a loss against a claim: ``verdict`` is "violated", "consistent" or
    "undecided"."""
    point = loss.profile(epsilon, mode=mode)
    verdict = _core.verdict(claimed=float(delta), lower=point.delta.lower, upper=point.delta.upper)
    return Answer({
        "verdict": verdict, "epsilon": epsilon, "claimed_delta": delta, "delta": point.delta, "forward": point.forward,
        "reverse": point.reverse, "proved": point.proved})


def audit_samples(with_record: ArrayLike, without_record: ArrayLike, *, epsilon: float, delta: float,
                  confidence: float = 0.95) -> Answer:
    """Outputs of a mechanism on two neighboring inputs, a row each, against a claim.

    An exact guessing game: if ``verdict`` is "violated", a mechanism that satisfies the claim gives
    such samples with probability at most 1 - ``confidence``. Lower bounds hold with it too.
    """
    def outputs(name: str, values: ArrayLike) -> Any:
        flat = np.ndim(values) == 1
        array = array_of(name, values, 1 if flat else 2)
        return array.reshape(-1, 1) if flat else array
    return Answer(_core.audit_samples(
        outputs("with_record", with_record), outputs("without_record", without_record),
        epsilon=float(epsilon), delta=float(delta), confidence=float(confidence)))


def audit_program(program: str, *, input: Path, neighbor: Path, epsilon: float, delta: float,
                  **options: Any) -> Answer:
    """Any executable on two neighboring inputs: runs it, and tries to refute the claim."""
    return command("audit program", command=program, input=os.fspath(input),
                   neighbor=os.fspath(neighbor), epsilon=epsilon, delta=delta, **options)


def audit_mechanism(kind: str, rows: Any, /, *, epsilon: float, delta: float,
                    names: Optional[Sequence[str]] = None, **options: Any) -> Answer:
    """What a release gives away on a data set and all its neighbors by one row, exactly.

    ``kind``: projection, covariance, sum, least-squares, logistic, objective or gaussian-process. With
    ``confidential=True`` the worst neighbors are told, for the holder of the data only.
    """
    return command(f"audit mechanism {kind}", source_of(rows, names), epsilon=epsilon, delta=delta,
                   **options)


def audit_inherent(rows: Any, /, *, columns: int, epsilon: Union[float, Sequence[float]] = 1.0,
                   names: Optional[Sequence[str]] = None, **options: Any) -> Answer:
    """What sketches of one data set give away without any noise. Confidential."""
    return command("audit inherent", source_of(rows, names), columns=columns, epsilon=epsilon,
                   confidential=True, **options)


def audit_claim(name: str, *, dimension: Optional[int] = None,
                epsilon: Union[float, Sequence[float], None] = None,
                delta: Optional[float] = None) -> Answer:
    """A published claim against the truth; :func:`published_claims` lists them.

    ``dimension``, ``epsilon`` and ``delta`` choose other parameters for r1smg.
    """
    return command("audit claim", name, dimension=dimension, epsilon=epsilon, delta=delta)


def published_claims() -> Answer:
    """Claims of the literature that can be checked."""
    return command("audit claim")


def audit_components(eigenvalues: ArrayLike, *, rows: int, components: int, **options: Any) -> Answer:
    """Private principal components at finite size, by simulation, beside their limits."""
    values = array_of("eigenvalues", eigenvalues, 1)
    return command("audit components", eigenvalues=values, rows=rows, components=components,
                   **options)


def spectrum(rows: Any, /, *, names: Optional[Sequence[str]] = None, **options: Any) -> Answer:
    """``eigenvalues`` of the normalized covariance of a table. Confidential."""
    return command("report spectrum", source_of(rows, names), output="-", confidential=True,
                   **options)
