"""Tables in pieces: sums are gathered where the rows lie, added up, and released.

Every statistic behind a release is a sum of whole numbers over rows, and whole numbers add up exactly in
any order: a table in a thousand pieces gives what one file gives, bit for bit. The pieces are files that
:func:`gather` wrote (:class:`Gathered`), or the partitions of a Dask collection (:class:`Pieces`), which
stay where they are. Sums are as confidential as the rows.
"""

from __future__ import annotations

import importlib
import json
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import _core
from .commands import Path, RowsElsewhere, _column_name, run, source_of
from .frames import columns_in, columns_of

# What is said about cells is for who reads them.
_reading = ("strict", "missing", "booleans", "dates", "date_order", "decimal", "threads")


class Gathered(RowsElsewhere):
    """Files of gathered sums, in place of rows.

    ``paths``: all of them, or a pattern. ``pieces``: how many there must be. ``persons_together``: all
    rows of a person are in one piece, which the certificate then assumes. ``each_pass``: for releases in
    several passes, a command that gathers all pieces for the questions in the file ``{}``.

    >>> release_mean(Gathered("part-*.gathered", pieces=3), select="wage", bounds=(0, 60), epsilon=1, delta=1e-6)
    """

    def __init__(self, paths: Union[Path, Sequence[Path]], *, pieces: Optional[int] = None,
                 persons_together: bool = False, each_pass: Optional[str] = None) -> None:
        listed: Sequence[Path] = [paths] if isinstance(paths, (str, os.PathLike)) else paths
        self.paths = [os.fspath(path) for path in listed]
        self.pieces = pieces
        self.persons_together = persons_together
        self.each_pass = each_pass

    def __repr__(self) -> str:
        return f"Gathered({self.paths!r}, pieces={self.pieces!r})"

    def stand_in(self, arguments: dict[str, Any]) -> Any:
        arguments.update(gathered=self.paths, pieces=self.pieces, persons_together=self.persons_together,
                         each_pass=self.each_pass)
        return None


def gather(rows: Any, release: Union[str, Mapping[str, Any], os.PathLike[str]], /, *, output: Path,
           names: Optional[Sequence[str]] = None, **options: Any) -> None:
    """Writes the exact sums of one piece of a table to a file, for its owner alone: what
    ``release(KIND, ...)`` with the same options asks of the rows.

    ``release``: a kind, such as "mean" or "regression"; or a file of jobs, or what is in it. ``piece`` names
    the piece, which rows in memory need; that of a file comes from its content.

    >>> gather("part-17.csv", "mean", select="wage", bounds=(0, 60), epsilon=1, delta=1e-6,
    ...        output="part-17.gathered")
    """
    from .releases import _everyday
    from .statistics import asked
    if isinstance(release, Mapping) or os.path.exists(release):
        source = columns_of(rows, names, _columns_of_job(release))
        run("gather", source, for_=release, output=output, **options)
    elif release in _everyday:
        source, arguments = asked(rows, {**options, "names": names})
        run(f"release {release}", source, gather=True, output=output, **arguments)
    else:
        run(f"release {release}", source_of(rows, names), gather=True, output=output, **options)


def _columns_of_job(job: Union[str, Mapping[str, Any], os.PathLike[str]]) -> set[str]:
    tree = job if isinstance(job, Mapping) else json.loads(pathlib.Path(job).read_text(encoding="utf-8"))
    used = columns_in(tree)
    for each in tree.get("releases", ()):
        for question in each.values():
            used |= columns_in(question)
    return used


class Pieces(RowsElsewhere):
    """Partitions of a Dask collection. They are read where they are, and only sums travel."""

    def __init__(self, parts: Sequence[Any], names: Optional[Sequence[str]], used: Optional[frozenset[str]]) -> None:
        self.parts, self.names, self.used = list(parts), names, used
        #: bytes that were sent for questions and for answers, and how often
        self.sent = self.received = self.passes = 0

    @staticmethod
    def of(rows: Any, names: Optional[Sequence[str]] = None, used: Optional[frozenset[str]] = None) -> Pieces:
        """``used``: the columns to be read, of any type; without it all, as numbers."""
        if names is None and hasattr(rows, "columns"):
            names = [_column_name(name) for name in rows.columns]
        if getattr(rows, "ndim", 0) == 2 and hasattr(rows, "rechunk"):
            rows = rows.rechunk({1: -1})
        parts = rows.to_delayed()
        return Pieces(parts.ravel().tolist() if isinstance(parts, np.ndarray) else parts, names, used)

    def mapped(self, change: Callable[[Any], Any]) -> Pieces:
        """The same partitions, each changed by itself."""
        work = _dask().delayed(partial(_attempt, change))
        return Pieces([work(part) for part in self.parts], self.names, self.used)

    def beside(self, column: Pieces) -> Pieces:
        """With one column more, from partitions of the same rows."""
        if len(self.parts) != len(column.parts):
            raise _core.InvalidParameter(
                f"y has {len(column.parts)} partitions, but must have as many as X, {len(self.parts)}")
        work = _dask().delayed(partial(_attempt, _stacked))
        return Pieces([work(*both) for both in zip(self.parts, column.parts)], None, None)

    def stand_in(self, arguments: dict[str, Any]) -> Any:
        client = arguments.pop("client", None)
        rules = {name: arguments.pop(name) for name in _reading if name in arguments}
        names = arguments.pop("names", self.names)
        together = bool(arguments.pop("persons_together", False))

        def ask(questions: str) -> list[tuple[str, str]]:
            return self._ask(client, questions, names, rules)
        return _core.elsewhere(ask, len(self.parts), together)

    def _ask(self, client: Any, questions: str, names: Optional[Sequence[str]],
             rules: Mapping[str, Any]) -> list[tuple[str, str]]:
        dask = _dask()
        gathered = dask.delayed(partial(_attempt, gather_part), pure=False)
        work = [gathered(part, questions, place, names, self.used, rules) for place, part in enumerate(self.parts)]
        found: Sequence[Any] = ()
        problem = ""
        try:
            found = dask.compute(*work) if client is None else client.gather(client.compute(work))
        except Exception as error:  # of whatever makes the partitions; it may quote cells
            problem = type(error).__name__
        if problem:  # out here the error above is no part of the new one
            raise _core.Error(f"the partitions cannot be computed ({problem}); what it says is kept back, since it "
                              "may quote cells. Nothing is released")
        texts: list[str] = []
        for place, text in enumerate(found):
            if isinstance(text, Failed):
                raise text.error(place)
            texts.append(text)
        self.passes += 1
        self.sent += len(questions) * len(work)
        self.received += sum(map(len, texts))
        return [(f"partition {place}", text) for place, text in enumerate(texts)]


def _dask() -> Any:
    return importlib.import_module("dask")  # needed here alone


def is_dask(rows: Any) -> bool:
    """Whether it is a Dask collection with partitions."""
    return hasattr(rows, "__dask_graph__") and hasattr(rows, "to_delayed")


class Failed(NamedTuple):
    """What went wrong with a partition. Dask logs the arguments of a task that raises, which are rows: so
    none raises, and this is its result."""

    kind: str
    message: str

    @staticmethod
    def of(error: Exception) -> Failed:
        # Errors of the library quote no cell; those of others may.
        own = isinstance(error, _core.Error)
        return Failed(type(error).__name__, str(error)) if own else Failed("", "")

    def error(self, place: int) -> Exception:
        """To be raised where nobody logs rows."""
        if not self.kind:
            return _core.UnreadableFile(f"partition {place} cannot be read as a table")
        kind = getattr(_core, self.kind, _core.Error)
        error: Exception = kind(self.message)
        return error


def _attempt(work: Callable[..., Any], *given: Any) -> Any:
    """What `work` makes of it, or the first failure. Runs where the partition is."""
    for each in given:
        if isinstance(each, Failed):
            return each
    try:
        return work(*given)
    except Exception as error:
        return Failed.of(error)


def _stacked(rows: Any, column: Any) -> Any:
    if len(rows) != len(column):
        raise _core.InvalidParameter("X and y have partitions of different lengths, but must have the same")
    return np.column_stack([np.asarray(rows, dtype=np.float64), np.asarray(column, dtype=np.float64)])


def gather_part(part: Any, questions: str, place: int, names: Optional[Sequence[str]],
                used: Optional[frozenset[str]], rules: Mapping[str, Any]) -> str:
    """The sums of one partition, as text. Runs where the partition is."""
    if used is None:
        source = source_of(part, names)
    else:
        own = None if hasattr(part, "columns") or hasattr(part, "name") else names
        source = columns_of(part, own, used)
    # Workers have threads of their own, for several partitions at a time.
    answer = run("gather", source, for_=json.loads(questions), piece=f"partition {place}", output="-",
                 **{"threads": 1, **rules}).answer
    return str(answer["text"])
