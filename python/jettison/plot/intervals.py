"""Bars with 95 % intervals, and boxes."""

# pyright: reportUnknownMemberType=false
# The types of matplotlib leave its keyword arguments open.
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from matplotlib.axes import Axes

from . import style
from .errors import PlotError, unknown
from .interval import interval, only_object, required, runs_of
from .reading import (
    Floats,
    Summarised,
    Table,
    Variants,
    narrowed,
    pick_objects,
    pick_variants,
    series_of,
    table_with,
    unit_of,
    warm_up,
    with_series,
)

__all__ = ["bars", "boxes"]


@dataclass(frozen=True)
class _Slot:
    """One bar: which value it is, where it stands and how it looks."""

    variant: str
    name: str
    place: float
    look: style.Look


@dataclass(frozen=True)
class _Layout:
    """All bars, their width, the ticks below, and whether a legend is needed to tell them apart."""

    slots: list[_Slot]
    width: float
    ticks: list[tuple[float, str]]
    legend: bool


@style.styled
def bars(
    result: Summarised,
    metric: str,
    objects: str | Sequence[str] | None = None,
    *,
    variants: Variants = None,
    statistic: str = "mean",
    part: str = "",
    group: str | None = None,
    kind: Literal["bar", "point"] = "bar",
    log: bool = False,
    reference: Mapping[tuple[str, str], float] | None = None,
    reference_label: str = "the paper",
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """A summary value for each variant, with its 95 % interval over seeds (Student's t).

    Several `objects` stand in groups, with a bar a variant in each; `group` names a label to group variants
    by instead. `statistic` is `mean`, `p50`, `p95` or `p99`: of a percentile, the mean of the runs'
    percentiles. `reference` gives values to compare with, by variant and object: they are drawn as
    diamonds. A logarithmic axis has no zero for bars to stand on, so that `log` draws points.
    """
    names = [objects] if isinstance(objects, str) else list(objects or [only_object(result, metric)])
    required(result, metric, names)
    chosen = pick_variants(result, variants)
    layout = _layout(result, chosen, names, group)
    ax = style.new_axes(ax, _size(layout))
    labelled: set[str] = set()
    unit, seeds, least = unit_of(result, metric), 0, 0.0
    for slot in layout.slots:
        value = interval(result, metric, slot.name, slot.variant, statistic, part)
        if value is None or math.isnan(value.mean):
            ax.annotate(
                "no value",
                (slot.place, 0.0),
                (0, 3),
                xycoords=("data", "axes fraction"),
                textcoords="offset points",
                rotation=90,
                ha="center",
                va="bottom",
                fontsize=6.5,
                color="#888888",
            )
            continue
        unit, seeds, least = value.unit, max(seeds, value.n), min(least, value.mean)
        label = slot.look.label if slot.look.label not in labelled else "_nolegend_"
        labelled.add(slot.look.label)
        if kind == "bar" and not log:
            ax.bar(
                slot.place,
                value.mean,
                layout.width,
                color=slot.look.colour,
                hatch=slot.look.hatch,
                edgecolor="white",
                linewidth=0.4,
                label=label,
            )
        else:
            ax.plot(
                slot.place,
                value.mean,
                color=slot.look.colour,
                marker=slot.look.marker,
                markerfacecolor="white" if slot.look.hollow else slot.look.colour,
                linestyle="none",
                markersize=5,
                label=label,
            )
        if not math.isnan(value.low):
            ax.errorbar(
                slot.place,
                value.mean,
                [[value.mean - value.low], [value.high - value.mean]],
                color="#222222",
                capsize=2.2,
                linewidth=0.9,
                capthick=0.9,
            )
    if not labelled:
        raise PlotError(f"result `{result.name}` has no `{metric}` of {', '.join(names)} for {', '.join(chosen)}")
    for slot in layout.slots:
        if reference and (slot.variant, slot.name) in reference:
            label = reference_label if reference_label not in labelled else "_nolegend_"
            labelled.add(reference_label)
            ax.plot(
                slot.place,
                reference[slot.variant, slot.name],
                marker="D",
                markersize=5,
                markerfacecolor="white",
                markeredgecolor="black",
                markeredgewidth=1.1,
                linestyle="none",
                label=label,
                zorder=5,
                clip_on=False,
            )
    if log:
        ax.set_yscale("log")
    elif kind == "bar":
        style.from_zero(ax, least)
    _ticks(ax, layout)
    ax.set_ylabel(style.axis_label(metric, unit, before="" if statistic == "mean" else statistic))
    style.thousands(ax, unit)
    ax.set_axisbelow(True)
    ax.grid(True, axis="y", color="#e5e5e5", linewidth=0.6)
    style.note(ax, f"95 % intervals, {seeds} runs" if seeds > 1 else "1 run, no interval")
    if legend and layout.legend:
        style.legend(ax, where="right")
    elif legend and reference_label in labelled:
        # The ticks say which bar is which.
        handles = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
        ax.legend([handles[reference_label]], [reference_label], loc="best", frameon=True)
    return ax


@style.styled
def boxes(
    result: Summarised,
    metric: str,
    objects: str | Sequence[str] | None = None,
    *,
    variants: Variants = None,
    over: Literal["seeds", "samples"] = "seeds",
    statistic: str = "mean",
    group: str | None = None,
    log: bool = False,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """A box a variant: median and quartiles of the runs' values, or of samples.

    Of runs the whiskers reach the lowest and the highest, and each run is a dot. Of all samples of the series
    after the warm-up they are the 5th and the 95th percentile.
    """
    if over == "seeds":
        names = [objects] if isinstance(objects, str) else list(objects or [only_object(result, metric)])
        required(result, metric, names)
        table = result.runs
    else:
        source = with_series(result)
        table = table_with(source, metric)
        names = pick_objects(source, table, metric, objects)
        table = narrowed(table, metric, names)
    layout = _layout(result, pick_variants(result, variants), names, group)
    ax = style.new_axes(ax, _size(layout))
    labelled: set[str] = set()
    least = 0.0
    for slot in layout.slots:
        values = _values(result, table, slot, metric, over, statistic)
        if not len(values):
            continue
        least = min(least, float(values.min()))
        box = ax.boxplot(
            [values],
            positions=[slot.place],
            widths=0.8 * layout.width,
            whis=(0, 100) if over == "seeds" else (5, 95),
            showfliers=False,
            patch_artist=True,
            manage_ticks=False,
            medianprops={"color": "black"},
            whiskerprops={"color": slot.look.colour},
            capprops={"color": slot.look.colour},
        )
        box["boxes"][0].set(facecolor=slot.look.colour, edgecolor=slot.look.colour, alpha=0.55, hatch=slot.look.hatch)
        if slot.look.label not in labelled:
            box["boxes"][0].set_label(slot.look.label)
            labelled.add(slot.look.label)
        if over == "seeds":
            ax.plot(np.full(len(values), slot.place), values, ".", color=slot.look.colour, markersize=4)
    if not labelled:
        raise PlotError(f"result `{result.name}` has no `{metric}` of {', '.join(names)} for these variants")
    if log:
        ax.set_yscale("log")
    else:
        style.from_zero(ax, least)
    unit = unit_of(result, metric)
    _ticks(ax, layout)
    ax.set_ylabel(style.axis_label(metric, unit, before="" if statistic == "mean" or over == "samples" else statistic))
    style.thousands(ax, unit)
    ax.set_axisbelow(True)
    ax.grid(True, axis="y", color="#e5e5e5", linewidth=0.6)
    n = len(result.seeds)
    style.note(
        ax,
        f"{n} runs" if over == "seeds" else f"samples of {n} {'run' if n == 1 else 'runs'}, whiskers 5 to 95 %",
    )
    if legend and layout.legend:
        style.legend(ax, where="right")
    return ax


def _values(
    result: Summarised, table: Table, slot: _Slot, metric: str, over: Literal["seeds", "samples"], statistic: str
) -> Floats:
    if over == "seeds":
        return np.array(list(runs_of(result, metric, slot.name, slot.variant, statistic).values()), dtype=np.float64)
    series = [series_of(table, slot.variant, seed, [slot.name], metric) for seed in result.seeds]
    begin = warm_up(with_series(result))
    return np.concatenate([s.values[s.seconds > begin] for s in series])


def _layout(result: Summarised, chosen: Sequence[str], names: Sequence[str], group: str | None) -> _Layout:
    labels = {variant: dict(result.labels.get(variant) or {"variant": variant}) for variant in chosen}
    if group is None and len(names) == 1:
        looks = style.looks(chosen, labels)
        slots = [_Slot(v, names[0], float(i), looks[v]) for i, v in enumerate(chosen)]
        return _Layout(slots, 0.7, [(s.place, s.look.label) for s in slots], False)
    if group is None:
        looks = style.looks(chosen, labels)
        groups = [(style.pretty(name), [(v, name, looks[v]) for v in chosen]) for name in names]
    else:
        if len(names) > 1:
            raise PlotError("bars are grouped by objects or by a label, not by both: name one object")
        axes = {axis for of in labels.values() for axis in of}
        if group not in axes:
            raise unknown("label", group, axes, f"result `{result.name}`")
        values = list(dict.fromkeys(of[group] for of in labels.values()))
        rest = {v: {axis: x for axis, x in of.items() if axis != group} for v, of in labels.items()}
        keys = {v: ",".join(f"{a}={x}" for a, x in of.items()) for v, of in rest.items()}
        looks = style.looks(list(dict.fromkeys(keys.values())), {keys[v]: rest[v] for v in chosen})
        groups = [
            (
                style.pretty(value),
                [(v, names[0], looks[keys[v]]) for v in chosen if labels[v][group] == value],
            )
            for value in values
        ]
    widest = max(len(of) for _, of in groups)
    width = 0.8 / widest
    slots: list[_Slot] = []
    for i, (_, of) in enumerate(groups):
        for j, (variant, name, look) in enumerate(of):
            slots.append(_Slot(variant, name, i + (j - (len(of) - 1) / 2) * width, look))
    return _Layout(slots, width, [(float(i), label) for i, (label, _) in enumerate(groups)], True)


def _size(layout: _Layout) -> tuple[float, float]:
    return min(max(4.8, 1.6 + 0.34 * len(layout.slots)), 9.0), 3.4


def _ticks(ax: Axes, layout: _Layout) -> None:
    places, words = [place for place, _ in layout.ticks], [label for _, label in layout.ticks]
    crowded = sum(map(len, words)) > 60 or (len(words) > 5 and max(map(len, words)) > 7)
    ax.set_xticks(
        places,
        words,
        rotation=38 if crowded else 0,
        ha="right" if crowded else "center",
        rotation_mode="anchor" if crowded else None,
    )
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(
        min(s.place for s in layout.slots) - 0.8 * layout.width - 0.1,
        max(s.place for s in layout.slots) + 0.8 * layout.width + 0.1,
    )
