"""Cumulative distributions."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from . import limits, remarks, style, ticks
from .arguments import check_choice
from .counts import absent
from .counts import runs as runs_of
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
    """Draws cumulative distribution functions, one line per variant, over all seeds.

    The warm-up is excluded. If the result holds the distribution of the metric (sojourn time, RTT, one-way delay, frame
    latency and others), it is of all single values; otherwise, or with `of="samples"`, of the series' samples. Seeds have
    equal weights, and so do several objects. `tail` draws the complementary function on a logarithmic axis; `log` makes
    the axis of the values logarithmic.
    """
    check_choice("of", of, ("auto", "distribution", "samples"))
    check_choice("combine", combine, ("mean", "sum"))
    result = with_series(result)
    stored = set(objects_of(result.distributions, metric))
    if of == "distribution" and not stored:
        raise PlotError(
            f'result `{result.name}` has no distribution of `{metric}`; pass of="samples" to use the series'
        )
    use_stored = bool(stored) and of != "samples"
    table = result.distributions if use_stored else table_with(result, metric)
    names = pick_objects(result, table, metric, objects)
    chosen = pick_variants(result, variants)
    read = _stored if use_stored else _sampled(warm_up(result), combine)
    every = read(table, metric, names, chosen, result.seeds)
    if not every:
        raise PlotError(f"result `{result.name}` has no `{metric}` of {', '.join(names)} for {', '.join(chosen)}")
    ax = style.new_axes(ax)
    own_looks = looks(chosen, result.labels)
    drawn: list[Line2D] = []
    for variant, look in own_looks.items():
        if variant in every:
            values, shares = pooled(list(every[variant].values()))
            drawn += ax.plot(
                values,
                1.0 - shares if tail else shares,
                color=look.colour,
                linestyle=look.dashes,
                label=look.label,
                drawstyle="steps-post",
            )
    unit = "ms" if use_stored else unit_of(result, metric)
    ax.set_xlabel(axis_label(metric, unit))
    ticks.thousands(ax, unit, axis="x")
    if tail:
        ax.set_yscale("log")
        ax.set_ylabel("Fraction of values > x")
    else:
        ax.set_ylim(0, 1.01)
        ax.set_ylabel("Fraction of values ≤ x")
    if log:
        ax.set_xscale("log")
        if unit != "bytes":
            ticks.logarithmic(ax.xaxis)
    else:
        limits.not_below_zero(ax, min(float(np.min(line.get_xdata())) for line in drawn), "x")
    ax.set_axisbelow(True)
    ax.grid(True, color="#e5e5e5", linewidth=0.6)
    in_legend = legend and len(chosen) > 1
    gone = remarks.missing(ax, absent(result, [v for v in chosen if v not in every]), own_looks, in_legend)
    style.note(
        ax,
        *remarks.of_objects(names, objects, combine=None if use_stored else combine),
        *remarks.alike(result, chosen),
        "every value" if use_stored else "samples",
        runs_of((len({seed for seed, _ in of}) for of in every.values()), len(result.seeds)),
        *gone,
    )
    if in_legend:
        style.legend(ax)
    return ax


#: The cumulative distributions of each variant by seed and object: values, and fractions of
#: values not above them.
Runs: TypeAlias = dict[str, dict[tuple[int, str], tuple[Floats, Floats]]]


def _stored(table: Table, metric: str, names: Sequence[str], variants: Sequence[str], seeds: Sequence[int]) -> Runs:
    """The stored distributions, one per run and object."""
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
    for (variant, seed, name), own in rows.items():
        order = np.argsort(own["value_ms"], kind="stable")
        values, shares = (own[column][order].astype(np.float64) for column in ("value_ms", "share"))
        found.setdefault(variant, {})[int(seed), name] = values, shares
    return found


def _sampled(begin: float, combine: Literal["mean", "sum"]) -> Callable[..., Runs]:
    """The distributions of the samples after the warm-up, one per run."""

    def of(table: Table, metric: str, names: Sequence[str], variants: Sequence[str], seeds: Sequence[int]) -> Runs:
        samples = samples_of(table, (metric,), names, variants, seeds)
        found: Runs = {}
        for variant in variants:
            for seed in seeds:
                series = samples.series(metric, variant, seed, combine=combine)
                values = np.sort(series.values[series.seconds > begin])
                if len(values):
                    shares = np.arange(1, len(values) + 1) / len(values)
                    found.setdefault(variant, {})[seed, ""] = values, shares
        return found

    return of


def pooled(runs: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """The mean of several cumulative distributions, at all values of any of them.

    It starts at a fraction of 0.
    """
    values = np.unique(np.concatenate([v for v, _ in runs]))
    shares = np.zeros(len(values))
    for own, share in runs:
        at = np.searchsorted(own, values, side="right")
        shares += np.concatenate([[0.0], share])[at]
    shares /= len(runs)
    return np.concatenate([values[:1], values]), np.concatenate([[0.0], shares])
