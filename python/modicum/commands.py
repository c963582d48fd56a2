"""Every command of the program as a function: named arguments in, numbers out."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
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
    """What is promised about released numbers, and on which grounds."""

    def __str__(self) -> str:
        target = self["target"]
        promise = f"({target['epsilon']:g}, {target['delta']:g})-differential privacy"
        lines = [f"{promise}, {self['guarantee']}: {self['mechanism'].replace('_', ' ')}"]
        for key, value in self["parameters"].items():
            lines.append(f"  {key.replace('_', ' ')}: {_in_words(value)}")
        lines.append(f"  delta at most {self['delta'].upper!r}")
        if "arithmetic" in self:
            lines.append(f"  arithmetic: {self['arithmetic']}")
        lines.append(f"  neighbors: {self['adjacency']}")
        lines.append("provided that")
        lines += [f"  - {assumption}" for assumption in self["assumptions"]]
        return "\n".join(lines)


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


def _in_words(value: Any) -> str:
    if isinstance(value, float):  # in full: noise that is rounded down would no longer be safe
        return repr(int(value)) if value.is_integer() and abs(value) < 2.0**53 else repr(value)
    if isinstance(value, list):
        shown = ", ".join(_in_words(each) for each in value[:12])
        return shown if len(value) <= 12 else f"{shown}, ... ({len(value)} in all)"
    return str(value)


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
    except (TypeError, ValueError) as error:
        raise _core.InvalidParameter(f"{name} is no array of numbers: {error}") from None
    if array.ndim != dimensions:
        raise _core.InvalidParameter(
            f"{name} has {array.ndim} dimensions, but must have {dimensions}")
    if not np.isfinite(array).all():
        raise _core.InvalidParameter(f"{name} has entries that are not finite, but must have none")
    return array


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
    # Anything else may be the data themselves. The parser of commands would split a list in brackets.
    if not isinstance(name, (str, int, np.integer)):
        raise _core.InvalidParameter(f"names have a {type(name).__name__}, but must be text or whole numbers")
    text = str(name)
    if not text or (text.startswith("[") and text.endswith("]")):
        raise _core.InvalidParameter(f"names have {text!r}, but must not be empty or in brackets")
    return text


class File(NamedTuple):
    """A file whose columns have these names."""

    path: str
    names: Sequence[str]


def source_of(rows: Any, names: Optional[Sequence[str]] = None) -> Any:
    """A path as it is, or with names for its columns; all else as a :class:`Table`."""
    if not isinstance(rows, (str, os.PathLike)):
        return table_of(rows, names)
    return rows if names is None else File(os.fspath(rows), [_column_name(name) for name in names])


@contextlib.contextmanager
def memory_file(content: Union[bytes, NDArray[np.float64]]) -> Iterator[str]:
    """The path of a file that is in memory only, and there for as long as the block runs."""
    with open(os.memfd_create("modicum"), "wb") as file:
        if isinstance(content, bytes):
            file.write(content)
        else:
            np.save(file, np.ascontiguousarray(content), allow_pickle=False)
        file.flush()
        yield f"/proc/self/fd/{file.fileno()}"


def _number(value: Any) -> str:
    return repr(int(value)) if isinstance(value, (int, np.integer)) else repr(float(value))


def _words(name: str, value: Any) -> list[str]:
    option = "--" + name.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return []
    if value is True or isinstance(value, np.bool_):
        return [option] if value else []
    if name == "range_of_all":
        return [f"{option}={pair_of('all', value)}"]
    if isinstance(value, Mapping):
        return [f"{option}={key}={pair_of(key, ends)}" for key, ends in value.items()]
    if isinstance(value, (str, os.PathLike)) and os.fspath(value):
        return [f"{option}={os.fspath(value)}"]
    if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim == 1):
        if len(value) == 0:
            raise _core.InvalidParameter(f"{name} is empty, but must have something in it")
        return [word for each in value for word in _words(name, each)]
    try:
        if isinstance(value, (str, bytes, bytearray, memoryview)):
            raise ValueError
        return [f"{option}={_number(value)}"]
    except (TypeError, ValueError, OverflowError):
        raise _core.InvalidParameter(f"{name} is {value!r}, but must be a number, text or a list") from None


def pair_of(name: Any, ends: Any) -> str:
    """LOW:HIGH."""
    try:
        low, high = ends
        return f"{_number(low)}:{_number(high)}"
    except (TypeError, ValueError, OverflowError):
        raise _core.InvalidParameter(f"range of {name} is {ends!r}, but must be two numbers") from None


def _input(stack: contextlib.ExitStack, source: Any) -> list[str]:
    """The words for one input: a path as it is, a table in memory as a file, all else as JSON."""
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        return ["./" + path if path.startswith("-") else path]
    if isinstance(source, Table):
        path = stack.enter_context(memory_file(source.values))
        # Rows that are not numbers were refused, which the certificate is to say.
        return [path, "--strict", *(f"--names={name}" for name in source.names)]
    if isinstance(source, File):
        return [source.path, *(f"--names={name}" for name in source.names)]
    if isinstance(source, np.ndarray):
        return [stack.enter_context(memory_file(source))]
    return [stack.enter_context(memory_file(json.dumps(source).encode()))]


class Json(NamedTuple):
    """What an option that names a file of JSON finds there."""

    content: Any


_about_files = {"no_header", "header", "fields", "multiline", "separator"}


class CommandOutput(NamedTuple):
    """The answer of a command, and the numbers that were released with it, if any."""

    answer: Answer
    row_names: list[str]
    column_names: list[str]
    values: Optional[NDArray[np.float64]]


def run(command: str, /, *inputs: Any, **options: Any) -> CommandOutput:
    """Runs ``command``, such as ``"calibrate gaussian"``.

    ``inputs`` stand where the command has FILE: paths, or what would be in the file: a
    :class:`Table`, an array, or anything that is written as JSON. Options that name files take a
    :class:`Table` or :class:`Json`. ``standard_deviation=2`` is ``--standard-deviation 2``; ``True``
    is a flag, ``None`` is left out, a list repeats the option, and a dictionary of pairs is a list
    of ranges.
    """
    with contextlib.ExitStack() as stack:
        words = command.split()
        if any(isinstance(source, Table) for source in inputs):
            for name in _about_files & {name for name, value in options.items() if value is not None}:
                raise _core.InvalidParameter(f"{name} is given, but must not be for rows in memory")
        for source in inputs:
            words += _input(stack, source)
        for name, value in options.items():
            if isinstance(value, Table):
                value = stack.enter_context(_csv_file(value))
            elif isinstance(value, Json):
                value = stack.enter_context(memory_file(json.dumps(value.content).encode()))
            words += _words(name, value)
        try:
            text, released = _core.run([*words, "--json"])
        except _core.Error as error:
            raise type(error)(_in_python(str(error))) from None
    answer = Answer(json.loads(text))
    if released is None:
        return CommandOutput(answer, [], [], None)
    return CommandOutput(answer, *released)


def _in_python(message: str) -> str:
    """Options by the names of arguments."""
    message = re.sub(r" \(see modicum [^)]*--help\)$", "", message)
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*[a-z])", lambda option: option[1].replace("-", "_"), message)


@contextlib.contextmanager
def _csv_file(table: Table) -> Iterator[str]:
    out = io.StringIO()
    out.write(",".join('"' + name.replace('"', '""') + '"' for name in table.names) + "\n")
    for row in table.values:
        out.write(",".join(repr(float(value)) for value in row) + "\n")
    with memory_file(out.getvalue().encode()) as path:
        yield path


def command(command_: str, /, *inputs: Any, **options: Any) -> Answer:
    """Anything that the program does, with its options as named arguments.

    >>> command("calibrate gaussian", epsilon=1, delta=1e-6, sensitivity=1).standard_deviation
    4.224678...
    """
    return run(command_, *inputs, **options).answer
