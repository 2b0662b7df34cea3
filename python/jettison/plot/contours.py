"""Contours between the points of a sweep, on a grid or scattered."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.contour import ContourSet
from matplotlib.tri import Triangulation

from . import ticks
from .errors import PlotError
from .quantities import numbers
from .source import Floats

__all__ = ["draw"]

LEVELS = 12


def draw(
    ax: Axes,
    values: Mapping[tuple[str, str], float],
    names: tuple[str, str],
    labels: tuple[Sequence[str], Sequence[str]],
    log: bool,
) -> ContourSet:
    """Draws filled contours of the values by the labels of both axes, with a dot at each point.

    They follow the cells of a grid or, between scattered points, a Delaunay triangulation. The axes are labelled with
    the labels' units.
    """
    across, up = (_axis(name, of) for name, of in zip(names, labels, strict=True))
    known = {at: value for at, value in values.items() if not np.isnan(value)}
    xs = np.array([across[0][x] for x, _ in known])
    ys = np.array([up[0][y] for _, y in known])
    if log and (xs.min() <= 0 or ys.min() <= 0):
        raise PlotError("`log` requires values above 0")
    drawn = _on_grid(ax, known, across[0], up[0])
    if drawn is None:
        drawn = _between(ax, xs, ys, np.array(list(known.values())), names, log)
    ax.plot(xs, ys, "k.", markersize=2.5, clip_on=False)
    if log:
        ax.set_xscale("log")
        ax.set_yscale("log")
        ticks.logarithmic(ax.xaxis)
        ticks.logarithmic(ax.yaxis)
    (x, y), (x_unit, y_unit) = names, (across[1], up[1])
    ax.set_xlabel(f"{x} ({x_unit})" if x_unit else x)
    ax.set_ylabel(f"{y} ({y_unit})" if y_unit else y)
    return drawn


def _axis(name: str, labels: Sequence[str]) -> tuple[dict[str, float], str]:
    """The number of each label, and their common unit."""
    found, unit = numbers(labels)
    if found is None:
        some = ", ".join(labels[:6]) + (", …" if len(labels) > 6 else "")
        raise PlotError(f'contours require numeric labels, got {some} of `{name}`; use kind="heat"')
    if len(labels) < 2:
        raise PlotError(f"contours require at least two values of `{name}`, got only {labels[0]}")
    return dict(zip(labels, found.tolist(), strict=True)), unit


def _on_grid(
    ax: Axes, known: Mapping[tuple[str, str], float], across: Mapping[str, float], up: Mapping[str, float]
) -> ContourSet | None:
    """Contours of a grid; None if too many points have no value."""
    if 2 * len(known) < len(across) * len(up):
        return None
    xs, ys = (sorted(axis, key=axis.__getitem__) for axis in (across, up))
    cells = np.array([[known.get((x, y), np.nan) for x in xs] for y in ys])
    there = ~np.isnan(cells)
    whole = there[1:, 1:] & there[1:, :-1] & there[:-1, 1:] & there[:-1, :-1]
    if 2 * whole.sum() < whole.size:
        return None
    return ax.contourf(
        [across[x] for x in xs], [up[y] for y in ys], np.ma.masked_invalid(cells), levels=LEVELS, cmap="cividis"
    )


def _between(ax: Axes, xs: Floats, ys: Floats, values: Floats, names: tuple[str, str], log: bool) -> ContourSet:
    """Contours of a Delaunay triangulation in the plot's coordinates, so that units do not matter."""
    places = np.column_stack([np.log(xs), np.log(ys)] if log else [xs, ys])
    spread = np.ptp(places, axis=0)
    apart = (places - places.min(axis=0)) / np.where(spread > 0, spread, 1.0)
    flat = np.linalg.matrix_rank(apart - apart.mean(axis=0), tol=1e-6) < 2
    if len(xs) < 3 or flat:
        n = f"{len(xs)} {'has a value' if len(xs) == 1 else 'have values'}"
        raise PlotError(
            f"contours require three points that are not on a line in `{names[0]}` and `{names[1]}`; "
            f"{n}{' and they are on a line' if len(xs) >= 3 else ''}"
        )
    triangles = Triangulation(places[:, 0], places[:, 1], Triangulation(apart[:, 0], apart[:, 1]).triangles)
    limits = ax.dataLim.frozen()
    drawn = ax.tricontourf(triangles, values, levels=LEVELS, cmap="cividis")
    if log:
        # The sides of the triangles are straight in the plot; drawing uses the axes' coordinates.
        for path in drawn.get_paths():
            path.vertices = np.exp(path.vertices)
        ax.dataLim.set(limits)
    return drawn
