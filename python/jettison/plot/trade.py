"""Latency against quality: one point per scheme, with its spread."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.patheffects import Normal, withStroke

from . import limits, remarks, style, ticks
from .arguments import check_choice
from .counts import absent
from .counts import runs as runs_of
from .errors import PlotError, unknown
from .interval import required, summary_object, values_of_runs
from .looks import Look, looks
from .names import SIZE, Named, Place, places
from .reading import pick_objects, pick_variants, table_with, unit_of, warm_up, with_series
from .rows import grouped
from .samples import samples_of
from .source import Floats, Source, Summarised, Variants
from .words import axis_label

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
    """Draws latency against quality, as in Octopus's figure 9: the mean of each scheme in an ellipse.

    The latency `x` grows to the *left*, so the better corner is on the right; `better` says whether it is above or below.
    The ellipse is the one-sigma ellipse of the covariance: over the samples of all runs after the warm-up (each the mean
    of the frames captured in one interval, for both metrics); over `frames`, except those that were never shown, which
    have no latency; or over the `seeds`' values, for which `statistic` selects the statistic of `x` and `y`. With `log`,
    mean and covariance of `x` are those of its logarithm. Fewer than three points, or points on a line, have no ellipse.
    Up to eight schemes have their `names` beside the means or the outlines if there is room; otherwise there is a `legend`.
    """
    check_choice("over", over, ("samples", "frames", "seeds"))
    check_choice("better", better, ("higher", "lower"))
    chosen = pick_variants(result, variants)
    if over == "seeds":
        name, points = _of_seeds(result, chosen, x, y, object, statistic)
    elif over == "frames":
        name, points = _of_frames(with_series(result), chosen, x, y, object)
    else:
        name, points = _of_samples(with_series(result), chosen, x, y, object)
    ax = style.new_axes(ax, (5.2, 4.0))
    own_looks = looks(chosen, result.labels)
    named: list[tuple[Look, Named]] = []
    lowest = [np.inf, np.inf]
    empty: list[str] = []
    for variant, look in own_looks.items():
        xs, ys = points.get(variant, (np.empty(0), np.empty(0)))
        if log:
            ys, xs = ys[xs > 0], np.log10(xs[xs > 0])
        if not len(xs):
            empty.append(variant)
            continue
        lowest = [min(lowest[0], float(xs.min())), min(lowest[1], float(ys.min()))]
        mean = (float(xs.mean()), float(ys.mean()))
        outline = ellipse(xs, ys)
        drawn = outline
        if outline is not None:
            drawn = np.column_stack([10.0 ** outline[:, 0], outline[:, 1]]) if log else outline
            # Patches do not affect the limits of the axes: parts of an ellipse below zero are cut.
            ax.update_datalim(drawn)
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
        named.append((look, Named(look.label, centre, drawn)))
    if not ax.lines:
        raise PlotError(f"result `{result.name}` has no `{x}` and `{y}` of one object for {', '.join(chosen)}")
    _outlines(ax, named)
    if log:
        ax.set_xscale("log")
    if not log:
        limits.not_below_zero(ax, lowest[0], "x")
    limits.not_below_zero(ax, lowest[1], "y")
    ax.autoscale_view()
    if not ax.xaxis_inverted():  # already inverted for several drawings or shared axes
        ax.invert_xaxis()
    before = [s if s != "mean" else "" for s in statistic] if over == "seeds" else ["", ""]
    ax.set_xlabel(axis_label(x, unit_of(result, x), before=before[0]))
    ax.set_ylabel(axis_label(y, unit_of(result, y), before=before[1]))
    if log:
        ticks.logarithmic(ax.xaxis)
    ax.set_axisbelow(True)
    ax.grid(True, color="#eeeeee", linewidth=0.6, which="major")
    _better(ax, better)
    few = names if names is not None else len(named) <= NAMED
    beside = places(ax, [own for _, own in named]) if few else None
    if beside is None and names:
        beside = [Place(own.centre, (6, 4), ("left", "bottom")) for _, own in named]
    in_legend = legend if legend is not None else beside is None and len(named) > 1
    gone = remarks.missing(ax, absent(result, empty), own_looks, in_legend)
    outlined = any(own.outline is not None for _, own in named)
    runs = runs_of((len(xs) for xs, _ in points.values()), len(result.seeds))
    style.note(
        ax,
        *remarks.of_objects([name]),
        *remarks.alike(result, chosen),
        f"{'one-sigma ellipses over' if outlined else 'means of'} {runs if over == 'seeds' else over}",
        *gone,
        beside=0.7,
    )
    for (look, own), place in zip(named, beside or [], strict=False):
        ax.annotate(
            own.name,
            place.at,
            place.offset,
            textcoords="offset points",
            ha=cast(Any, place.align[0]),
            va=cast(Any, place.align[1]),
            fontsize=SIZE,
            color=look.colour,
            path_effects=[withStroke(linewidth=2.0, foreground="white")],
            zorder=5,
        )
    if in_legend:
        _legend(ax, [look for look, _ in named])
    return ax


#: Largest number of schemes with names beside them.
NAMED = 8


def _legend(ax: Axes, drawn: Sequence[Look]) -> None:
    """A legend with the lines of the outlines beside the markers of the means."""
    lines = {
        look.label: Line2D(
            [],
            [],
            color=look.colour,
            linestyle=look.dashes,
            marker=look.marker,
            markerfacecolor="white" if look.hollow else look.colour,
            markersize=5.5,
        )
        for look in drawn
    }
    handles, labels = ax.get_legend_handles_labels()
    style.legend_of(
        ax, [lines.get(label, handle) for handle, label in zip(handles, labels, strict=True)], labels, where="right"
    )


def _outlines(ax: Axes, named: Sequence[tuple[Look, Named]]) -> None:
    """Draws the outlines, the largest first. None is filled, and a white rim keeps those that cross apart."""

    def size(own: Named) -> float:
        return 0.0 if own.outline is None else math.prod(np.ptp(own.outline, axis=0).tolist())

    for look, own in sorted(named, key=lambda each: -size(each[1])):
        if own.outline is not None:
            shape = Polygon(
                own.outline, closed=True, fill=False, edgecolor=look.colour, linestyle=look.dashes, linewidth=1.6
            )
            shape.set_path_effects([withStroke(linewidth=3.4, foreground="white"), Normal()])
            ax.add_artist(shape)


def ellipse(xs: Floats, ys: Floats, corners: int = 96) -> Floats | None:
    """The outline of the one-sigma ellipse of points, of shape (corners, 2): x and y.

    None if the points span no area.
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
) -> tuple[str, dict[str, tuple[Floats, Floats]]]:
    table = table_with(result, x)
    at = pick_objects(result, table, x, name)
    pick_objects(result, table, y, at)
    samples = samples_of(table, (x, y), at, chosen, result.seeds)
    found: dict[str, tuple[Floats, Floats]] = {}
    for variant in chosen:
        xs: list[Floats] = []
        ys: list[Floats] = []
        for seed in result.seeds:
            one, other = (samples.series(metric, variant, seed) for metric in (x, y))
            seconds, here, there = np.intersect1d(one.seconds, other.seconds, return_indices=True)
            counted = seconds > warm_up(result)
            xs.append(one.values[here][counted])
            ys.append(other.values[there][counted])
        found[variant] = np.concatenate(xs), np.concatenate(ys)
    return remarks.of_objects(at, name)[0], found


#: Columns of the table of frames, by metric.
_OF_FRAMES = {"frame_latency": "latency_ms", "sqi_ssim": "sqi_ssim", "ssim": "ssim"}


def _of_frames(
    result: Source, chosen: Sequence[str], x: str, y: str, name: str | None
) -> tuple[str, dict[str, tuple[Floats, Floats]]]:
    for metric in (x, y):
        if metric not in _OF_FRAMES:
            raise unknown("measure of each frame called", metric, _OF_FRAMES, f"result `{result.name}`")
    wanted = ("captured_ns", _OF_FRAMES[x], _OF_FRAMES[y])
    rows = grouped(result.frames, ("variant", "flow"), wanted, variant=list(chosen))
    flows = {flow for _, flow in rows}
    if name is not None and name not in flows:
        raise unknown("frames of a flow", name, flows, f"result `{result.name}`")
    if name is None and len(flows) > 1:
        raise PlotError(f"result `{result.name}` has frames of several flows; name one of: {', '.join(sorted(flows))}")
    found: dict[str, tuple[Floats, Floats]] = {}
    for (variant, flow), own in rows.items():
        if name in (None, flow):
            xs, ys = (own[_OF_FRAMES[metric]].astype(np.float64) for metric in (x, y))
            counted = (own["captured_ns"] > warm_up(result) * 1e9) & ~np.isnan(xs) & ~np.isnan(ys)
            found[variant] = xs[counted], ys[counted]
    return name or next(iter(flows), ""), found


def _of_seeds(
    result: Summarised, chosen: Sequence[str], x: str, y: str, name: str | None, statistic: tuple[str, str]
) -> tuple[str, dict[str, tuple[Floats, Floats]]]:
    at = name or summary_object(result, x)
    required(result, x, [at])
    required(result, y, [at])
    one, other = (values_of_runs(result, m, [at], of) for m, of in zip((x, y), statistic, strict=True))
    found: dict[str, tuple[Floats, Floats]] = {}
    for variant in chosen:
        own, beside = one.get((at, variant), {}), other.get((at, variant), {})
        both = [seed for seed in own if seed in beside]
        found[variant] = np.array([own[s] for s in both]), np.array([beside[s] for s in both])
    return at, found


def _better(ax: Axes, better: Literal["higher", "lower"]) -> None:
    """Marks the better corner: above the axes, where nothing is drawn."""
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
