"""Rates and latency under load in one figure, as flent draws its tests."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from . import limits, style, ticks
from .arguments import check_times
from .errors import PlotError
from .reading import objects_of, pick_seeds, pick_variants, unit_of, with_series
from .rows import distinct
from .samples import Series, samples_of
from .series import with_gaps
from .source import Floats, Source, Summarised, Variants
from .words import axis_label

__all__ = ["response_under_load"]

#: Colours of flows, in order of their classes. A class (`ef` of `down-ef` and `ping-udp-ef`) has one colour in all panels.
COLOURS = ("#1b6ca8", "#d1495b", "#2e8b57", "#e09f3e", "#7b4ba0", "#5c8d89", "#8a5a44", "#6c757d")


@style.styled
def response_under_load(
    result: Summarised,
    *,
    download: str | Sequence[str] = "down*",
    upload: str | Sequence[str] = "up*",
    ping: str | Sequence[str] = "ping*",
    variants: Variants = None,
    seed: int | None = None,
    start: float | None = None,
    stop: float | None = None,
) -> list[Axes]:
    """Draws download rates, upload rates and pings over time, a panel each, on a new figure.

    The flows are those of the presets; other names can be given, `tcp.*` for all that begin so. A black line is the mean
    of the panel's flows at each time. Draws one variant (by default the first) and one seed. A panel without flows is left
    out. Returns the panels' axes from top to bottom.
    """
    check_times(start, stop)
    result = with_series(result)
    variant = pick_variants(result, variants)[0]
    one = pick_seeds(result, seed)[0]
    metrics = {metric for (metric,) in distinct(result.flows, ("metric",))}
    wanted = [("Download", "goodput", download), ("Upload", "goodput", upload), ("Latency", "rtt", ping)]
    panels = [
        (title, metric, names)
        for title, metric, pattern in wanted
        if metric in metrics and (names := _matching(result, metric, pattern))
    ]
    if not panels:
        raise PlotError(
            f"result `{result.name}` has no flows named like those of the presets (`down…`, `up…`, `ping…`); name its own: "
            'download="tcp.*", upload=[], ping="ping"'
        )
    figure, grid = plt.subplots(len(panels), 1, sharex=True, squeeze=False, figsize=(7.2, 0.6 + 2.1 * len(panels)))
    axes: list[Axes] = [own for (own,) in grid]
    classes = list(dict.fromkeys(_class(name) for _, _, names in panels for name in names))
    colours = {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(classes)}
    for ax, (title, metric, names) in zip(axes, panels, strict=True):
        _panel(ax, result, title, metric, {name: colours[_class(name)] for name in names}, variant, one, (start, stop))
    axes[-1].set_xlabel("Time (s)")
    several = len(result.variants) > 1
    figure.suptitle(f"{result.name}, {variant}" if several else result.name, x=0.02, ha="left", fontsize=10.0)
    return axes


def _matching(result: Source, metric: str, pattern: str | Sequence[str]) -> list[str]:
    """The flows with a metric that a pattern names; none is no error, a panel may be missing."""
    known = objects_of(result.flows, metric)
    patterns = [pattern] if isinstance(pattern, str) else pattern
    return [
        name
        for name in known
        if any(name.startswith(own[:-1]) if own.endswith("*") else name == own for own in patterns)
    ]


def _class(name: str) -> str:
    """The class of a flow: the last word of its name."""
    return name.rpartition("-")[2]


def _panel(
    ax: Axes,
    result: Source,
    title: str,
    metric: str,
    colours: dict[str, str],
    variant: str,
    seed: int,
    span: tuple[float | None, float | None],
) -> None:
    names = list(colours)
    samples = samples_of(result.flows, (metric,), names, [variant], [seed])
    start, stop = span
    drawn: list[Series] = []
    for name, colour in colours.items():
        series = _cut(samples.series(metric, variant, seed, names=[name]), start, stop)
        if len(series.values):
            drawn.append(series)
            ax.plot(*with_gaps(series), color=colour, linewidth=0.9, alpha=0.85, label=name)
    if not drawn:
        raise PlotError(f"result `{result.name}` has no `{metric}` of {', '.join(names)} in this interval")
    if len(drawn) > 1:
        ax.plot(*_mean(drawn), color="black", linewidth=1.6, label="mean")
    unit = unit_of(result, metric)
    ax.set_title(title)
    ax.set_ylabel(axis_label(metric, unit))
    ticks.thousands(ax, unit)
    limits.from_zero(ax, min(float(series.values.min()) for series in drawn))
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _cut(series: Series, start: float | None, stop: float | None) -> Series:
    keep = (series.seconds >= (start or 0.0)) & (series.seconds <= (np.inf if stop is None else stop))
    return Series(series.seconds[keep], series.values[keep])


def _mean(drawn: Sequence[Series]) -> tuple[Floats, Floats]:
    """The mean of the flows on a grid of the densest one's times, each flow at its latest value before."""
    grid = max(drawn, key=lambda series: len(series.seconds)).seconds
    values = np.full((len(drawn), len(grid)), np.nan)
    for row, series in zip(values, drawn, strict=True):
        place = np.searchsorted(series.seconds, grid, side="right") - 1
        inside = place >= 0
        row[inside] = series.values[place[inside]]
    known = ~np.all(np.isnan(values), axis=0)
    return grid[known], np.nanmean(values[:, known], axis=0)
