"""Bars with 95 % confidence intervals, and box plots."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from matplotlib.axes import Axes

from . import limits, remarks, style, ticks
from .arguments import check_choice
from .counts import absent
from .counts import runs as runs_of
from .errors import PlotError, unknown
from .interval import Interval, means, required, summary_object, values_of_runs
from .looks import Look, looks
from .reading import pick_objects, pick_variants, table_with, unit_of, warm_up, with_series
from .samples import samples_of
from .source import Floats, Source, Summarised, Variants
from .words import axis_label, pretty

__all__ = ["bars", "boxes"]


@dataclass(frozen=True)
class _Slot:
    """A bar: its value, place and style."""

    variant: str
    name: str
    place: float
    look: Look


@dataclass(frozen=True)
class _Layout:
    """All bars, their width, the ticks, and whether a legend is needed."""

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
    """Draws a summary value of each variant with its 95 % confidence interval over seeds.

    Several `objects` form groups with one bar per variant; `group` names a label to group variants by instead.
    `statistic` is `mean`, `p50`, `p95` or `p99`; for a percentile, the mean of the runs' percentiles. `reference` gives
    values for comparison by variant and object, drawn as diamonds. `log` draws points instead of bars, because a
    logarithmic axis has no zero.
    """
    check_choice("kind", kind, ("bar", "point"))
    names = [objects] if isinstance(objects, str) else list(objects or [summary_object(result, metric)])
    required(result, metric, names)
    chosen = pick_variants(result, variants)
    layout = _layout(result, chosen, names, group)
    found = means(result, metric, names, statistic, part)
    drawn = [(s, v) for s in layout.slots if (v := found.get((s.name, s.variant))) and not math.isnan(v.mean)]
    if not drawn:
        raise PlotError(f"result `{result.name}` has no `{metric}` of {', '.join(names)} for these variants")
    ax = style.new_axes(ax, _size(layout))
    _say_missing(ax, result, layout, {(slot.name, slot.variant) for slot, _ in drawn})
    labelled: set[str] = set()
    labels = [_once(slot.look.label, labelled) for slot, _ in drawn]
    if kind == "bar" and not log:
        _bars(ax, drawn, labels, layout.width)
    else:
        _points(ax, drawn, labels)
    known = [(slot.place, value) for slot, value in drawn if not math.isnan(value.low)]
    if known:
        ax.errorbar(
            [place for place, _ in known],
            [value.mean for _, value in known],
            [[value.mean - value.low for _, value in known], [value.high - value.mean for _, value in known]],
            fmt="none",
            ecolor="#222222",
            capsize=2.2,
            elinewidth=0.9,
            capthick=0.9,
        )
    unit = drawn[0][1].unit
    least = min(0.0, *(value.mean for _, value in drawn))
    for slot in layout.slots:
        if reference and (slot.variant, slot.name) in reference:
            label = _once(reference_label, labelled)
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
    cut = False
    if log:
        ax.set_yscale("log")
        # An interval may reach zero: cut it, so that the values remain visible.
        lowest = min((value.mean for _, value in drawn if value.mean > 0), default=0.0)
        cut = any(value.low < 0.5 * lowest for _, value in drawn)
        if cut:
            ax.set_ylim(bottom=0.5 * lowest, auto=None)
    elif kind == "bar":
        limits.from_zero(ax, least)
    else:
        limits.not_below_zero(ax, least)
    if len(drawn) <= 4 * ticks.WRITTEN:
        for slot, value in drawn:
            if value.mean == 0:
                _no_value(ax, slot.place, "0")
    _ticks(ax, layout)
    ax.set_ylabel(axis_label(metric, unit, before="" if statistic == "mean" else statistic))
    ticks.thousands(ax, unit)
    if log and unit != "bytes":
        ticks.logarithmic(ax.yaxis)
    ax.set_axisbelow(True)
    ax.grid(True, axis="y", color="#e5e5e5", linewidth=0.6)
    counts = [value.n for _, value in drawn]
    several = max(counts) > 1
    style.note(
        ax,
        *(remarks.of_objects(names) if len(names) == 1 else []),
        *remarks.of_part(part),
        *remarks.alike(result, chosen),
        *([f"95 % intervals{', cut below' if cut else ''}"] if several else []),
        runs_of(counts, len(result.seeds)) + ("" if several else ", no interval"),
    )
    if legend and layout.legend:
        style.legend(ax, where="right")
    elif legend and reference_label in labelled:
        # The ticks identify the bars.
        handles = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
        style.legend_of(ax, [handles[reference_label]], [reference_label])
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
    """Draws one box per variant: median and quartiles of the runs' values, or of samples.

    For runs, whiskers extend from the minimum to the maximum, and each run is a dot. For all samples of the series
    after the warm-up, they extend from the 5th to the 95th percentile.
    """
    check_choice("over", over, ("seeds", "samples"))
    if over == "seeds":
        names = [objects] if isinstance(objects, str) else list(objects or [summary_object(result, metric)])
        required(result, metric, names)
        runs = values_of_runs(result, metric, names, statistic)
        values = {key: np.array(list(of.values()), dtype=np.float64) for key, of in runs.items()}
        counts = {key: len(of) for key, of in runs.items()}
    else:
        names, values, counts = _sampled(with_series(result), metric, objects, variants)
    chosen = pick_variants(result, variants)
    layout = _layout(result, chosen, names, group)
    drawn = [(slot, own) for slot in layout.slots if len(own := values.get((slot.name, slot.variant), np.empty(0)))]
    if not drawn:
        raise PlotError(f"result `{result.name}` has no `{metric}` of {', '.join(names)} for these variants")
    ax = style.new_axes(ax, _size(layout))
    _say_missing(ax, result, layout, {(slot.name, slot.variant) for slot, _ in drawn})
    made = ax.boxplot(
        [own for _, own in drawn],
        positions=[slot.place for slot, _ in drawn],
        widths=0.8 * layout.width,
        whis=(0, 100) if over == "seeds" else (5, 95),
        showfliers=False,
        patch_artist=True,
        manage_ticks=False,
        medianprops={"color": "black"},
    )
    labelled: set[str] = set()
    for at, (slot, own) in enumerate(drawn):
        look = slot.look
        made["boxes"][at].set(facecolor=look.colour, edgecolor=look.colour, alpha=0.55, hatch=look.hatch)
        made["boxes"][at].set_label(_once(look.label, labelled))
        for each in (*made["whiskers"][2 * at : 2 * at + 2], *made["caps"][2 * at : 2 * at + 2]):
            each.set_color(look.colour)
        if over == "seeds":
            ax.plot(np.full(len(own), slot.place), own, ".", color=look.colour, markersize=4)
    least = min(0.0, *(float(own.min()) for _, own in drawn))
    if log:
        ax.set_yscale("log")
    else:
        limits.from_zero(ax, least)
    unit = unit_of(result, metric)
    _ticks(ax, layout)
    ax.set_ylabel(axis_label(metric, unit, before="" if statistic == "mean" or over == "samples" else statistic))
    ticks.thousands(ax, unit)
    if log and unit != "bytes":
        ticks.logarithmic(ax.yaxis)
    ax.set_axisbelow(True)
    ax.grid(True, axis="y", color="#e5e5e5", linewidth=0.6)
    n = runs_of((counts[slot.name, slot.variant] for slot, _ in drawn), len(result.seeds))
    style.note(
        ax,
        *(remarks.of_objects(names) if len(names) == 1 else []),
        *remarks.alike(result, chosen),
        n if over == "seeds" else f"samples of {n}, whiskers 5 to 95 %",
    )
    if legend and layout.legend:
        style.legend(ax, where="right")
    return ax


def _sampled(
    result: Source, metric: str, objects: str | Sequence[str] | None, variants: Variants
) -> tuple[list[str], dict[tuple[str, str], Floats], dict[tuple[str, str], int]]:
    """The objects, the samples of each object and variant after the warm-up, and their number of seeds."""
    table = table_with(result, metric)
    names, chosen = pick_objects(result, table, metric, objects), pick_variants(result, variants)
    samples = samples_of(table, (metric,), names, chosen, result.seeds)
    begin = warm_up(result)
    found: dict[tuple[str, str], Floats] = {}
    counts: dict[tuple[str, str], int] = {}
    for name in names:
        for variant in chosen:
            series = [samples.series(metric, variant, seed, names=[name]) for seed in result.seeds]
            counted = [of for s in series if len(of := s.values[s.seconds > begin])]
            found[name, variant] = np.concatenate(counted) if counted else np.empty(0)
            counts[name, variant] = len(counted)
    return names, found, counts


def _once(label: str, labelled: set[str]) -> str:
    """The label on its first use, for a legend without duplicates."""
    if label in labelled:
        return "_nolegend_"
    labelled.add(label)
    return label


def _say_missing(ax: Axes, result: Summarised, layout: _Layout, there: set[tuple[str, str]]) -> None:
    """Writes the reason at the place of each missing bar."""
    gone = [slot for slot in layout.slots if (slot.name, slot.variant) not in there]
    why = absent(result, list(dict.fromkeys(slot.variant for slot in gone)))
    for slot in gone:
        _no_value(ax, slot.place, "no runs" if why[slot.variant] == "no runs" else "no value")


def _no_value(ax: Axes, place: float, words: str) -> None:
    ax.annotate(
        words,
        (place, 0.0),
        (0, 3),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        rotation=90 if len(words) > 1 else 0,
        ha="center",
        va="bottom",
        fontsize=6.5,
        color="#888888",
    )


def _bars(ax: Axes, drawn: Sequence[tuple[_Slot, Interval]], labels: Sequence[str], width: float) -> None:
    ax.bar(
        [slot.place for slot, _ in drawn],
        [value.mean for _, value in drawn],
        width,
        color=[slot.look.colour for slot, _ in drawn],
        hatch=[slot.look.hatch for slot, _ in drawn],
        edgecolor="white",
        linewidth=0.4 if len(drawn) <= 4 * ticks.WRITTEN else 0.0,
        label=labels,
    )


def _points(ax: Axes, drawn: Sequence[tuple[_Slot, Interval]], labels: Sequence[str]) -> None:
    for (slot, value), label in zip(drawn, labels, strict=True):
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


def _layout(result: Summarised, chosen: Sequence[str], names: Sequence[str], group: str | None) -> _Layout:
    every = result.labels
    labels = {variant: dict(every.get(variant) or {"variant": variant}) for variant in chosen}
    if group is None and len(names) == 1:
        own = looks(chosen, every)
        slots = [_Slot(v, names[0], float(i), own[v]) for i, v in enumerate(chosen)]
        return _Layout(slots, 0.7, [(s.place, s.look.label) for s in slots], False)
    if group is None:
        own = looks(chosen, every)
        groups = [(pretty(name), [(v, name, own[v]) for v in chosen]) for name in names]
    else:
        if len(names) > 1:
            raise PlotError("`group` requires a single object")
        axes = {axis for of in labels.values() for axis in of}
        if group not in axes:
            raise unknown("label", group, axes, f"result `{result.name}`")
        values = list(dict.fromkeys(of[group] for of in labels.values()))
        rest = {v: {axis: x for axis, x in of.items() if axis != group} for v, of in labels.items()}
        keys = {v: ",".join(f"{a}={x}" for a, x in of.items()) for v, of in rest.items()}
        own = looks(list(dict.fromkeys(keys.values())), {keys[v]: rest[v] for v in chosen})
        by_value: dict[str, list[tuple[str, str, Look]]] = {value: [] for value in values}
        for v, of in labels.items():
            by_value[of[group]].append((v, names[0], own[keys[v]]))
        if len(set(keys.values())) == 1:  # one bar of each value: nothing but the ticks to tell apart
            own = looks(chosen, every)
            slots = [_Slot(of[0][0], names[0], float(i), own[of[0][0]]) for i, of in enumerate(by_value.values())]
            return _Layout(slots, 0.7, [(float(i), pretty(value)) for i, value in enumerate(by_value)], False)
        groups = [(pretty(value), slots) for value, slots in by_value.items()]
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
    ticks.of_words(ax, [place for place, _ in layout.ticks], [label for _, label in layout.ticks])
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(
        min(s.place for s in layout.slots) - 0.8 * layout.width - 0.1,
        max(s.place for s in layout.slots) + 0.8 * layout.width + 0.1,
    )
