"""A metric over the axes of a sweep, or over the labels of `[[vary]]`."""

# pyright: reportUnknownMemberType=false
# The types of matplotlib leave its keyword arguments open.
from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.contour import QuadContourSet

from . import style
from .errors import PlotError, unknown
from .interval import interval, only_object, required
from .reading import Floats, Summarised, Variants, pick_variants, unit_of

__all__ = ["lines", "number", "surface"]

_UNITS = (
    {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0},
    {"bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, "Tbit/s": 1e12},
    {"byte": 1.0, "bytes": 1.0, "kB": 1e3, "MB": 1e6, "KiB": 1024.0, "MiB": 1024.0**2},
)
_NUMBER = re.compile(r"^\s*([-+]?\d+(?:[.,]?\d+)*(?:[eE][-+]?\d+)?)\s*([A-Za-zµ%/]*(?:/s)?)\s*$")


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
    """A metric over two labels of a result, or two axes of a sweep.

    A heat map has a cell a point; contours lie between the points. Each pair of values must belong to one
    variant: where there are further axes, `variants` picks one value of each. Contours need both labels to be
    numbers (`20ms`, `10 Mbit/s`). `log` makes the colours of a heat map logarithmic, or the axes of contours.
    `values` writes each cell's value into it (default: where there are at most 60 cells).
    """
    name = object or only_object(result, metric)
    required(result, metric, [name])
    chosen = pick_variants(result, variants)
    xs, ys = _values_of(result, chosen, x), _values_of(result, chosen, y)
    cells = np.full((len(ys), len(xs)), np.nan)
    seen: dict[tuple[int, int], str] = {}
    unit = unit_of(result, metric)
    for variant in chosen:
        at = (ys.index(result.labels[variant][y]), xs.index(result.labels[variant][x]))
        if at in seen:
            raise _several(result, chosen, (x, y), seen[at], variant)
        seen[at] = variant
        value = interval(result, metric, name, variant, statistic, part)
        if value is not None:
            cells[at], unit = value.mean, value.unit
    if np.isnan(cells).all():
        raise PlotError(f"result `{result.name}` has no `{metric}` of `{name}` for these variants")
    ax = style.new_axes(ax, (2.4 + 0.62 * max(len(xs), 4), 1.4 + 0.36 * max(len(ys), 4)))
    if kind == "contour":
        drawn = _contours(ax, xs, ys, cells, x, y, log)
    else:
        drawn = ax.pcolormesh(
            np.arange(len(xs) + 1),
            np.arange(len(ys) + 1),
            np.ma.masked_invalid(cells),
            cmap="cividis",
            norm=LogNorm() if log else None,
            edgecolors="white",
            linewidth=0.6,
        )
        ax.set_xticks(
            np.arange(len(xs)) + 0.5,
            [style.pretty(v) for v in xs],
            rotation=38 if sum(map(len, xs)) > 50 else 0,
        )
        ax.set_yticks(np.arange(len(ys)) + 0.5, [style.pretty(v) for v in ys])
        ax.tick_params(length=0)
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        if _numbers(ys)[0] is None:
            ax.invert_yaxis()
        if values if values is not None else cells.size <= 60:
            _write(ax, np.log10(cells) if log else cells, cells)
    bar = style.root(ax).colorbar(drawn, ax=ax, pad=0.02)
    bar.set_label(style.axis_label(metric, unit, before="" if statistic == "mean" else statistic))
    style.note(ax, name)
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
    """A metric over one label of a result, or one axis of a sweep, with 95 % intervals over seeds.

    There is a line for each combination of the other labels. Where all values of the label are numbers of one
    kind the axis is numeric (`log`: logarithmic), in the first one's unit; else they stand side by side in
    the experiment's order.
    """
    name = object or only_object(result, metric)
    required(result, metric, [name])
    chosen = pick_variants(result, variants)
    along = _values_of(result, chosen, x)
    rest = {v: {axis: value for axis, value in result.labels[v].items() if axis != x} for v in chosen}
    keys = {v: ",".join(f"{a}={b}" for a, b in of.items()) or "all" for v, of in rest.items()}
    looks = style.looks(list(dict.fromkeys(keys.values())), {keys[v]: rest[v] for v in chosen})
    numbers, axis_unit = _numbers(along)
    places = numbers if numbers is not None else np.arange(len(along), dtype=np.float64)
    ax = style.new_axes(ax)
    unit, seeds = unit_of(result, metric), 0
    for key, look in looks.items():
        own = [v for v in chosen if keys[v] == key]
        points: list[tuple[float, float, float, float]] = []
        for variant in own:
            value = interval(result, metric, name, variant, statistic, part)
            if value is None:
                continue
            unit, seeds = value.unit, max(seeds, value.n)
            points.append((float(places[along.index(result.labels[variant][x])]), value.mean, value.low, value.high))
        points.sort()
        if not points:
            continue
        at, mean, low, high = (np.array(column) for column in zip(*points, strict=True))
        known = ~np.isnan(low)
        if known.any():
            ax.fill_between(at[known], low[known], high[known], color=look.colour, alpha=0.18, linewidth=0)
        ax.plot(
            at,
            mean,
            color=look.colour,
            linestyle=look.dashes,
            marker=look.marker,
            markerfacecolor="white" if look.hollow else look.colour,
            markersize=4,
            label=look.label,
        )
    if not ax.lines:
        raise PlotError(f"result `{result.name}` has no `{metric}` of `{name}` for these variants")
    if numbers is None:
        ax.set_xticks(places, [style.pretty(v) for v in along])
        ax.set_xlabel(x)
    else:
        if log:
            ax.set_xscale("log")
        ax.set_xticks(places, [f"{n:g}" for n in numbers])
        ax.minorticks_off()
        ax.set_xlabel(f"{x} ({axis_unit})" if axis_unit else x)
    ax.set_ylabel(style.axis_label(metric, unit, before="" if statistic == "mean" else statistic))
    style.thousands(ax, unit)
    drawn = np.concatenate([np.asarray(line.get_ydata(), dtype=np.float64) for line in ax.lines])
    style.from_zero(ax, float(drawn.min()))
    # Intervals of two or three seeds can be far wider than all differences: they are cut so that these show.
    cut = drawn.min() >= 0 and ax.get_ylim()[1] > 1.6 * drawn.max() > 0
    if cut:
        ax.set_ylim(top=1.6 * float(drawn.max()))
    ax.set_axisbelow(True)
    ax.grid(True, axis="y", color="#e5e5e5", linewidth=0.6)
    style.note(
        ax,
        f"{name}, 95 % intervals{', cut above' if cut else ''}, {seeds} runs" if seeds > 1 else f"{name}, 1 run",
    )
    if legend and len(looks) > 1:
        style.legend(ax)
    return ax


def number(label: str) -> tuple[float, str] | None:
    """A label that is a number with a unit, or none: `20ms` is 20 and ms; `5-15` is no number."""
    match = _NUMBER.match(label)
    return (float(match[1].replace(",", "")), match[2]) if match else None


def _numbers(values: Sequence[str]) -> tuple[Floats | None, str]:
    """The labels as numbers in the first one's unit; None if one is no number, or of another kind."""
    parsed = [number(value) for value in values]
    known = [p for p in parsed if p is not None]
    if len(known) < len(values) or not known:
        return None, ""
    unit = known[0][1]
    scales = [_scale(of, unit) for _, of in known]
    if any(scale is None for scale in scales):
        return None, ""
    return np.array([n * (scale or 0.0) for (n, _), scale in zip(known, scales, strict=True)]), unit


def _scale(of: str, to: str) -> float | None:
    """How many of the second unit the first is."""
    for kind in _UNITS:
        if of in kind and to in kind:
            return kind[of] / kind[to]
    return 1.0 if of == to else None


def _values_of(result: Summarised, chosen: Sequence[str], label: str) -> list[str]:
    missing = [v for v in chosen if label not in result.labels.get(v, {})]
    if missing:
        raise unknown("label", label, {axis for of in result.labels.values() for axis in of}, f"result `{result.name}`")
    return list(dict.fromkeys(result.labels[v][label] for v in chosen))


def _several(result: Summarised, chosen: Sequence[str], axes: tuple[str, str], one: str, other: str) -> PlotError:
    own = [result.labels[v] for v in chosen]
    further = sorted({a for of in own for a in of if a not in axes and len({o.get(a) for o in own}) > 1})
    return PlotError(
        f"`{one}` and `{other}` have the same {axes[0]} and {axes[1]}: "
        f"pick one value of {', '.join(further)} with `variants`"
    )


def _contours(
    ax: Axes, xs: Sequence[str], ys: Sequence[str], cells: Floats, x: str, y: str, log: bool
) -> QuadContourSet:
    (across, x_unit), (up, y_unit) = _numbers(xs), _numbers(ys)
    for values, label, of in ((across, x, xs), (up, y, ys)):
        if values is None:
            raise PlotError(f'contours need numbers, and the label `{label}` has {", ".join(of)}: use kind="heat"')
        if len(values) < 2:
            raise PlotError(f"contours need two values of `{label}` at least, and there is {of[0]}")
    assert across is not None
    assert up is not None
    right, above = np.argsort(across), np.argsort(up)
    ordered = np.ma.masked_invalid(cells[above][:, right])
    drawn = ax.contourf(across[right], up[above], ordered, levels=12, cmap="cividis")
    ax.plot(*(grid.ravel() for grid in np.meshgrid(across, up)), "k.", markersize=2.5, clip_on=False)
    if log:
        ax.set_xscale("log")
        ax.set_yscale("log")
    ax.set_xlabel(f"{x} ({x_unit})" if x_unit else x)
    ax.set_ylabel(f"{y} ({y_unit})" if y_unit else y)
    return drawn


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
