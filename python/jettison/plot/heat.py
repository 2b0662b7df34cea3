"""Backlog over time as a heat map."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm

from . import remarks, style, ticks
from .arguments import check_choice, check_count
from .counts import absent
from .errors import PlotError
from .looks import looks
from .reading import bottleneck, pick_objects, pick_seeds, pick_variants, unit_of, with_series
from .samples import Series, samples_of
from .source import Floats, Summarised, Variants
from .words import axis_label

__all__ = ["backlog"]


@style.styled
def backlog(
    result: Summarised,
    object: str | None = None,  # noqa: A002
    *,
    metric: str = "backlog",
    rows: Literal["variants", "seeds"] | None = None,
    variants: Variants = None,
    seed: int | None = None,
    bins: int = 120,
    log: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draws the backlog of a queue over time: one row per variant, or one row per seed of a variant.

    By default the queue is the bottleneck. A cell shows the mean of the samples in its interval; cells without samples
    are white. `log` makes the colours logarithmic, for queues of very different lengths; empty queues are then white,
    too. `metric` may be any series of a queue.
    """
    check_count("bins", bins)
    if rows is not None:
        check_choice("rows", rows, ("variants", "seeds"))
    result = with_series(result)
    names = pick_objects(result, result.queues, metric, object or bottleneck(result))
    chosen = pick_variants(result, variants)
    by_seed = rows == "seeds" or (rows is None and len(chosen) == 1 and len(result.seeds) > 1)
    if by_seed and len(chosen) > 1:
        raise PlotError(f"rows of seeds require one variant; name one of: {', '.join(chosen)}")
    runs = [(chosen[0], s) for s in result.seeds] if by_seed else [(v, pick_seeds(result, seed)[0]) for v in chosen]
    samples = samples_of(result.queues, (metric,), names, chosen, sorted({s for _, s in runs}))
    series = [samples.series(metric, v, s) for v, s in runs]
    longest = max((float(s.seconds[-1]) for s in series if len(s.seconds)), default=0.0)
    if longest <= 0.0:
        raise PlotError(f"result `{result.name}` has no `{metric}` of {', '.join(names)} for {', '.join(chosen)}")
    most = max(len(s.seconds) for s in series)
    edges = np.linspace(0.0, longest, min(bins, most) + 1)
    cells = np.vstack([binned(s, edges) for s in series])
    ax = style.new_axes(ax, (6.4, min(1.3 + 0.28 * len(runs), 14.0)))
    norm = None
    if log:
        cells = np.where(cells > 0, cells, np.nan)
        norm = LogNorm(vmin=float(np.nanmin(cells)), vmax=float(np.nanmax(cells)))
    mesh = ax.pcolormesh(
        edges,
        np.arange(len(runs) + 1),
        cells,
        cmap="cividis",
        norm=norm,
        vmin=None if log else 0.0,
        rasterized=True,
    )
    own = looks(chosen, result.labels)
    gone = [
        absent(result, [v], [s]).get(v, "") if not len(of.seconds) else ""
        for (v, s), of in zip(runs, series, strict=True)
    ]
    written = ticks.every_nth(
        [
            (f"seed {s}" if by_seed else own[v].label) + (f" ({why})" if why else "")
            for (v, s), why in zip(runs, gone, strict=True)
        ]
    )
    ax.set_yticks([place + 0.5 for place, _ in written], [words for _, words in written])
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("Time (s)")
    bar = style.root(ax).colorbar(mesh, ax=ax, pad=0.02)
    if log:
        ticks.logarithmic(bar.ax.yaxis)
    bar.set_label(axis_label(metric, unit_of(result, metric)))
    style.note(
        ax,
        *remarks.of_objects(names, object),
        *remarks.alike(result, chosen),
        *([] if by_seed else [f"seed {runs[0][1]}"]),
    )
    return ax


def binned(series: Series, edges: Floats) -> Floats:
    """The mean of the values in each interval between edges, the last edge included; NaN without values."""
    place = np.clip(np.searchsorted(edges, series.seconds, side="right") - 1, 0, len(edges) - 2)
    counts = np.bincount(place, minlength=len(edges) - 1)[: len(edges) - 1]
    sums = np.bincount(place, weights=series.values, minlength=len(edges) - 1)[: len(edges) - 1]
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
