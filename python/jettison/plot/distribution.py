"""Cumulative distributions."""

# pyright: reportUnknownMemberType=false
# The types of matplotlib leave its keyword arguments open.
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes

from . import style
from .errors import PlotError
from .reading import (
    Floats,
    Summarised,
    Table,
    Variants,
    columns,
    narrowed,
    objects_of,
    pick_objects,
    pick_variants,
    series_of,
    table_with,
    unit_of,
    warm_up,
    with_series,
)

__all__ = ["cdf"]


@style.styled
def cdf(
    result: Summarised,
    metric: str,
    objects: str | Sequence[str] | None = None,
    *,
    variants: Variants = None,
    of: Literal["auto", "distribution", "samples"] = "auto",
    combine: Literal["mean", "sum"] = "mean",
    tail: bool = False,
    log: bool = False,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """The share of the values that are no higher, a line a variant, over all seeds.

    The warm-up does not count. Where the result holds the distribution of the metric (sojourn time, RTT,
    one-way delay, frame latency and others), this is of every single value; else, or with `of="samples"`, of
    the samples of the series. Each seed counts alike, and so does each of several objects. `tail` draws the
    share that is *higher*, on a logarithmic axis; `log` makes the values' axis logarithmic.
    """
    result = with_series(result)
    stored = set(objects_of(result.distributions, metric))
    if of == "distribution" and not stored:
        raise PlotError(f'result `{result.name}` has no distribution of `{metric}`: `of="samples"` takes the series')
    use_stored = bool(stored) and of != "samples"
    table = result.distributions if use_stored else table_with(result, metric)
    names = pick_objects(result, table, metric, objects)
    table = narrowed(table, metric, names)
    chosen = pick_variants(result, variants)
    ax = style.new_axes(ax)
    for variant, look in style.looks(chosen, result.labels).items():
        runs: list[tuple[Floats, Floats]] = []
        for seed in result.seeds:
            if use_stored:
                runs += [points for name in names if len((points := _stored(table, variant, seed, name, metric))[0])]
            else:
                series = series_of(table, variant, seed, names, metric, combine=combine)
                values = np.sort(series.values[series.seconds > warm_up(result)])
                if len(values):
                    runs.append((values, np.arange(1, len(values) + 1) / len(values)))
        if not runs:
            continue
        values, shares = pooled(runs)
        drawn = 1.0 - shares if tail else shares
        ax.plot(values, drawn, color=look.colour, linestyle=look.dashes, label=look.label, drawstyle="steps-post")
    if not ax.lines:
        raise PlotError(f"result `{result.name}` has no `{metric}` of {', '.join(names)} for {', '.join(chosen)}")
    unit = "ms" if use_stored else unit_of(result, metric)
    ax.set_xlabel(style.axis_label(metric, unit))
    style.thousands(ax, unit, axis="x")
    if tail:
        ax.set_yscale("log")
        ax.set_ylabel("Share that is higher")
    else:
        ax.set_ylim(0, 1.01)
        ax.set_ylabel("Share that is no higher")
    if log:
        ax.set_xscale("log")
    ax.set_axisbelow(True)
    ax.grid(True, color="#e5e5e5", linewidth=0.6)
    n = len(result.seeds)
    style.note(ax, f"{'every value' if use_stored else 'samples'}, {n} {'run' if n == 1 else 'runs'}")
    if legend and len(chosen) > 1:
        style.legend(ax)
    return ax


def _stored(table: Table, variant: str, seed: int, name: str, metric: str) -> tuple[Floats, Floats]:
    rows = columns(table, ("value_ms", "share"), variant=variant, seed=seed, object=name, metric=metric)
    order = np.argsort(rows["value_ms"], kind="stable")
    return rows["value_ms"][order].astype(np.float64), rows["share"][order].astype(np.float64)


def pooled(runs: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """The mean of several cumulative distributions, at all values that one of them has.

    It begins at a share of 0.
    """
    values = np.unique(np.concatenate([v for v, _ in runs]))
    shares = np.zeros(len(values))
    for own, share in runs:
        at = np.searchsorted(own, values, side="right")
        shares += np.concatenate([[0.0], share])[at]
    shares /= len(runs)
    return np.concatenate([values[:1], values]), np.concatenate([[0.0], shares])
