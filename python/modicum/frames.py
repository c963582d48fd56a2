"""Rows of any kind as columns: data frames, Arrow tables, series, dictionaries, arrays.

What a column is stored as, and which levels a category has, may tell of a single row, since one odd
cell changes the type of a whole column. So neither is ever looked at: what becomes of a cell depends on
that cell and on what is asked of its column.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _core
from .commands import File, RowsElsewhere, _column_name, refuse_names

# Values, which of them are missing, and what they are places among: the last two may be None.
Stored = tuple[NDArray[Any], Optional[NDArray[Any]], Optional[NDArray[Any]]]


def columns_of(rows: Any, names: Optional[Sequence[str]], used: Collection[str]) -> Any:
    """A path as it is, or with names; all else as columns, of which those that are used are looked at.

    Raises InvalidParameter, which names the column.
    """
    if rows is None:  # a query stands in their place
        refuse_names(names)
        return None
    if isinstance(rows, (str, os.PathLike)):
        return rows if names is None else File(os.fspath(rows), [_column_name(name) for name in names])
    if isinstance(rows, (_core.Columns, RowsElsewhere)):
        return rows
    if hasattr(rows, "__dask_graph__"):
        from .gathering import Pieces
        return Pieces.of(rows, names, frozenset(used))
    if isinstance(rows, (list, tuple)) and rows and all(isinstance(each, (str, os.PathLike)) for each in rows):
        return rows
    if _is_pandas(rows) or isinstance(rows, Mapping):
        return _of_columns(*_split(rows), names, used)
    arrow = _of_arrow(rows)
    if arrow is not None:
        if names is not None:
            raise _core.InvalidParameter("names must not be given for rows that have their own")
        return arrow
    return _of_columns(*_split(_array(rows)), names, used)


def columns_in(options: Mapping[str, Any]) -> set[str]:
    """The columns that the options of a release name."""
    names: set[str] = set()
    for key in "select", "by", "unit", "booleans", "dates":
        given = options.get(key)
        listed = [given] if isinstance(given, (str, int)) else [] if given is None else list(given)
        names.update(str(each).rpartition("=")[0] if key == "dates" and "=" in str(each) else str(each)
                     for each in listed)
    return names


def _is_pandas(rows: Any) -> bool:
    return type(rows).__module__.split(".")[0] == "pandas"


def _of_arrow(rows: Any) -> Optional[_core.Columns]:
    """Through the Arrow interface, if there is one: nothing is copied."""
    if hasattr(rows, "__arrow_c_stream__"):
        return _core.columns_of_arrow(rows.__arrow_c_stream__())
    if hasattr(rows, "__arrow_c_array__"):
        return _core.columns_of_arrow_array(*rows.__arrow_c_array__())
    reader = rows.to_reader() if hasattr(rows, "to_reader") else rows
    if hasattr(reader, "_export_to_c"):  # pyarrow before 14
        return _core.columns_of_export(reader._export_to_c)
    return None


def _array(rows: Any) -> NDArray[Any]:
    # A list of rows may have one of another length, which would make another shape of all of them.
    if not hasattr(rows, "__array__"):
        raise _core.InvalidParameter(
            f"rows are of type {type(rows).__name__}, but must be a data frame, an Arrow table, a dictionary "
            "of columns, an array or a path")
    return np.asarray(rows)


def _split(rows: Any) -> tuple[list[Any], list[Any]]:
    """Names and columns."""
    if isinstance(rows, Mapping):
        return list(rows), list(rows.values())
    if _is_pandas(rows):
        if getattr(rows, "ndim", 0) == 1:
            return [rows.name if rows.name is not None else "value"], [rows]
        return list(rows.columns), [rows.iloc[:, place] for place in range(rows.shape[1])]
    if rows.dtype.names:
        return list(rows.dtype.names), [rows[name] for name in rows.dtype.names]
    if rows.ndim == 1:
        return ["value"], [rows]
    if rows.ndim != 2:
        raise _core.InvalidParameter(f"rows have {rows.ndim} dimensions, but must have 1 or 2")
    return [str(place + 1) for place in range(rows.shape[1])], [rows[:, place] for place in range(rows.shape[1])]


def _of_columns(own: Sequence[Any], columns: Sequence[Any], names: Optional[Sequence[str]],
                used: Collection[str]) -> _core.Columns:
    texts = [_column_name(name) for name in (own if names is None else names)]
    if len(texts) != len(columns):
        raise _core.InvalidParameter(
            f"names are {len(texts)}, but must be as many as there are columns, {len(columns)}")
    if not texts:
        raise _core.InvalidParameter("rows have no column, but must have one")
    lengths = {_length(name, column) for name, column in zip(texts, columns)}
    if len(lengths) != 1:
        raise _core.InvalidParameter("rows have columns of different lengths, but all must have one")
    stored = [_stored(name, column) if name in used else None for name, column in zip(texts, columns)]
    return _core.columns_of_arrays(texts, stored, lengths.pop())


def _length(name: str, column: Any) -> int:
    try:
        return len(column)
    except TypeError:
        raise _core.InvalidParameter(f"column {name!r} must be a list or an array") from None


def _stored(name: str, column: Any) -> Stored:
    if _is_pandas(column):
        return _stored_series(column)
    try:
        array = column if isinstance(column, np.ndarray) else (
            np.asarray(column) if hasattr(column, "__array__") else _objects(column))
    except Exception:
        raise _core.InvalidParameter(f"column {name!r} must be a list or an array") from None
    if array.ndim != 1:
        raise _core.InvalidParameter(f"column {name!r} must have one dimension")
    missing = None
    if isinstance(array, np.ma.MaskedArray):
        missing = np.ascontiguousarray(np.broadcast_to(array.mask, array.shape)).view(np.uint8)
    return _native(np.asarray(array)), missing, None


def _objects(column: Any) -> NDArray[Any]:
    """One by one, so that no cell is made into something else by another."""
    array = np.empty(len(column), dtype=object)
    for place, cell in enumerate(column):
        array[place] = cell
    return array


def _stored_series(column: Any) -> Stored:
    if hasattr(column, "cat"):
        return _native(column.cat.codes.to_numpy()), None, _native(column.cat.categories.to_numpy())
    cells = column.array
    if isinstance(getattr(cells, "_data", None), np.ndarray) and isinstance(
            getattr(cells, "_mask", None), np.ndarray):  # Int64, boolean and their kin
        return _native(cells._data), np.ascontiguousarray(cells._mask).view(np.uint8), None
    return _native(column.to_numpy()), None, None


def _native(array: NDArray[Any]) -> NDArray[Any]:
    """In a form that is read where it lies; a copy of what is not."""
    kind = array.dtype.kind
    if kind in "US":
        return array.astype(object)
    if not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    if kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float64)
    if kind == "M" and np.datetime_data(array.dtype)[0] in ("Y", "M", "W", "generic"):
        return array.astype("datetime64[D]")
    return array
