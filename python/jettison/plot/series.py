"""Time series."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from . import limits, remarks, style, ticks
from .arguments import check_choice, check_count, check_times
from .counts import absent, runs
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
    """Draws a series over the time of a run, one line per variant.

    `objects` is a queue or a flow; several, or `tcp.*`, are combined to their mean or sum at each time. `seed` selects a
    run (by default the first), or `"mean"` draws the mean over all with a band from the minimum to the maximum. `samples`
    draws means of that number of successive values, at the time of the last one. `start` and `stop` are in seconds.
    """
    check_times(start, stop)
    check_count("samples", samples)
    check_choice("combine", combine, ("mean", "sum"))
    result = with_series(result)
    table = table_with(result, metric)
    names = pick_objects(result, table, metric, objects)
    chosen = pick_variants(result, variants)
    seeds = pick_seeds(result, seed)
    every = samples_of(table, (metric,), names, chosen, seeds)
    whole = {
        v: [rolling(every.series(metric, v, s, part=part, combine=combine), samples) for s in seeds] for v in chosen
    }
    cut = {v: [one for run in of if len((one := _cut(run, start, stop)).values)] for v, of in whole.items()}
    if not any(cut.values()):
        of = f"`{metric}` of {', '.join(names)}"
        raise _nothing(result.name, of, chosen, [run for own in whole.values() for run in own if len(run.values)])
    ax = style.new_axes(ax)
    own_looks = looks(chosen, result.labels)
    drawn: list[Line2D] = []
    for variant, look in own_looks.items():
        if not cut[variant]:
            continue
        if len(cut[variant]) == 1:
            seconds, values = with_gaps(cut[variant][0])
        else:
            seconds, low, values, high = _over_seeds(cut[variant])
            ax.fill_between(seconds, low, high, color=look.colour, alpha=0.18, linewidth=0)
        drawn += ax.plot(seconds, values, color=look.colour, linestyle=look.dashes, label=look.label)
    unit = unit_of(result, metric)
    ax.set_xlabel("Time (s)")
    ax.set_ylabel(axis_label(metric, unit))
    ticks.thousands(ax, unit)
    ax.margins(x=0.01)
    limits.from_zero(ax, min(float(np.nanmin(line.get_ydata())) for line in drawn))
    limits.not_below_zero(ax, min(float(np.nanmin(line.get_xdata())) for line in drawn), "x")
    in_legend = legend and len(chosen) > 1
    gone = remarks.missing(ax, absent(result, [v for v in chosen if not cut[v]], seeds), own_looks, in_legend)
    over = runs((len(of) for of in cut.values()), len(seeds))
    style.note(
        ax,
        *remarks.of_objects(names, objects, combine=combine),
        *remarks.of_part(part),
        *remarks.alike(result, chosen),
        *remarks.of_samples(samples),
        f"mean of {over}, lowest to highest" if len(seeds) > 1 else f"seed {seeds[0]}",
        *gone,
    )
    if in_legend:
        style.legend(ax)
    return ax


def _nothing(name: str, what: str, chosen: Sequence[str], there: Sequence[Series]) -> PlotError:
    """The error for series without samples, or without samples in the interval."""
    if there:
        first, last = min(run.seconds[0] for run in there), max(run.seconds[-1] for run in there)
        return PlotError(f"result `{name}` has {what} from {first:g} s to {last:g} s, and none in this interval")
    return PlotError(f"result `{name}` has no {what} for {', '.join(chosen)}")


def _cut(series: Series, start: float | None, stop: float | None) -> Series:
    keep = np.ones(len(series.seconds), dtype=bool)
    if start is not None:
        keep &= series.seconds >= start
    if stop is not None:
        keep &= series.seconds <= stop
    return Series(series.seconds[keep], series.values[keep])


def with_gaps(series: Series) -> tuple[Floats, Floats]:
    """The points, with a break at gaps of more than five times the usual step.

    No line crosses a gap.
    """
    if len(series.seconds) < 3:
        return series.seconds, series.values
    steps = np.diff(series.seconds)
    breaks = np.flatnonzero(steps > 5 * np.median(steps)) + 1
    return np.insert(series.seconds, breaks, np.nan), np.insert(series.values, breaks, np.nan)


def _over_seeds(runs: Sequence[Series]) -> tuple[Floats, Floats, Floats, Floats]:
    """Times, minimum, mean and maximum at the times of all runs' samples.

    A run counts from its first to its last sample.
    """
    times: Floats = np.unique(np.concatenate([run.seconds for run in runs]))
    # Samples of different runs are on one grid; a player's seconds and segments are not.
    longest = max(len(run.seconds) for run in runs)
    if len(times) > 4 * longest:
        times = np.linspace(float(times[0]), float(times[-1]), longest)
    values = np.vstack([np.interp(times, run.seconds, run.values, left=np.nan, right=np.nan) for run in runs])
    counted = (~np.isnan(values)).sum(axis=0) > 0
    values, times = values[:, counted], times[counted]
    return times, np.nanmin(values, axis=0), np.nanmean(values, axis=0), np.nanmax(values, axis=0)
