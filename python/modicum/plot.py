"""Pictures of privacy: curves of losses, errors of methods, what records lost, rows on components.

Every function draws on ``ax``, or on a figure of its own where none is given, and returns the axes.
Nothing is shown or saved. Lines are the safe end of what is known: delta and epsilon at most, errors
of an attacker at least. Where the other end is visibly away, what lies between is shaded.

>>> from modicum import gaussian, plot
>>> plot.profiles([gaussian(standard_deviation=2), gaussian(standard_deviation=4)])
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import matplotlib.pyplot as pyplot
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator
from numpy.typing import ArrayLike, NDArray

from . import _core
from .commands import Answer, Bounds, Path, array_of, command
from .losses import Loss
from .releases import Release
from .reports import RecordLosses

Losses = Union[Loss, Iterable[Loss]]

# Okabe-Ito without its yellow, too pale for a line. The numbers of colors, dashes and markers have no
# common factor, so that no two of the first 42 lines, or 35 groups of dots, look the same.
_colors = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_dashes: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1.2, 1.5)), (0, (6, 2, 1.5, 2)), (0, (11, 2.5)),
                            (0, (6, 2, 1.5, 2, 1.5, 2)))
_markers = ("o", "^", "s", "D", "v")
_muted = "#777777"

# Where a profile leaves the picture if nobody says otherwise.
_smallest_delta = 1e-10
# As far down as an axis goes.
_least_drawn = 1e-300
# Bounds are visibly apart, of a line on a logarithmic axis and on one from 0 to 1.
_apart_in_ratio = 1.05
_apart_in_units = 0.005


def profiles(losses: Losses, *, epsilon: Optional[ArrayLike] = None,
             labels: Optional[Sequence[str]] = None, mode: str = "automatic",
             ax: Optional[Axes] = None) -> Axes:
    """delta against epsilon, for one loss or several.

    ``epsilon`` are the places to ask at. Without it they go from 0 to where delta gets to 1e-10.
    Where a loss is known by an upper bound alone nothing is shaded. ``mode="fast"`` is enough for the
    eye where proofs take long.
    """
    drawn = _drawn(losses, labels)
    places = _automatic_epsilons([loss for loss, _ in drawn]) if epsilon is None else np.unique(
        _points("epsilon", epsilon))
    curves = [_with_end_of(loss, places) if epsilon is None else places for loss, _ in drawn]
    ends = [loss.profile(x, mode=mode).delta for (loss, _), x in zip(drawn, curves)]
    ax = _axes(ax, "epsilon", "delta")
    ax.set_yscale("log", nonpositive="mask")
    floor = _floor([end.upper for end in ends], automatic=epsilon is None)
    for style, (loss, label), x, delta in zip(_line_styles(), drawn, curves, ends):
        upper = _dropping(delta.upper)
        ax.plot(x, upper, label=label, **style)
        apart = delta.upper > _apart_in_ratio * delta.lower
        if apart.any() and not loss.is_upper_bound:
            lower = np.maximum(delta.lower, _least_drawn)
            ax.fill_between(x, lower, np.maximum(upper, lower), where=apart, color=style["color"],
                            alpha=0.2, linewidth=0)
    if places.size > 1:
        ax.set_xlim(places[0], places[-1])
    ax.set_ylim(floor, _ceiling([end.upper for end in ends]))
    ax.legend()
    return ax


def tradeoff_curves(losses: Losses, *, type1: Optional[ArrayLike] = None,
                    labels: Optional[Sequence[str]] = None, mode: str = "automatic",
                    ax: Optional[Axes] = None) -> Axes:
    """The least type II error of any test for a record against its type I error.

    The dashed diagonal is guessing without looking: no curve is above it. ``type1`` are the places to
    ask at, 101 by default; fewer are enough for the eye where a loss takes seconds for each.
    """
    drawn = _drawn(losses, labels)
    if type1 is None:  # close together at both ends, where the curves are steep or flat
        places = np.sin(np.linspace(0.0, 0.5 * math.pi, 101)) ** 2
        places[-1] = 1.0
    else:
        places = np.unique(_points("type1", type1))
    errors = [loss.tradeoff_bounds(places, mode=mode) for loss, _ in drawn]
    ax = _axes(ax, "type I error", "type II error")
    ax.plot([0.0, 1.0], [1.0, 0.0], color=_muted, linewidth=1.0, linestyle=(0, (4, 3)),
            label="1 - x: nothing given away")
    for style, (loss, label), error in zip(_line_styles(), drawn, errors):
        ax.plot(places, error.lower, label=label, **style)
        apart = error.upper - error.lower > _apart_in_units
        if apart.any() and not loss.is_upper_bound:
            ax.fill_between(places, error.lower, error.upper, where=apart, color=style["color"],
                            alpha=0.2, linewidth=0)
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(0.0, 1.0)
    ax.set_aspect("equal")
    ax.legend()
    return ax


class _Bar(NamedTuple):
    name: str
    value: float
    half_width: float
    proved: bool


# The measure that is drawn if nobody says otherwise: the first that is known.
_measures = ("mean_squared_error", "relative_error", "spectral_error", "relative_spectral_error")


def comparison(answer: Mapping[str, Any], *, measure: Optional[str] = None,
               ax: Optional[Axes] = None) -> Axes:
    """The error of each method, as bars, the smallest on top.

    ``answer`` is that of compare_noise, compare_regression, compare_projection or
    compare_components; all but the first are confidential, and so is the picture. ``measure`` is one of
    its entries, such as "residual_ratio" or "frobenius_error". Whiskers are 95 % confidence intervals.
    The axis is logarithmic where errors differ by more than a factor of 30.
    """
    measure, bars = _bars(answer, measure)
    bars.sort(key=lambda bar: -bar.value)
    what = "noise" if "mechanisms" in answer else "method"
    ax = _axes(ax, measure.replace("_", " "), what)
    heights = range(len(bars))
    values = np.array([bar.value for bar in bars])
    whiskers = np.array([bar.half_width for bar in bars])
    faces = [_colors[0] if bar.proved else "white" for bar in bars]
    drawn = ax.barh(heights, values, height=0.65, color=faces, edgecolor=_colors[0], linewidth=1.2)
    for patch, bar in zip(drawn, bars):
        if not bar.proved:
            patch.set_hatch("////")
    logarithmic = values[0] > 30.0 * values[-1] > 0.0
    if logarithmic:
        _logarithmic(ax.xaxis, values[-1], values[0])
        ax.set_xlim(values[-1] / 3.0, (values[0] + whiskers[0]) * 4.0)
    else:
        ax.set_xlim(0.0, 1.18 * float(np.max(values + whiskers)))
    if whiskers.any():
        ax.errorbar(values, heights, xerr=whiskers, fmt="none", ecolor="black", elinewidth=1.2, capsize=3)
    for height, bar in enumerate(bars):
        ax.annotate(f"{bar.value:.3g}", (bar.value + bar.half_width, height), xytext=(5, 0),
                    textcoords="offset points", va="center", fontsize="small")
    ax.set_yticks(heights, [bar.name for bar in bars])
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    if not all(bar.proved for bar in bars):
        ax.legend(handles=[
            Patch(facecolor=_colors[0], edgecolor=_colors[0], label="proved"),
            Patch(facecolor="white", edgecolor=_colors[0], hatch="////", label="asymptotic")])
    return ax


def losses_histogram(record_losses: RecordLosses, *, ax: Optional[Axes] = None) -> Axes:
    """How many records lost how much, with the worst case, and the bounds that their owners would be
    told. Confidential: for the holder of the data. Losses below 1e-4 of the largest value are counted
    there."""
    worst = float(record_losses.worst_case["epsilon"])
    lost, bound = np.asarray(record_losses.epsilon), np.asarray(record_losses.bound)
    if lost.size == 0:
        raise _core.InvalidParameter("record_losses are of no records, but must be of at least one")
    if not np.isfinite(lost).all():
        raise _core.InvalidParameter("record_losses are not finite, but must be")
    told = bound[np.isfinite(bound)]
    highest = max(worst, float(np.max(lost)), *told.tolist())
    if not highest > 0.0:
        raise _core.InvalidParameter("record_losses are 0 at most, but must go above")
    start = max(1e-4 * highest, min(float(np.min(lost)), 0.1 * highest))
    edges = np.geomspace(start * (1.0 - 1e-9), highest * (1.0 + 1e-9),
                         1 + max(20, int(8 * math.log10(highest / start))))
    ax = _axes(ax, "epsilon", "number of records")
    _logarithmic(ax.xaxis, start, highest)
    ax.hist(np.maximum(lost, start), bins=edges, color=_colors[0], alpha=0.85, label="what records lost")
    if told.size:
        ax.hist(np.maximum(told, start), bins=edges, histtype="step", color=_colors[1], linewidth=1.5,
                label="bounds for their owners")
    ax.axvline(worst, color="black", linestyle=(0, (6, 2)), linewidth=1.5,
               label=f"worst case: epsilon {worst:g}, delta {record_losses.worst_case['delta']:g}")
    ax.legend()
    return ax


def projections(pca: Any, X: Any, *, labels: Optional[Sequence[Any]] = None,
                axes: tuple[int, int] = (0, 1), ax: Optional[Axes] = None) -> Axes:
    """Rows along two components of a fitted PrivatePCA, colored by label. ``axes`` counts from 0.

    The components are private, the dots are not: they are rows. Confidential."""
    points = array_of("the rows along the components", pca.transform(X), 2)
    if len(points) == 0:
        raise _core.InvalidParameter("X has no rows, but must have at least one")
    chosen = tuple(axes)
    if len(chosen) != 2 or chosen[0] == chosen[1] or not all(
            0 <= axis < points.shape[1] for axis in chosen):
        raise _core.InvalidParameter(
            f"axes are {axes}, but must be two different ones of the {points.shape[1]} components, "
            "counted from 0")
    if labels is not None and len(labels) != len(points):
        raise _core.InvalidParameter(
            f"labels are {len(labels)}, but must be as many as there are rows, {len(points)}")
    first, second = points[:, chosen[0]], points[:, chosen[1]]
    ax = _axes(ax, f"component {chosen[0] + 1}", f"component {chosen[1] + 1}")
    style: dict[str, Any] = {"s": 10, "alpha": 0.5, "linewidths": 0}
    if labels is None:
        ax.scatter(first, second, color=_colors[0], **style)
    else:
        groups = np.asarray(labels)
        for i, group in enumerate(np.unique(groups)):
            ax.scatter(first[groups == group], second[groups == group], label=str(group),
                       color=_colors[i % len(_colors)], marker=_markers[i % len(_markers)], **style)
        legend = ax.legend(markerscale=2.0)
        handles = getattr(legend, "legend_handles", None)  # its name since matplotlib 3.7
        for handle in legend.legendHandles if handles is None else handles:
            handle.set_alpha(1.0)
    ax.set_aspect("equal")
    return ax


def statistics(release: Release, *, ax: Optional[Axes] = None) -> Axes:
    """Released counts, sums, means and the like, with their intervals; a bar for each row.

    Quantiles, which have no intervals, and statistics that may be negative are dots.
    """
    if list(release.column_names) != ["value", "lower", "upper"]:
        raise _core.InvalidParameter("release must have the columns value, lower and upper")
    certificate = release.certificate
    target, parameters = certificate["target"], certificate["parameters"]
    value, lower, upper = release.values.T
    places = np.arange(value.size)
    ax = _axes(ax, f"({target['epsilon']:g}, {target['delta']:g})-differentially private, "
                   f"{certificate['guarantee']}", parameters.get("statistic", "value"))
    known = np.isfinite(lower) & np.isfinite(upper)
    if known.all() and (value >= 0).all():
        ax.bar(places, value, width=0.6, color=_colors[0])
    else:
        ax.plot(places, value, "o", color=_colors[0])
    if known.any():
        ends = np.maximum([value[known] - lower[known], upper[known] - value[known]], 0.0)
        ax.errorbar(places[known], value[known], yerr=ends, fmt="none", ecolor="#222222", capsize=4,
                    label=f"{100 * parameters.get('confidence', 0.95):g} % for the noise alone")
        ax.legend()
    ax.set_xticks(places, release.row_names, rotation=0 if sum(map(len, release.row_names)) < 70 else 90)
    return ax


def composition(loss: Loss, counts: ArrayLike, *, delta: float, mode: str = "automatic",
                ax: Optional[Axes] = None) -> Axes:
    """epsilon at ``delta`` of so many uses of a mechanism. The axes are logarithmic where counts differ
    by a factor of 100 or more."""
    uses = np.unique(_points("counts", counts))
    if not uses[0] > 0.0:
        raise _core.InvalidParameter(f"counts have {uses[0]:g}, but must be above 0")
    found = [loss.repeated(count).epsilon_bounds(float(delta), mode=mode) for count in uses.tolist()]
    epsilon = Bounds(*np.array(found).T)
    ax = _axes(ax, "number of uses", f"epsilon at delta {delta:g}")
    style = next(iter(_line_styles()))
    ax.plot(uses, epsilon.upper, label=loss.label, marker="o", markersize=4, **style)
    if not loss.is_upper_bound and (epsilon.upper > _apart_in_ratio * epsilon.lower).any():
        ax.fill_between(uses, epsilon.lower, epsilon.upper, color=style["color"], alpha=0.2, linewidth=0)
    if uses[-1] >= 100.0 * uses[0]:
        _logarithmic(ax.xaxis, uses[0], uses[-1])
        if epsilon.upper[0] > 0.0:
            _logarithmic(ax.yaxis, epsilon.upper[0], epsilon.upper[-1])
    else:
        ax.set_ylim(bottom=0.0)
        ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 2.5, 5, 10]))
    ax.legend()
    return ax


def chart(kind: str, /, *inputs: Any, output: Path, **options: Any) -> Answer:
    """A chart of the program, as an SVG file: ``modicum plot KIND`` with its options as named arguments.

    ``kind``: profile, tradeoff, composition, radial, gain, leverage, claim, components or projections.

    >>> chart("claim", "classical-gaussian", output="claim.svg")
    """
    return command(f"plot {kind}", *inputs, output=output, **options)


def _axes(ax: Optional[Axes], x: str, y: str) -> Axes:
    if ax is None:
        figure, ax = pyplot.subplots()
        # Room on top for the label of the y axis, which the layout does not see there.
        figure.set_layout_engine("constrained", rect=(0.0, 0.0, 1.0, 0.96))
    ax.set_xlabel(x)
    # Above the axis, where it can be read without turning one's head.
    ax.set_ylabel(y, rotation=0, horizontalalignment="left", verticalalignment="bottom")
    ax.yaxis.set_label_coords(0.0, 1.015)
    ax.grid(True, color="#e3e3e3", linewidth=0.7)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def _logarithmic(axis: Any, low: float, high: float) -> None:
    """With ticks in plain numbers, such as 0.5, 20 or 1e-05."""
    (axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale)("log")
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 50.0 * low else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def _line_styles() -> Iterable[dict[str, Any]]:
    for i in range(len(_colors) * len(_dashes)):
        yield {"color": _colors[i % len(_colors)], "linestyle": _dashes[i % len(_dashes)], "linewidth": 2.0}


def _points(name: str, values: ArrayLike) -> NDArray[np.float64]:
    points = array_of(name, values, 1)
    if points.size == 0:
        raise _core.InvalidParameter(f"{name} is empty, but must have at least one number")
    return points


def _drawn(losses: Losses, labels: Optional[Sequence[str]]) -> list[tuple[Loss, str]]:
    """The losses and what they are called."""
    every = [losses] if isinstance(losses, Loss) else list(losses)
    most = len(_colors) * len(_dashes)
    if not 0 < len(every) <= most:
        raise _core.InvalidParameter(f"losses are {len(every)}, but must be from 1 to {most}")
    if labels is None:
        return [(loss, loss.label) for loss in every]
    names = [labels] if isinstance(labels, str) else list(labels)
    if len(names) != len(every):
        raise _core.InvalidParameter(
            f"labels are {len(names)}, but must be as many as losses, {len(every)}")
    return list(zip(every, names))


def _automatic_epsilons(losses: Sequence[Loss]) -> NDArray[np.float64]:
    """From 0 to where delta gets small for the slowest of them."""
    end = 0.0
    for loss in losses:
        for delta in (_smallest_delta, 1e-6, 1e-3, 0.1):
            try:
                end = max(end, loss.epsilon(delta, mode="fast"))
                break
            except _core.TargetUnreachable:  # never so small: a larger one
                continue
    places: NDArray[np.float64] = np.linspace(0.0, 1.05 * end if end > 0.0 else 1.0, 101)
    return places


def _with_end_of(loss: Loss, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """With more places towards the largest loss, where there is one: delta drops to 0 there."""
    try:
        largest = loss.epsilon(0.0, mode="fast")
    except _core.TargetUnreachable:
        return places
    if not 0.0 < largest < places[-1]:
        return places
    near = largest * (1.0 - np.geomspace(0.1, 1e-11, 40))
    together: NDArray[np.float64] = np.unique(np.concatenate([places, near, [largest]]))
    return together


def _dropping(delta: NDArray[np.float64]) -> NDArray[np.float64]:
    """A logarithmic axis has no place for 0: the first one after a curve is far below the picture,
    the others are left out."""
    result: NDArray[np.float64] = np.where(delta > 0.0, np.maximum(delta, _least_drawn), np.nan)
    first = np.flatnonzero((delta[1:] == 0.0) & (delta[:-1] > 0.0)) + 1
    result[first] = _least_drawn
    return result


def _floor(deltas: Sequence[NDArray[np.float64]], *, automatic: bool) -> float:
    positive = [float(each[each > 0.0].min()) for each in deltas if (each > 0.0).any()]
    smallest = min(positive, default=_smallest_delta)
    return min(max(smallest, _smallest_delta) if automatic else max(smallest, _least_drawn),
               0.1 * _ceiling(deltas))


def _ceiling(deltas: Sequence[NDArray[np.float64]]) -> float:
    largest = max(float(each.max()) for each in deltas)
    return 1.0 if largest > 0.01 or not largest > 0.0 else 2.0 * largest


def _bars(answer: Mapping[str, Any], measure: Optional[str]) -> tuple[str, list[_Bar]]:
    """What is measured, and the methods for which it is known."""
    entries = answer.get("mechanisms") or answer.get("methods")
    if not entries:
        raise _core.InvalidParameter(
            "answer has no methods, but must be one of compare_noise, compare_regression, "
            "compare_projection or compare_components")
    wanted = _measures if measure is None else (measure,)
    chosen = next((name for name in wanted if any(name in entry for entry in entries)), wanted[0])
    bars = [bar for entry in entries if (bar := _bar(entry, chosen)) is not None]
    if not bars:
        raise _core.InvalidParameter(
            f"measure is {chosen!r}, but must be one that is known for at least one method")
    return chosen, bars


def _bar(entry: Mapping[str, Any], measure: str) -> Optional[_Bar]:
    """None where the measure is unknown, or undefined: null in JSON."""
    value = entry.get(measure)
    mean, half_width = (value.get("mean"), value.get("half_width")) if isinstance(value, Mapping) else (
        value, None)
    if not isinstance(mean, (int, float)) or not math.isfinite(mean):
        return None
    name = str(entry["name"]).replace("_", " ") + (" (pure)" if entry.get("pure") else "")
    return _Bar(name, float(mean), float(half_width or 0.0), entry.get("guarantee", "proved") == "proved")
