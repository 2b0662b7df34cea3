"""Time series."""

# pyright: reportUnknownMemberType=false
# The types of matplotlib leave its keyword arguments open.
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes

from . import style, ticks
from .errors import PlotError
from .looks import looks
from .reading import pick_objects, pick_seeds, pick_variants, table_with, unit_of, with_series
from .samples import Series, rolling, samples_of
from .source import Floats, Summarised, Variants
from .words import axis_label

__all__ = ["time_series"]


@style.styled
def time_series(
    result: Summarised,
    metric: str,
    objects: str | Sequence[str] | None = None,
    *,
    variants: Variants = None,
    seed: int | Literal["mean"] | None = None,
    samples: int = 1,
    part: str = "",
    combine: Literal["mean", "sum"] = "mean",
    start: float | None = None,
    stop: float | None = None,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """A line a variant over the time of a run.

    `objects` is a queue or a flow; several, or `tcp.*`, are combined to their mean or sum at each instant.
    `seed` is one run's (default: the first), or `"mean"`: the mean over all, in a band from the lowest to
    the highest. `samples` draws the mean of so many successive values, at the time of the last of them.
    `start` and `stop` are in seconds.
    """
    result = with_series(result)
    table = table_with(result, metric)
    names = pick_objects(result, table, metric, objects)
    chosen = pick_variants(result, variants)
    seeds = pick_seeds(result, seed)
    every = samples_of(table, (metric,), names, chosen, seeds)
    ax = style.new_axes(ax)
    for variant, look in looks(chosen, result.labels).items():
        runs = [rolling(every.series(metric, variant, s, part=part, combine=combine), samples) for s in seeds]
        runs = [_cut(run, start, stop) for run in runs if len(run.values)]
        if not runs:
            continue
        if len(runs) == 1:
            seconds, values = with_gaps(runs[0])
            ax.plot(seconds, values, color=look.colour, linestyle=look.dashes, label=look.label)
        else:
            seconds, low, mean, high = _over_seeds(runs)
            ax.fill_between(seconds, low, high, color=look.colour, alpha=0.18, linewidth=0)
            ax.plot(seconds, mean, color=look.colour, linestyle=look.dashes, label=look.label)
    if not ax.lines:
        raise PlotError(f"result `{result.name}` has no `{metric}` of {', '.join(names)} for {', '.join(chosen)}")
    unit = unit_of(result, metric)
    ax.set_xlabel("Time (s)")
    ax.set_ylabel(axis_label(metric, unit))
    ticks.thousands(ax, unit)
    ax.margins(x=0.01)
    style.from_zero(ax, min(float(np.nanmin(line.get_ydata())) for line in ax.lines))
    style.note(ax, f"mean of {len(seeds)} runs, lowest to highest" if len(seeds) > 1 else f"seed {seeds[0]}")
    if legend and len(chosen) > 1:
        style.legend(ax)
    return ax


def _cut(series: Series, start: float | None, stop: float | None) -> Series:
    keep = np.ones(len(series.seconds), dtype=bool)
    if start is not None:
        keep &= series.seconds >= start
    if stop is not None:
        keep &= series.seconds <= stop
    return Series(series.seconds[keep], series.values[keep])


def with_gaps(series: Series) -> tuple[Floats, Floats]:
    """The points, with a break where nothing was measured for five times the usual step.

    No line leads across it.
    """
    if len(series.seconds) < 3:
        return series.seconds, series.values
    steps = np.diff(series.seconds)
    breaks = np.flatnonzero(steps > 5 * np.median(steps)) + 1
    return np.insert(series.seconds, breaks, np.nan), np.insert(series.values, breaks, np.nan)


def _over_seeds(runs: Sequence[Series]) -> tuple[Floats, Floats, Floats, Floats]:
    """Times, lowest, mean and highest at the instants that any run has a value for.

    A run counts from its first to its last.
    """
    times: Floats = np.unique(np.concatenate([run.seconds for run in runs]))
    # Samples of different runs fall on one grid; a player's seconds and segments do not.
    longest = max(len(run.seconds) for run in runs)
    if len(times) > 4 * longest:
        times = np.linspace(float(times[0]), float(times[-1]), longest)
    values = np.vstack([np.interp(times, run.seconds, run.values, left=np.nan, right=np.nan) for run in runs])
    counted = (~np.isnan(values)).sum(axis=0) > 0
    values, times = values[:, counted], times[counted]
    return times, np.nanmin(values, axis=0), np.nanmean(values, axis=0), np.nanmax(values, axis=0)
