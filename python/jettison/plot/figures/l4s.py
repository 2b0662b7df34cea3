"""Who gets how much more of a link, and at what delay, where L4S and Classic flows meet.

No paper's figure: the book's chapter on L4S has it.
"""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter

from .. import style
from ..errors import PlotError
from ..source import Source
from .common import panel_title
from .registry import Results, figure

STUDY = "l4s"
PAIR = "prague/cubic"
#: Widths of a discipline's place that a set of RTTs takes, and where the sets begin.
SPREAD = 0.3
FIRST, SECOND = "#2b6ca3", "#c2571a"
ONE, MANY = "#222222", "#8a6fb0"


@dataclass(frozen=True)
class Point:
    """A variant's place: rate of the link, flows, discipline and base RTT in ms."""

    rate: str
    flows: str
    queue: str
    rtt: float


Values = dict[tuple[Point, str, str], float]


def _values(result: Source) -> Values:
    """Means over seeds of `rate_ratio` (geometric) and `group_rtt`, by place, metric and part."""
    table = result.runs.filter(metric=["rate_ratio", "group_rtt"]).select(["variant", "metric", "part", "mean"])
    found: dict[tuple[Point, str, str], list[float]] = {}
    for row in cast("list[dict[str, Any]]", table.to_pylist()):
        labels = result.labels[row["variant"]]
        if labels.get("pair") != PAIR:
            continue
        point = Point(labels["rate"], labels["flows"], labels["queue"], float(labels["rtt"].split()[0]))
        found.setdefault((point, row["metric"], row["part"]), []).append(row["mean"])

    def mean(metric: str, values: Sequence[float]) -> float:
        if metric == "rate_ratio":
            return math.exp(sum(math.log(max(value, 1e-6)) for value in values) / len(values))
        return sum(values) / len(values)

    return {key: mean(key[1], values) for key, values in found.items()}


def _decimal(value: float, _: object = None) -> str:
    return f"{value:g}"


def _strand(
    ax: Axes, xs: Sequence[float], ys: Sequence[float], colour: str, marker: str, *, filled: bool = True
) -> None:
    inside = colour if filled else "white"
    ax.plot(
        xs, ys, color=colour, marker=marker, markersize=3.8, linewidth=0.9, markerfacecolor=inside, markeredgewidth=0.9
    )


def _columns(point: Point, queues: Sequence[str], rtts: Sequence[float], shift: float) -> Any:
    """For each discipline its points' places and keys, by RTT."""
    for place, queue in enumerate(queues):
        at = [place + shift + SPREAD * (i / max(len(rtts) - 1, 1) - 0.5) for i in range(len(rtts))]
        keys = [Point(point.rate, point.flows, queue, rtt) for rtt in rtts]
        yield at, keys


def _ratios(
    ax: Axes, values: Values, rate: str, flows: Sequence[str], queues: Sequence[str], rtts: Sequence[float]
) -> None:
    ax.axhline(1.0, color="#999999", linewidth=0.8, zorder=0)
    looks = [(ONE, "o"), (MANY, "s")]
    for group, (colour, marker) in zip(flows, looks, strict=False):
        shift = 0.0 if len(flows) == 1 else (-0.22 if group == flows[0] else 0.22)
        for at, keys in _columns(Point(rate, group, "", 0.0), queues, rtts, shift):
            seen = [(x, values[key, "rate_ratio", "first/second"]) for x, key in zip(at, keys, strict=True)
                    if (key, "rate_ratio", "first/second") in values]  # fmt: skip
            _strand(ax, [x for x, _ in seen], [y for _, y in seen], colour, marker)


def _delays(ax: Axes, values: Values, rate: str, group: str, queues: Sequence[str], rtts: Sequence[float]) -> None:
    for part, colour, shift in (("first", FIRST, -0.22), ("second", SECOND, 0.22)):
        for at, keys in _columns(Point(rate, group, "", 0.0), queues, rtts, shift):
            seen = [(x, max(values[key, "group_rtt", part] - key.rtt, 0.05)) for x, key in zip(at, keys, strict=True)
                    if (key, "group_rtt", part) in values]  # fmt: skip
            _strand(ax, [x for x, _ in seen], [y for _, y in seen], colour, "o", filled=part == "first")


@figure("aqm", "l4s", of="who gets how much more", experiments=[STUDY])
def l4s(results: Results) -> Figure:
    """Prague beside CUBIC: rates and delays by queue discipline, each over RTTs of 10, 30 and 100 ms from left to right."""
    result = results[STUDY]
    values = _values(result)
    points = [point for point, metric, _ in values if metric == "rate_ratio"]
    if not points:
        raise PlotError(f"result `{result.name}` has no variants with the label `pair={PAIR}` and `rate_ratio`")
    used = {point.queue for point in points}
    queues = [queue for queue in dict.fromkeys(of.get("queue", "") for of in result.labels.values()) if queue in used]
    rates = sorted({point.rate for point in points}, key=lambda rate: float(rate.split()[0]))
    flows = sorted({point.flows for point in points}, key=len)
    rtts = sorted({point.rtt for point in points})
    made, axes = style.panels(2, len(rates), (4.8 * len(rates), 5.6), sharey=False)
    for ax in axes:
        first = axes[axes.index(ax) // len(rates) * len(rates)]
        if ax is not first:
            ax.sharey(first)
    for column, rate in enumerate(rates):
        above, below = axes[column], axes[len(rates) + column]
        _ratios(above, values, rate, flows, queues, rtts)
        _delays(below, values, rate, flows[0], queues, rtts)
        panel_title(above, rate, above=True)
        panel_title(below, f"{rate}, {flows[0]} flows", above=True)
        for ax in (above, below):
            ax.set_yscale("log")
            ax.yaxis.set_major_formatter(FuncFormatter(_decimal))
            ax.yaxis.set_minor_formatter(NullFormatter())
            ax.grid(axis="y", color="#e5e5e5", linewidth=0.6)
            for place in range(len(queues) - 1):
                ax.axvline(place + 0.5, color="#eeeeee", linewidth=0.8, zorder=0)
        below.set_xticks(range(len(queues)), queues, rotation=35, ha="right")
        below.set_xlim(-0.5, len(queues) - 0.5)
    axes[0].set_ylabel("Rate per flow (Prague/CUBIC)")
    axes[len(rates)].set_ylabel("RTT less base RTT (ms)")
    looks = [(ONE, "o", True), (MANY, "s", True)]
    handles = [_handle(*look, f"{group} flows") for look, group in zip(looks, flows, strict=False)]
    handles += [_handle(FIRST, "o", True, "Prague's delay"), _handle(SECOND, "o", False, "CUBIC's delay")]
    made.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return made


def _handle(colour: str, marker: str, filled: bool, label: str) -> Line2D:
    inside = colour if filled else "white"
    return Line2D([], [], color=colour, marker=marker, markersize=4, linewidth=0.9, markerfacecolor=inside, label=label)


__all__ = ["l4s"]
