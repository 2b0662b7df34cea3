"""A metric over the axes of a sweep or the labels of `[[vary]]`."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm

from . import contours, limits, remarks, style, ticks
from .arguments import check_choice
from .counts import absent, runs
from .errors import PlotError, unknown
from .interval import Interval, means, required, summary_object
from .intervals import bars
from .looks import Look
from .quantities import numbers, ordered, written
from .reading import pick_variants, unit_of
from .source import Floats, Summarised, Variants
from .strands import strands
from .words import axis_label, pretty

__all__ = ["lines", "surface"]

#: Maximum number of values labelled on an axis.
WRITTEN = 50


@style.styled
def surface(
    result: Summarised,
    metric: str,
    object: str | None = None,  # noqa: A002
    *,
    x: str,
    y: str,
    variants: Variants = None,
    statistic: str = "mean",
    part: str = "",
    kind: Literal["heat", "contour"] = "heat",
    log: bool = False,
    values: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draws a metric over two labels of a result, or two axes of a sweep.

    A heat map has one cell per point; contours are interpolated between points, which are dotted and need not be a grid
    (such as a Latin hypercube). Each pair of values must belong to one variant: with further axes, `variants` selects one
    value of each. Contours require numeric labels (`20ms`, `10 Mbit/s`). `log` makes the colours of a heat map or the axes
    of contours logarithmic. `values` writes the values into the cells (by default if there are at most 60).
    """
    check_choice("kind", kind, ("heat", "contour"))
    name = object or summary_object(result, metric)
    required(result, metric, [name])
    chosen = pick_variants(result, variants)
    labels = _labels(result, chosen, (x, y))
    xs, ys = (list(dict.fromkeys(of[axis] for of in labels.values())) for axis in (x, y))
    xs, ys = ordered(xs) or xs, ordered(ys) or ys
    found = means(result, metric, [name], statistic, part)
    at: dict[tuple[str, str], float] = {}
    seen: dict[tuple[str, str], str] = {}
    unit = unit_of(result, metric)
    for variant, own in labels.items():
        place = own[x], own[y]
        if place in seen:
            raise _several(labels, (x, y), seen[place], variant)
        seen[place] = variant
        value = found.get((name, variant))
        if value is not None and not math.isnan(value.mean):
            at[place], unit = value.mean, value.unit
    if not at:
        raise PlotError(f"result `{result.name}` has no `{metric}` of `{name}` for these variants")
    if kind == "contour":
        ax = style.new_axes(ax, (5.6, 4.0))
        drawn = contours.draw(ax, at, (x, y), (xs, ys), log)
    else:
        cells = _cells(at, xs, ys, (x, y))
        ax = style.new_axes(ax, (min(2.4 + 0.62 * max(len(xs), 4), 10.0), min(1.4 + 0.36 * max(len(ys), 4), 8.0)))
        drawn = ax.pcolormesh(
            np.arange(len(xs) + 1),
            np.arange(len(ys) + 1),
            np.ma.masked_invalid(cells),
            cmap="cividis",
            norm=LogNorm() if log else None,
            edgecolors="white" if max(len(xs), len(ys)) <= ticks.WRITTEN else "none",
            linewidth=0.6,
        )
        (x_words, x_label), (y_words, y_label) = _written(x, xs), _written(y, ys)
        across = ticks.every_nth(x_words)
        long = sum(len(words) for _, words in across) > 50
        ax.set_xticks(
            [place + 0.5 for place, _ in across],
            [words for _, words in across],
            rotation=38 if long else 0,
            ha="right" if long else "center",
            rotation_mode="anchor" if long else None,
        )
        up = ticks.every_nth(y_words)
        ax.set_yticks([place + 0.5 for place, _ in up], [words for _, words in up])
        ax.tick_params(length=0)
        ax.set_xlabel(x_label)
        ax.set_ylabel(y_label)
        if numbers(ys)[0] is None:
            ax.invert_yaxis()
        if values if values is not None else cells.size <= 60:
            _write(ax, np.log10(cells) if log else cells, cells)
    bar = style.root(ax).colorbar(drawn, ax=ax, pad=0.02)
    if log and kind == "heat":
        ticks.logarithmic(bar.ax.yaxis)
    bar.set_label(axis_label(metric, unit, before="" if statistic == "mean" else statistic))
    style.note(ax, name, *remarks.of_part(part), *remarks.alike(result, chosen, but=(x, y)))
    return ax


@style.styled
def lines(
    result: Summarised,
    metric: str,
    object: str | None = None,  # noqa: A002
    *,
    x: str,
    variants: Variants = None,
    statistic: str = "mean",
    part: str = "",
    log: bool = False,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Draws a metric over one label of a result, or one axis of a sweep, with 95 % confidence intervals over seeds.

    There is one line per combination of the other labels. Scattered points, as of a Latin hypercube, are markers, which do
    not distinguish the other quantities. If all values of the label are numbers of one dimension, the axis is numeric
    (`log`: logarithmic) in the first one's unit. Otherwise the values are categories, which no line joins: there are bars, in
    the experiment's order.
    """
    name = object or summary_object(result, metric)
    required(result, metric, [name])
    chosen = pick_variants(result, variants)
    labels = _labels(result, chosen, (x,))
    along = list(dict.fromkeys(of[x] for of in labels.values()))
    numeric, axis_unit = numbers(along)
    of = strands(labels, x)
    if numeric is None and not of.scattered:
        ax = bars(result, metric, name, variants=chosen, statistic=statistic, part=part, group=x, ax=ax, legend=legend)
        ax.set_xlabel(x)
        return ax
    places = numeric if numeric is not None else np.arange(len(along), dtype=np.float64)
    place_of = dict(zip(along, places.tolist(), strict=True))
    found = means(result, metric, [name], statistic, part)
    ax = style.new_axes(ax)
    unit = unit_of(result, metric)
    counts: list[int] = []
    empty: dict[str, Look] = {}
    for look, own in of.lines:
        points = sorted(
            (
                (place_of[labels[v][x]], found[name, v])
                for v in own
                if (name, v) in found and not math.isnan(found[name, v].mean)
            ),
            key=lambda point: point[0],
        )
        if not points:
            empty[own[0]] = look
            continue
        unit = points[0][1].unit
        counts += [value.n for _, value in points]
        _line(ax, look, points, bool(of.scattered))
    if not ax.lines:
        raise PlotError(f"result `{result.name}` has no `{metric}` of `{name}` for these variants")
    if numeric is None:
        ticks.of_words(ax, places.tolist(), [pretty(v) for v in along])
        ax.set_xlabel(x)
    else:
        if log:
            ax.set_xscale("log")
            ticks.logarithmic(ax.xaxis)
        ticks.of_numbers(ax, numeric, log)
        ax.set_xlabel(f"{x} ({axis_unit})" if axis_unit else x)
    ax.set_ylabel(axis_label(metric, unit, before="" if statistic == "mean" else statistic))
    ticks.thousands(ax, unit)
    drawn = np.concatenate([np.asarray(line.get_ydata(), dtype=np.float64) for line in ax.lines])
    limits.from_zero(ax, float(drawn.min()))
    # Intervals of two or three seeds can be far wider than all differences: cut them to keep these
    # visible.
    cut = drawn.min() >= 0 and ax.get_ylim()[1] > 1.6 * drawn.max() > 0
    if cut:
        ax.set_ylim(top=1.6 * float(drawn.max()), auto=None)
    ax.set_axisbelow(True)
    ax.grid(True, axis="y", color="#e5e5e5", linewidth=0.6)
    in_legend = legend and len(of.lines) > 1
    style.note(
        ax,
        name,
        *remarks.of_part(part),
        *remarks.alike(result, chosen, but=(x,)),
        *([f"{', '.join(of.scattered)} {'varies' if len(of.scattered) == 1 else 'vary'} too"] if of.scattered else []),
        *([f"95 % intervals{', cut above' if cut else ''}"] if max(counts) > 1 else []),
        runs(counts, len(result.seeds)),
        *remarks.missing(ax, absent(result, list(empty)), empty, in_legend),
    )
    if in_legend:
        style.legend(ax)
    return ax


def _line(ax: Axes, look: Look, points: Sequence[tuple[float, Interval]], scattered: bool) -> None:
    """A line through the means with a band of their intervals; or markers with error bars."""
    at = np.array([place for place, _ in points])
    mean, low, high = (np.array([getattr(value, of) for _, value in points]) for of in ("mean", "low", "high"))
    known = ~np.isnan(low)
    if known.any() and scattered:
        ax.vlines(at[known], low[known], high[known], color=look.colour, alpha=0.5, linewidth=0.9)
    elif known.any():
        ax.fill_between(at[known], low[known], high[known], color=look.colour, alpha=0.18, linewidth=0)
    ax.plot(
        at,
        mean,
        color=look.colour,
        linestyle="none" if scattered else look.dashes,
        marker=look.marker if scattered or len(at) <= 4 * ticks.WRITTEN else "",
        markerfacecolor="white" if look.hollow else look.colour,
        markersize=4,
        label=look.label,
    )


def _cells(at: Mapping[tuple[str, str], float], xs: Sequence[str], ys: Sequence[str], names: tuple[str, str]) -> Floats:
    """The values in rows and columns, NaN for missing ones."""
    if len(xs) * len(ys) > max(8 * len(at), 100):
        raise PlotError(
            f"a heat map of {len(at):,} points over {len(xs):,} values of `{names[0]}` and {len(ys):,} of "
            f'`{names[1]}` is nearly empty: use kind="contour"'
        )
    cells = np.full((len(ys), len(xs)), np.nan)
    columns, rows = ({value: place for place, value in enumerate(of)} for of in (xs, ys))
    for (x, y), value in at.items():
        cells[rows[y], columns[x]] = value
    return cells


def _written(axis: str, values: Sequence[str]) -> tuple[list[str], str]:
    """The tick labels of an axis of a heat map, and the axis's label with the unit of numbers."""
    found, unit = numbers(values)
    if found is None:
        return [pretty(value) for value in values], axis
    return written(found.tolist()), f"{axis} ({unit})" if unit else axis


def _labels(result: Summarised, chosen: Sequence[str], wanted: Sequence[str]) -> dict[str, dict[str, str]]:
    """The labels of these variants, which must have all the wanted ones."""
    every = result.labels
    own = {variant: every.get(variant, {}) for variant in chosen}
    for label in wanted:
        if any(label not in of for of in own.values()):
            axes = {axis for of in every.values() for axis in of}
            raise unknown("label", label, axes, f"result `{result.name}`")
    return own


def _several(labels: Mapping[str, Mapping[str, str]], axes: tuple[str, str], one: str, other: str) -> PlotError:
    own = list(labels.values())
    further = sorted({a for of in own for a in of if a not in axes and len({o.get(a) for o in own}) > 1})
    return PlotError(
        f"`{one}` and `{other}` have the same {axes[0]} and {axes[1]}: "
        f"pick one value of {', '.join(further)} with `variants`"
    )


def _write(ax: Axes, shades: Floats, cells: Floats) -> None:
    low, high = float(np.nanmin(shades)), float(np.nanmax(shades))
    for at, value in enumerate(cells.ravel().tolist()):
        row, column = divmod(at, cells.shape[1])
        if not math.isnan(value):
            dark = high > low and (shades[row, column] - low) / (high - low) < 0.55
            ax.text(
                column + 0.5,
                row + 0.5,
                f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}",
                ha="center",
                va="center",
                fontsize=7,
                color="white" if dark else "black",
            )
