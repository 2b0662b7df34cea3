"""Cumulative distributions."""

# pyright: reportUnknownMemberType=false
# The types of matplotlib leave its keyword arguments open.
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes

from . import style, ticks
from .errors import PlotError
from .looks import looks
from .reading import objects_of, pick_objects, pick_variants, table_with, unit_of, warm_up, with_series
from .rows import grouped
from .samples import samples_of
from .source import Floats, Summarised, Table, Variants
from .words import axis_label

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
    chosen = pick_variants(result, variants)
    runs_of = _stored if use_stored else _sampled(warm_up(result), combine)
    every = runs_of(table, metric, names, chosen, result.seeds)
    ax = style.new_axes(ax)
    for variant, look in looks(chosen, result.labels).items():
        runs = every.get(variant, [])
        if not runs:
            continue
        values, shares = pooled(runs)
        drawn = 1.0 - shares if tail else shares
        ax.plot(values, drawn, color=look.colour, linestyle=look.dashes, label=look.label, drawstyle="steps-post")
    if not ax.lines:
        raise PlotError(f"result `{result.name}` has no `{metric}` of {', '.join(names)} for {', '.join(chosen)}")
    unit = "ms" if use_stored else unit_of(result, metric)
    ax.set_xlabel(axis_label(metric, unit))
    ticks.thousands(ax, unit, axis="x")
    if tail:
        ax.set_yscale("log")
        ax.set_ylabel("Share that is higher")
    else:
        ax.set_ylim(0, 1.01)
        ax.set_ylabel("Share that is no higher")
    if log:
        ax.set_xscale("log")
        if unit != "bytes":
            ticks.logarithmic(ax.xaxis)
    ax.set_axisbelow(True)
    ax.grid(True, color="#e5e5e5", linewidth=0.6)
    n = len(result.seeds)
    style.note(ax, f"{'every value' if use_stored else 'samples'}, {n} {'run' if n == 1 else 'runs'}")
    if legend and len(chosen) > 1:
        style.legend(ax)
    return ax


#: The cumulative distributions of the runs of each variant: values, and the shares that are no higher.
Runs: TypeAlias = dict[str, list[tuple[Floats, Floats]]]


def _stored(table: Table, metric: str, names: Sequence[str], variants: Sequence[str], seeds: Sequence[int]) -> Runs:
    """Those that the result holds, one a run and object."""
    rows = grouped(
        table,
        ("variant", "seed", "object"),
        ("value_ms", "share"),
        metric=metric,
        object=list(names),
        variant=list(variants),
        seed=list(seeds),
    )
    found: Runs = {}
    for (variant, _, _), own in rows.items():
        order = np.argsort(own["value_ms"], kind="stable")
        values, shares = (own[column][order].astype(np.float64) for column in ("value_ms", "share"))
        found.setdefault(variant, []).append((values, shares))
    return found


def _sampled(begin: float, combine: Literal["mean", "sum"]) -> Callable[..., Runs]:
    """Those of the samples after the warm-up, one a run."""

    def of(table: Table, metric: str, names: Sequence[str], variants: Sequence[str], seeds: Sequence[int]) -> Runs:
        samples = samples_of(table, (metric,), names, variants, seeds)
        found: Runs = {}
        for variant in variants:
            for seed in seeds:
                series = samples.series(metric, variant, seed, combine=combine)
                values = np.sort(series.values[series.seconds > begin])
                if len(values):
                    shares = np.arange(1, len(values) + 1) / len(values)
                    found.setdefault(variant, []).append((values, shares))
        return found

    return of


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
