"""Counts, variances and quantiles in the units of the rows, by group, with intervals: the columns "value",
"lower" and "upper". Bounds, categories and edges must be public knowledge, never taken from the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from . import _core
from .releases import Release, release

Bounds = Union[tuple[float, float], Mapping[str, tuple[float, float]]]
Lists = Union[Sequence[Any], Mapping[str, Sequence[Any]]]


def release_count(rows: Any, /, *, epsilon: float, delta: float, by: Union[str, Sequence[str], None] = None,
                  categories: Optional[Lists] = None, edges: Optional[Lists] = None,
                  **options: Any) -> Release:
    """How many rows there are, in all or for each group.

    ``by``: one column or several. ``categories``: its values, or a dictionary of them; ``edges``: the same
    for intervals of numbers. Rows in none of the groups are dropped.
    """
    return _everyday("count", rows, by, categories, edges, epsilon=epsilon, delta=delta, **options)


def release_variance(rows: Any, /, *, select: Union[str, Sequence[str]], bounds: Bounds, epsilon: float,
                     delta: float, by: Union[str, Sequence[str], None] = None,
                     categories: Optional[Lists] = None, edges: Optional[Lists] = None,
                     **options: Any) -> Release:
    """The variance of the selected columns. ``bounds``: a pair, or a dictionary of pairs."""
    return _everyday("variance", rows, by, categories, edges, select=select, bounds=bounds,
                     epsilon=epsilon, delta=delta, **options)


def release_quantile(rows: Any, /, *, select: Union[str, Sequence[str]], bounds: Bounds, epsilon: float,
                     delta: float, level: Union[float, Sequence[float]] = 0.5,
                     by: Union[str, Sequence[str], None] = None, categories: Optional[Lists] = None,
                     edges: Optional[Lists] = None, **options: Any) -> Release:
    """The median of the selected columns, or other quantiles. There are no intervals: "lower" and "upper"
    are NaN, and the certificate states by how many rows a rank may be off."""
    levels = [level] if isinstance(level, (int, float)) else list(level)
    return _everyday("quantile", rows, by, categories, edges, select=select, bounds=bounds, level=levels,
                     epsilon=epsilon, delta=delta, **options)


def _everyday(kind: str, rows: Any, by: Union[str, Sequence[str], None], categories: Optional[Lists],
              edges: Optional[Lists], /, **options: Any) -> Release:
    bounds = options.pop("bounds", None)
    if isinstance(bounds, Mapping):
        options["bounds"] = bounds
    elif bounds is not None:
        options["bounds_of_all"] = bounds
    if by is not None:
        options["by"] = _listed(by)
    if categories is not None:
        options["categories"] = _lists(categories, _quoted)
    if edges is not None:
        options["edges"] = _lists(edges, lambda edge: repr(float(edge)))
    if "select" in options:
        options["select"] = _listed(options["select"])
    return release(kind, rows, **options)


def _listed(names: Union[str, Sequence[str]]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _quoted(category: Any) -> str:
    if not isinstance(category, str) or '"' in category:
        raise _core.InvalidParameter("categories must be texts without quotation marks")
    return f'"{category}"' if "," in category else category


def _lists(lists: Lists, text_of: Any) -> list[str]:
    if isinstance(lists, str):
        raise _core.InvalidParameter("categories must be a list of texts, or a dictionary of them")
    if isinstance(lists, Mapping):
        return [f"{column}={','.join(text_of(each) for each in values)}" for column, values in lists.items()]
    return [",".join(text_of(each) for each in lists)]
