"""What single records lost to a release by objective perturbation."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from .commands import Answer, Path, command, run, source_of, table_of
from .releases import Release

Released = Union[Release, Path]


class RecordLosses(NamedTuple):
    """What each record lost, in the order of the rows. Confidential: for the holder of the data."""

    #: log of the ratio of the densities with and without the record, at what was released
    signed_loss: NDArray[np.float64]
    #: what a report that costs nothing tells the owner of the record: at least |signed_loss|, but
    #: with the probability asked for
    bound: NDArray[np.float64]
    #: (epsilon, delta) of the release, for every record
    worst_case: Answer

    @property
    def epsilon(self) -> NDArray[np.float64]:
        """The loss after the fact: |signed_loss|."""
        return np.abs(self.signed_loss)


class Report(NamedTuple):
    """A report that may be published: a function of a record, to be asked by its owner."""

    report: Mapping[str, Any]
    certificate: Any

    def evaluate(self, records: Any, *, names: Optional[Sequence[str]] = None) -> list[Answer]:
        """Bounds for each of these records, the columns of the data in any order: ``inside`` if it
        is one of the data, ``outside`` if not. For the owner of the record alone."""
        table = table_of(records, names)
        answer = run("report evaluate", self.report, records=table).answer
        return list(answer["records"])


@contextmanager
def _files(released: Released) -> Iterator[str]:
    """The path of a release; one in memory is written down, which it may be: it is private."""
    if not isinstance(released, Release):
        yield os.fspath(released)
        return
    with tempfile.TemporaryDirectory(prefix="modicum-") as folder:
        path = os.path.join(folder, "release.json")
        released.save(path)
        yield path


def report_losses(rows: Any, released: Released, *, names: Optional[Sequence[str]] = None,
                  failure: float = 0.05, **options: Any) -> RecordLosses:
    """The exact losses of all rows of the data. Confidential."""
    with _files(released) as path:
        answer = command("report per-instance", source_of(rows, names), release=path,
                         confidential=True, failure=failure, output="-", **options)
    inside = answer["inside"]
    # JSON has no infinity: a bound that is none comes as null.
    bounds = [np.inf if bound is None else bound for bound in inside["bound"]]
    return RecordLosses(np.array(inside["signed_loss"], dtype=np.float64), np.array(bounds, dtype=np.float64),
                        answer["worst_case"])


def publish_report(released: Released, rows: Any = None, *, names: Optional[Sequence[str]] = None,
                   method: str = "data-independent", epsilon: Optional[float] = None,
                   delta: Optional[float] = None, failure: float = 0.05,
                   **options: Any) -> Report:
    """A report on what records lost. "data-independent" costs nothing and reads no rows;
    "data-dependent" and "adaptive" are sharper, and release and report together are then
    (epsilon, delta)-differentially private."""
    inputs = [] if rows is None else [source_of(rows, names)]
    with _files(released) as path:
        answer = command("report per-instance", *inputs, release=path, method=method,
                         epsilon=epsilon, delta=delta, failure=failure, output="-", **options)
    return Report(answer["report"].as_dict(), answer["certificate"])


def report_budget(released: Released, *, method: str, epsilon: float, delta: float,
                  **options: Any) -> Answer:
    """The noise of a report that a budget allows, without any data."""
    with _files(released) as path:
        return command("report budget", release=path, method=method, epsilon=epsilon, delta=delta,
                       **options)
