"""What single records lost to a release: by objective perturbation, or with Gaussian noise."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from .commands import Answer, Path, command, source_of, table_of
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
    #: the number of each record in the rows or files, from 1 on: malformed rows are counted, headers
    #: are not
    row: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

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
        answer = command("report evaluate", self.report, certificate=self.certificate,
                         records=table.values, names=list(table.names))
        return list(answer["records"])


def _given(released: Released) -> Any:
    """The path of a release, or what its files would hold."""
    if not isinstance(released, Release):
        return os.fspath(released)
    return {"rows": list(released.row_names), "columns": list(released.column_names),
            "values": released.values, "certificate": released.certificate}


def report_losses(rows: Any, released: Released, *, names: Optional[Sequence[str]] = None,
                  failure: float = 0.05, **options: Any) -> RecordLosses:
    """The exact losses of all rows of the data. Confidential."""
    answer = command("report per-instance", source_of(rows, names), release=_given(released),
                     confidential=True, failure=failure, output="-", **options)
    inside = answer["inside"]
    return RecordLosses(np.array(inside["signed_loss"], dtype=np.float64),
                        np.array(inside["bound"], dtype=np.float64), answer["worst_case"],
                        np.array(inside["row"], dtype=np.int64))


def publish_report(released: Released, rows: Any = None, *, names: Optional[Sequence[str]] = None,
                   method: str = "data-independent", epsilon: Optional[float] = None,
                   delta: Optional[float] = None, failure: float = 0.05,
                   **options: Any) -> Report:
    """A report on what records lost. "data-independent" costs nothing and reads no rows;
    "data-dependent" and "adaptive" are sharper, and release and report together are then
    (epsilon, delta)-differentially private."""
    inputs = [] if rows is None else [source_of(rows, names)]
    answer = command("report per-instance", *inputs, release=_given(released), method=method,
                     epsilon=epsilon, delta=delta, failure=failure, output="-", **options)
    return Report(answer["report"].as_dict(), answer["certificate"])


def report_budget(released: Released, *, method: str, epsilon: float, delta: float,
                  **options: Any) -> Answer:
    """The noise of a report that a budget allows, without any data."""
    return command("report budget", release=_given(released), method=method, epsilon=epsilon,
                   delta=delta, **options)


def report_noise(released: Released, rows: Any = None, *, records: Any = None,
                 shift: Optional[Union[float, Sequence[float]]] = None,
                 names: Optional[Sequence[str]] = None, failure: float = 0.05,
                 **options: Any) -> Union[RecordLosses, list[Answer]]:
    """What records lost to Gaussian noise on a sum, on second moments, on a vector or a matrix.

    With ``records``, for their owners: ``mu``, ``epsilon`` at the delta of the release and ``bound``
    on what this very answer told, for each; ``shift`` is by how much a record moves a vector or a
    matrix computed elsewhere. With ``rows``, the data of the release: what each of them lost, which
    is confidential.
    """
    if rows is not None:
        answer = command("report noise", source_of(rows, names), release=_given(released),
                         confidential=True, failure=failure, output="-", **options)
        inside = answer["inside"]
        return RecordLosses(np.array(inside["signed_loss"], dtype=np.float64),
                            np.array(inside["bound"], dtype=np.float64), answer["worst_case"],
                            np.array(inside["row"], dtype=np.int64))
    if records is not None:
        table = table_of(records, names)
        options.update(records=table.values, names=list(table.names))
    if shift is not None:
        options["shift"] = [float(each) for each in np.atleast_1d(shift)]
    answer = command("report noise", release=_given(released), failure=failure, **options)
    return list(answer["records"])
