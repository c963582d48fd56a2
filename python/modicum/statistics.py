"""Counts, sums, means, variances, quantiles and histograms, overall or by group, in the units of the rows
and with intervals: the columns "value", "lower" and "upper".

``rows`` are a data frame, a series, an Arrow table or anything with the Arrow interface (Polars, DuckDB),
a dictionary of columns, an array, or the path of a file; with ``query=`` in their place, what a query makes
that treats rows one by one (docs/sources.md). Cells that are missing or no number, where there
must be one, take their row out; whether there are such rows is not told. Bounds, categories and edges must
be public knowledge, never taken from the rows.

>>> release_mean(people, select="wage", bounds=(0, 60), by="region", categories=["north", "south"],
...              epsilon=1, delta=1e-6).to_frame()
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

from . import _core
from .commands import Certificate, File
from .frames import columns_in, columns_of
from .releases import Ranges, Release, release, released

Bounds = Union[tuple[float, float], Mapping[str, tuple[float, float]]]
Lists = Union[Sequence[Any], Mapping[str, Sequence[Any]]]
Names = Union[str, Sequence[str]]


def release_count(rows: Any = None, /, *, epsilon: Optional[float] = None, delta: Optional[float] = None,
                  by: Optional[Names] = None, categories: Optional[Lists] = None,
                  edges: Optional[Lists] = None, **options: Any) -> Release:
    """How many rows there are, in all or for each group.

    ``by``: one column or several. ``categories``: its values, or a dictionary of them; ``edges``: the same
    for intervals of numbers. Rows in none of the groups are dropped.
    """
    return _everyday("count", rows, epsilon=epsilon, delta=delta, by=by, categories=categories, edges=edges,
                     **options)


def release_sum(rows: Any = None, /, *, epsilon: Optional[float] = None, delta: Optional[float] = None,
                select: Optional[Names] = None, bounds: Optional[Bounds] = None, by: Optional[Names] = None,
                categories: Optional[Lists] = None, edges: Optional[Lists] = None,
                range: Optional[Ranges] = None, row_norm_bound: Optional[float] = None,
                **options: Any) -> Release:
    """The sums of the selected columns, in all or for each group. ``bounds``: a pair, or a dictionary of
    pairs, to which values are clamped.

    With ``range`` or ``row_norm_bound`` in place of bounds: the sum of the rows as vectors. Columns with a
    range then count in units in which it is [-1, 1]; centers and scales are in the certificate.
    """
    if bounds is None:
        return release("vector", rows, statistic="sum", epsilon=epsilon, delta=delta, select=select, range=range,
                       row_norm_bound=row_norm_bound, **options)
    _refuse_both(range, row_norm_bound)
    return _everyday("sum", rows, epsilon=epsilon, delta=delta, select=select, bounds=bounds, by=by,
                     categories=categories, edges=edges, **options)


def release_mean(rows: Any = None, /, *, epsilon: Optional[float] = None, delta: Optional[float] = None,
                 select: Optional[Names] = None, bounds: Optional[Bounds] = None, by: Optional[Names] = None,
                 categories: Optional[Lists] = None, edges: Optional[Lists] = None,
                 range: Optional[Ranges] = None, row_norm_bound: Optional[float] = None,
                 **options: Any) -> Release:
    """The means of the selected columns, in all or for each group. ``bounds``: a pair, or a dictionary of
    pairs, to which values are clamped.

    With ``range`` or ``row_norm_bound`` in place of bounds: the mean of the rows as vectors. Their number is
    released with it unless ``rows=`` tells it. The column "mean" is in the units of the rows, "sum" in those
    that ranges make.
    """
    if bounds is None:
        return release("vector", rows, statistic="mean", epsilon=epsilon, delta=delta, select=select,
                       range=range, row_norm_bound=row_norm_bound, **options)
    _refuse_both(range, row_norm_bound)
    return _everyday("mean", rows, epsilon=epsilon, delta=delta, select=select, bounds=bounds, by=by,
                     categories=categories, edges=edges, **options)


def release_variance(rows: Any = None, /, *, select: Names, bounds: Bounds, epsilon: Optional[float] = None,
                     delta: Optional[float] = None, by: Optional[Names] = None,
                     categories: Optional[Lists] = None, edges: Optional[Lists] = None,
                     **options: Any) -> Release:
    """The variances of the selected columns, of the rows: divided by their number."""
    return _everyday("variance", rows, epsilon=epsilon, delta=delta, select=select, bounds=bounds, by=by,
                     categories=categories, edges=edges, **options)


def release_standard_deviation(rows: Any = None, /, *, select: Names, bounds: Bounds, epsilon: Optional[float] = None,
                               delta: Optional[float] = None, by: Optional[Names] = None,
                               categories: Optional[Lists] = None, edges: Optional[Lists] = None,
                               **options: Any) -> Release:
    """The standard deviations of the selected columns, of the rows."""
    return _everyday("standard-deviation", rows, epsilon=epsilon, delta=delta, select=select, bounds=bounds, by=by,
                     categories=categories, edges=edges, **options)


def release_quantile(rows: Any = None, /, *, select: Names, bounds: Bounds, epsilon: Optional[float] = None,
                     delta: Optional[float] = None, level: Union[float, Sequence[float]] = 0.5,
                     by: Optional[Names] = None, categories: Optional[Lists] = None,
                     edges: Optional[Lists] = None, **options: Any) -> Release:
    """The medians of the selected columns, or other quantiles. There are no intervals: "lower" and "upper"
    are NaN, and the certificate states by how many rows a rank may be off."""
    return _everyday("quantile", rows, epsilon=epsilon, delta=delta, select=select, bounds=bounds, level=level,
                     by=by, categories=categories, edges=edges, **options)


def release_median(rows: Any = None, /, *, select: Names, bounds: Bounds, epsilon: Optional[float] = None,
                   delta: Optional[float] = None, **options: Any) -> Release:
    """The medians of the selected columns, in all or ``by`` group, as by :func:`release_quantile`."""
    return release_quantile(rows, select=select, bounds=bounds, epsilon=epsilon, delta=delta, **options)


def release_minimum(rows: Any = None, /, *, select: Names, bounds: Bounds, epsilon: Optional[float] = None,
                    delta: Optional[float] = None, level: float = 0.01, **options: Any) -> Release:
    """Where the selected columns begin: what a share ``level`` of the rows is below. What one row has is not told."""
    return _everyday("minimum", rows, epsilon=epsilon, delta=delta, select=select, bounds=bounds, level=level, **options)


def release_maximum(rows: Any = None, /, *, select: Names, bounds: Bounds, epsilon: Optional[float] = None,
                    delta: Optional[float] = None, level: float = 0.99, **options: Any) -> Release:
    """Where the selected columns end: what a share ``level`` of the rows is up to. What one row has is not told."""
    return _everyday("maximum", rows, epsilon=epsilon, delta=delta, select=select, bounds=bounds, level=level, **options)


def release_histogram(rows: Any = None, /, *, epsilon: Optional[float] = None, delta: Optional[float] = None,
                      select: Optional[Names] = None, column: Optional[str] = None,
                      edges: Optional[Lists] = None, categories: Optional[Lists] = None,
                      **options: Any) -> Release:
    """How many rows fall between ``edges``, or into ``categories``, of a column, or of several: a cross
    table. ``column`` is another word for ``select``."""
    if (select is None) == (column is None):
        raise _core.UsageError("select must be given: the column, or several for a cross table")
    return _everyday("histogram", rows, epsilon=epsilon, delta=delta, select=column if select is None else select,
                     categories=categories, edges=edges, **options)


class JointRelease(NamedTuple):
    """Several statistics under one budget."""

    #: each by its name, such as "mean of wage by region"
    parts: Mapping[str, Release]
    #: of all of them together
    certificate: Certificate
    #: all of them in one table, to be saved
    whole: Release

    def __repr__(self) -> str:
        return f"<JointRelease: {', '.join(self.parts)}>"


def release_many(rows: Any, /, releases: Iterable[Mapping[str, Mapping[str, Any]]], *,
                 epsilon: Optional[float] = None, delta: Optional[float] = None, mu: Optional[float] = None,
                 rho: Optional[float] = None, share: Optional[float] = None, rest: bool = False,
                 **options: Any) -> JointRelease:
    """Several statistics of one table under one budget: the noise is calibrated for all of them together,
    which is far less than with a part of epsilon for each.

    ``releases``: what is released, each a dictionary with one key, as in a job file of the program, with
    the arguments of the function of that name; ``weight`` gives one more than another. In place of
    ``epsilon``: ``mu``, ``rho``, or a ``share`` or the ``rest`` of what a ledger has left.

    >>> release_many(people, [{"count": {}}, {"mean": {"select": "wage", "bounds": (0, 60), "weight": 2}}],
    ...              epsilon=1, delta=1e-6).parts["mean of wage"].to_frame()
    """
    asked = []
    for each in releases:
        if not isinstance(each, Mapping) or len(each) != 1:
            raise _core.InvalidParameter("releases must be dictionaries with one key: what is released")
        (kind, arguments), = each.items()
        asked.append({kind: _question(dict(arguments), in_file=True)})
    used = {name for each in asked for question in each.values() for name in columns_in(question)}
    names = options.pop("names", None)
    budget = {"epsilon": epsilon, "delta": delta, "mu": mu, "rho": rho, "share": share, "rest": rest or None}
    tree = {"budget": budget, "releases": asked}
    source = columns_of(rows, names, used | columns_in(options))
    if isinstance(source, File):
        source, options["names"] = source.path, list(source.names)
    whole = released("release", tree, table=source, **_rules(options))
    return JointRelease(_parts(whole), whole.certificate, whole)


def _parts(whole: Release) -> dict[str, Release]:
    parameters = whole.certificate["parameters"]
    parts = {}
    for name in parameters["releases"]:
        places = [place for place, row in enumerate(whole.row_names)
                  if row == name or row.startswith(f"{name}: ")]
        rows = [whole.row_names[place].removeprefix(f"{name}: ") for place in places]
        parts[name] = whole._replace(values=whole.values[places], row_names=rows,
                                     warnings=[text for text in whole.warnings if text.startswith(f"{name}: ")])
    return parts


def _refuse_both(range_: Optional[Ranges], row_norm_bound: Optional[float]) -> None:
    if range_ is not None or row_norm_bound is not None:
        raise _core.UsageError("bounds must not be given with range or row_norm_bound")


def _everyday(kind: str, rows: Any, /, **options: Any) -> Release:
    source, arguments = asked(rows, options)
    return released(f"release {kind}", source, **arguments)


def asked(rows: Any, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The rows and the options of one statistic, as the program has them."""
    given = {name: value for name, value in options.items() if value is not None}
    names = given.pop("names", None)
    question = _question({name: given.pop(name) for name in _asked if name in given})
    source = columns_of(rows, names, columns_in(question) | columns_in(given))
    return source, {**question, **_rules(given)}


# What belongs to one statistic; all else to the release.
_asked = ("select", "bounds", "by", "categories", "edges", "level")


def _question(options: dict[str, Any], *, in_file: bool = False) -> dict[str, Any]:
    """The options as the program has them, or as a job file."""
    for name in "select", "by":
        if name in options:
            options[name] = _listed(name, options[name])
    bounds = options.pop("bounds", None)
    if isinstance(bounds, Mapping):
        options["bounds"] = {column: _pair(column, pair) for column, pair in bounds.items()}
    elif bounds is not None:
        options["bounds_of_all"] = _pair(None, bounds)
    if "level" in options and isinstance(options["level"], (int, float)):
        options["level"] = [options["level"]]
    for name, checked in ("categories", _category), ("edges", _edge):
        if name in options:
            lists = _lists(name, options[name], checked)
            options[name] = lists if in_file else _as_texts(lists)
    return options


def _rules(options: dict[str, Any]) -> dict[str, Any]:
    """Dates as the program takes them: joined=month."""
    dates = options.get("dates")
    if isinstance(dates, Mapping):
        options = {**options, "dates": [f"{column}={unit}" for column, unit in dates.items()]}
    return options


def _listed(name: str, names: Names) -> list[str]:
    listed = [names] if isinstance(names, (str, int)) else list(names)
    if not all(isinstance(each, (str, int)) for each in listed):
        raise _core.InvalidParameter(f"{name} must be the name of a column, or a list of names")
    return [str(each) for each in listed]


def _pair(column: Optional[str], pair: Any) -> tuple[float, float]:
    of_column = "" if column is None else f" of column {column!r}"
    try:
        low, high = (float(end) for end in pair)
    except (TypeError, ValueError):
        raise _core.InvalidParameter(
            f"bounds{of_column} must be two numbers, as in (17, 90), or a dictionary of such pairs") from None
    if not low < high:
        raise _core.InvalidParameter(
            f"bounds{of_column} are ({low:g}, {high:g}), but must have the low end first, and a higher one")
    return low, high


def _category(name: str, category: Any) -> str:
    if isinstance(category, bool):
        return "true" if category else "false"
    if isinstance(category, int):
        return str(category)
    if not isinstance(category, str) or '"' in category:
        raise _core.InvalidParameter(f"{name} must be texts without quotation marks, or whole numbers")
    return category


def _edge(name: str, edge: Any) -> float:
    try:
        return float(edge)
    except (TypeError, ValueError):
        raise _core.InvalidParameter(f"{name} must be numbers, or a dictionary of lists of numbers") from None


def _lists(name: str, lists: Lists, checked: Any) -> Union[list[Any], dict[str, list[Any]]]:
    if isinstance(lists, Mapping):
        return {str(column): _list(f"{name} of column {column!r}", values, checked)
                for column, values in lists.items()}
    return _list(name, lists, checked)


def _list(name: str, values: Any, checked: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise _core.InvalidParameter(f"{name} must be a list, or a dictionary of lists")
    return [checked(name, each) for each in values]


def _as_texts(lists: Union[list[Any], dict[str, list[Any]]]) -> list[str]:
    """As the program takes them: region=north,south."""
    def joined(values: list[Any]) -> str:
        texts = [each if isinstance(each, str) else repr(each) for each in values]
        return ",".join(f'"{text}"' if "," in text else text for text in texts)
    if isinstance(lists, dict):
        return [f"{column}={joined(values)}" for column, values in lists.items()]
    return [joined(lists)]
