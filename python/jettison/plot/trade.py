"""Latency against quality: a point a scheme, with the spread around it."""

# pyright: reportUnknownMemberType=false
# The types of matplotlib leave its keyword arguments open.
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from . import style
from .errors import PlotError, unknown
from .interval import only_object, required, runs_of
from .reading import (
    Floats,
    Source,
    Summarised,
    Variants,
    columns,
    narrowed,
    pick_objects,
    pick_variants,
    series_of,
    table_with,
    unit_of,
    warm_up,
    with_series,
)

__all__ = ["ellipse", "ellipses"]


@style.styled
def ellipses(
    result: Summarised,
    x: str = "frame_latency",
    y: str = "sqi_ssim",
    object: str | None = None,  # noqa: A002
    *,
    over: Literal["samples", "frames", "seeds"] = "samples",
    statistic: tuple[str, str] = ("mean", "mean"),
    variants: Variants = None,
    log: bool = False,
    better: Literal["higher", "lower"] = "higher",
    names: bool | None = None,
    ax: Axes | None = None,
    legend: bool | None = None,
) -> Axes:
    """Latency against quality, as in Octopus's figure 9: the mean of each scheme in an ellipse.

    The latency `x` grows to the *left*, so that the better corner is on the right; `better` says whether that
    is above or below. The ellipse is the one-sigma ellipse of the covariance: over the samples of all runs
    after the warm-up (each the mean of the frames captured in one interval, both measures of the same
    interval); over `frames`, without those that were never shown, since these have no latency; or over the
    `seeds`' values, of which `statistic` names which for `x` and `y`. With `log`, mean and covariance of `x`
    are those of its logarithm. Fewer than three points, or points on a line, have no ellipse. Up to five
    schemes have their `names` beside the means, more a `legend`.
    """
    chosen = pick_variants(result, variants)
    if over == "seeds":
        points = {v: _of_seeds(result, v, x, y, object, statistic) for v in chosen}
    elif over == "frames":
        points = {v: _of_frames(with_series(result), v, x, y, object) for v in chosen}
    else:
        points = _of_samples(with_series(result), chosen, x, y, object)
    ax = style.new_axes(ax, (5.2, 4.0))
    looks = style.looks(chosen, result.labels)
    for variant, look in looks.items():
        xs, ys = points[variant]
        if log:
            ys, xs = ys[xs > 0], np.log10(xs[xs > 0])
        if not len(xs):
            continue
        mean = (float(xs.mean()), float(ys.mean()))
        outline = ellipse(xs, ys)
        if outline is not None:
            drawn = np.column_stack([10.0 ** outline[:, 0], outline[:, 1]]) if log else outline
            ax.add_patch(Polygon(drawn, closed=True, facecolor=look.colour, alpha=0.16, linewidth=0))
            ax.add_patch(
                Polygon(
                    drawn,
                    closed=True,
                    fill=False,
                    edgecolor=look.colour,
                    linestyle=look.dashes,
                    linewidth=1.1,
                )
            )
        centre = (10.0 ** mean[0] if log else mean[0], mean[1])
        ax.plot(
            *centre,
            color=look.colour,
            marker=look.marker,
            markerfacecolor="white" if look.hollow else look.colour,
            markersize=5.5,
            linestyle="none",
            label=look.label,
            zorder=4,
        )
        if names if names is not None else len(looks) <= 5:
            ax.annotate(
                look.label,
                centre,
                (6, 4),
                textcoords="offset points",
                fontsize=7.5,
                color=look.colour,
                zorder=5,
            )
    if not ax.lines:
        raise PlotError(f"result `{result.name}` has no `{x}` and `{y}` of one object for {', '.join(chosen)}")
    if log:
        ax.set_xscale("log")
    ax.autoscale_view()
    ax.invert_xaxis()
    before = [s if s != "mean" else "" for s in statistic] if over == "seeds" else ["", ""]
    ax.set_xlabel(style.axis_label(x, unit_of(result, x), before=before[0]))
    ax.set_ylabel(style.axis_label(y, unit_of(result, y), before=before[1]))
    ax.set_axisbelow(True)
    ax.grid(True, color="#eeeeee", linewidth=0.6, which="major")
    _better(ax, better)
    style.note(
        ax,
        f"one-sigma ellipses over {len(result.seeds)} runs" if over == "seeds" else f"one-sigma ellipses over {over}",
    )
    if legend if legend is not None else len(looks) > 5:
        style.legend(ax, where="right")
    return ax


def ellipse(xs: Floats, ys: Floats, corners: int = 96) -> Floats | None:
    """The outline of the one-sigma ellipse of points, of shape (corners, 2): x and y.

    None if they span no area.
    """
    if len(xs) < 3:
        return None
    covariance = np.cov(xs, ys)
    values, vectors = np.linalg.eigh(covariance)
    if not math.isfinite(float(values[0])) or values[0] <= 1e-12 * max(float(values[1]), 1e-300):
        return None
    angles = np.linspace(0.0, 2.0 * math.pi, corners, endpoint=False)
    circle = np.vstack([np.cos(angles), np.sin(angles)])
    outline = (vectors * np.sqrt(values)) @ circle
    return np.column_stack([outline[0] + xs.mean(), outline[1] + ys.mean()])


def _of_samples(
    result: Source, chosen: Sequence[str], x: str, y: str, name: str | None
) -> dict[str, tuple[Floats, Floats]]:
    table = table_with(result, x)
    at = pick_objects(result, table, x, name)
    pick_objects(result, table, y, at)
    tables = {metric: narrowed(table, metric, at) for metric in (x, y)}
    found: dict[str, tuple[Floats, Floats]] = {}
    for variant in chosen:
        xs: list[Floats] = []
        ys: list[Floats] = []
        for seed in result.seeds:
            one, other = (series_of(tables[metric], variant, seed, at, metric) for metric in (x, y))
            seconds, here, there = np.intersect1d(one.seconds, other.seconds, return_indices=True)
            counted = seconds > warm_up(result)
            xs.append(one.values[here][counted])
            ys.append(other.values[there][counted])
        found[variant] = np.concatenate(xs), np.concatenate(ys)
    return found


#: Columns of the table of frames, by the metric that they are values of.
_OF_FRAMES = {"frame_latency": "latency_ms", "sqi_ssim": "sqi_ssim", "ssim": "ssim"}


def _of_frames(result: Source, variant: str, x: str, y: str, name: str | None) -> tuple[Floats, Floats]:
    for metric in (x, y):
        if metric not in _OF_FRAMES:
            raise unknown("measure of each frame called", metric, _OF_FRAMES, f"result `{result.name}`")
    rows = columns(result.frames, ("flow", "captured_ns", _OF_FRAMES[x], _OF_FRAMES[y]), variant=variant)
    flows = {str(flow) for flow in rows["flow"]}
    if name is not None and name not in flows:
        raise unknown("frames of a flow", name, flows, f"result `{result.name}`")
    if name is None and len(flows) > 1:
        raise PlotError(f"result `{result.name}` has frames of several flows, name one of: {', '.join(sorted(flows))}")
    xs, ys = rows[_OF_FRAMES[x]].astype(np.float64), rows[_OF_FRAMES[y]].astype(np.float64)
    counted = (rows["captured_ns"] > warm_up(result) * 1e9) & ~np.isnan(xs) & ~np.isnan(ys)
    if name is not None:
        counted &= rows["flow"] == name
    return xs[counted], ys[counted]


def _of_seeds(
    result: Summarised, variant: str, x: str, y: str, name: str | None, statistic: tuple[str, str]
) -> tuple[Floats, Floats]:
    at = name or only_object(result, x)
    required(result, x, [at])
    required(result, y, [at])
    one = runs_of(result, x, at, variant, statistic[0])
    other = runs_of(result, y, at, variant, statistic[1])
    both = [seed for seed in one if seed in other]
    return np.array([one[s] for s in both], dtype=np.float64), np.array([other[s] for s in both], dtype=np.float64)


def _better(ax: Axes, better: Literal["higher", "lower"]) -> None:
    """Says which corner is the better one: above the axes, where nothing is drawn."""
    ax.annotate(
        "better \u2197" if better == "higher" else "better \u2198",
        (0.0, 1.0),
        (0, 3),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="left",
        va="bottom",
        fontsize=8.5,
        color="#333333",
    )
