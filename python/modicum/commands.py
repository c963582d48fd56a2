"""Every job of the library as a function: named arguments in, numbers out."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core

Path = Union[str, "os.PathLike[str]"]


class Bounds(NamedTuple):
    """A number, or an array of numbers, known by two bounds: lower <= true value <= upper."""

    lower: Any
    upper: Any


class Answer(Mapping[str, Any]):
    """What a command answers: a read-only mapping whose entries are attributes too.

    The entries are those of the command's ``--json``. Numbers that are known by two bounds are
    :class:`Bounds`.
    """

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries = {key: _converted(value) for key, value in entries.items()}

    def __getitem__(self, key: str) -> Any:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.__dict__["_entries"][name]
        except KeyError:
            raise AttributeError(f"there is no entry {name!r}; there are: {', '.join(self)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        lines = (f"{key}={_shortened(value)}" for key, value in self._entries.items())
        return f"{type(self).__name__}({', '.join(lines)})"

    def as_dict(self) -> dict[str, Any]:
        """The entries as plain dictionaries, lists and numbers, as they were in JSON."""
        return {key: _plain(value) for key, value in self._entries.items()}


class Certificate(Answer):
    """What is promised about released numbers, and why."""

    def __str__(self) -> str:
        return _core.certificate_words(self.as_dict())


def _converted(value: Any) -> Any:
    if isinstance(value, Mapping) and not isinstance(value, Answer):
        if set(value) == {"lower", "upper"}:
            return Bounds(value["lower"], value["upper"])
        return Certificate(value) if {"mechanism", "guarantee", "assumptions"} <= set(value) else Answer(value)
    if isinstance(value, list):
        return [_converted(each) for each in value]
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Answer):
        return value.as_dict()
    if isinstance(value, Bounds):
        return {"lower": value.lower, "upper": value.upper}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 400 else text[:397] + "..."


class Table(NamedTuple):
    """Rows in memory, with the names of their columns."""

    values: NDArray[np.float64]
    names: Sequence[str]


def array_of(name: str, values: Any, dimensions: int) -> NDArray[np.float64]:
    """`values` as finite doubles in so many dimensions. Raises InvalidParameter."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):  # which quote the value: it may be data
        raise _core.InvalidParameter(f"{name} is no array of numbers{_no_numbers_in(values)}") from None
    if array.ndim != dimensions:
        raise _core.InvalidParameter(
            f"{name} has {array.ndim} dimensions, but must have {dimensions}")
    if not np.isfinite(array).all():
        raise _core.InvalidParameter(f"{name} has entries that are not finite, but must have none")
    return array


def _no_numbers_in(frame: Any) -> str:
    """Which column of a data frame is to blame, if any."""
    for column in getattr(frame, "columns", []):
        if not isinstance(column, str):
            return ""
        try:
            np.asarray(frame[column], dtype=np.float64)
        except (TypeError, ValueError):
            return f": column {column!r} has something else"
    return ""


def table_of(rows: Any, names: Optional[Sequence[str]] = None) -> Table:
    """Rows of numbers with names: those given, else of a data frame, else 1, 2, ..."""
    if names is None:
        names = list(getattr(rows, "columns", [])) or None
    array = array_of("rows", rows, 2)
    if names is None:
        names = [str(column + 1) for column in range(array.shape[1])]
    if len(names) != array.shape[1]:
        raise _core.InvalidParameter(
            f"names are {len(names)}, but must be as many as there are columns, {array.shape[1]}")
    return Table(array, [_column_name(name) for name in names])


def _column_name(name: Any) -> str:
    # Anything else may be the data themselves.
    if not isinstance(name, (str, int, np.integer)):
        raise _core.InvalidParameter(f"names have a {type(name).__name__}, but must be text or whole numbers")
    text = str(name)
    if not text:
        raise _core.InvalidParameter("names have an empty one, but must not")
    return text


class File(NamedTuple):
    """A file whose columns have these names."""

    path: str
    names: Sequence[str]


class RowsElsewhere:
    """Rows that are not here, of which sums can be had (modicum.gathering)."""

    def stand_in(self, arguments: dict[str, Any]) -> Any:
        """What is there in place of a table, if anything; takes and gives arguments of the job."""
        raise NotImplementedError


class Queried(RowsElsewhere):
    """What a query makes of the rows of a table."""

    def __init__(self, text: str) -> None:
        self.text = text

    def stand_in(self, arguments: dict[str, Any]) -> Any:
        arguments["query"] = self.text


def source_of(rows: Any, names: Optional[Sequence[str]] = None) -> Any:
    """A path as it is, or with names for its columns; what lies elsewhere; all else as a :class:`Table`. Nothing,
    where a query or gathered sums stand in its place."""
    if rows is None:
        refuse_names(names)
        return None
    if isinstance(rows, RowsElsewhere):
        return rows if names is None else _with_names(rows, names)
    if hasattr(rows, "__dask_graph__"):
        from .gathering import Pieces
        return Pieces.of(rows, names)
    if not isinstance(rows, (str, os.PathLike)):
        return table_of(rows, names)
    return rows if names is None else File(os.fspath(rows), [_column_name(name) for name in names])


def refuse_names(names: Optional[Sequence[str]]) -> None:
    """A query says itself how its columns are named."""
    if names is not None:
        raise _core.InvalidParameter("names must not be given without rows")


def _with_names(rows: RowsElsewhere, names: Sequence[str]) -> RowsElsewhere:
    if hasattr(rows, "names"):
        rows.names = [_column_name(name) for name in names]
    return rows


class JobOutput(NamedTuple):
    """The answer of a job, and the numbers that were released with it, if any."""

    answer: Answer
    row_names: list[str]
    column_names: list[str]
    values: Optional[NDArray[np.float64]]


def run(job: str, /, *inputs: Any, **arguments: Any) -> JobOutput:
    """Runs ``job``, named as the command: ``"calibrate gaussian"``.

    ``inputs`` stand where the command has FILE: paths, or what would be in the file: a
    :class:`Table`, an array, a description. ``None`` and ``False`` are as if not given.
    """
    given = {name.rstrip("_"): value for name, value in arguments.items()}
    if isinstance(given.get("table"), RowsElsewhere):
        given["table"] = given.pop("table").stand_in(given)
    files = []
    for each in inputs:
        source = each.stand_in(given) if isinstance(each, RowsElsewhere) else each
        if source is None:
            continue
        if isinstance(source, (Table, File)):
            given.setdefault("names", list(source.names))
        files.append(source.values if isinstance(source, Table) else
                     source.path if isinstance(source, File) else source)
    tree, released = _core.run(job, files, given, bounds=Bounds)
    answer = Answer(tree)
    if released is None:
        return JobOutput(answer, [], [], None)
    return JobOutput(answer, *released)


def command(command_: str, /, *inputs: Any, **options: Any) -> Answer:
    """Anything that the program does, with its options as named arguments.

    >>> command("calibrate gaussian", epsilon=1, delta=1e-6, sensitivity=1).standard_deviation
    4.224678...
    """
    return run(command_, *inputs, **options).answer
