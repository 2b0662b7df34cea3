"""What a queue's drops are worth to the viewers. No paper's figures: the book's chapter on the value of a drop has them."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import style
from ..errors import PlotError
from ..source import Source
from .common import panel_title, shared_legend
from .registry import Results, figure

STUDY = "drops"
MEASURE = "picture"
HURT, NOTHING, HELPED = "#c2571a", "#dddddd", "#2b6ca3"
REGRET, RULE = "#222222", "#8a6fb0"


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Cell:
    """What is known of a discipline under an application."""

    application: str
    queue: str
    judged: Mapping[str, Any]

    def interval(self, name: str) -> Interval | None:
        """A value with its interval, if it was measured."""
        value = self.judged.get(name)
        return None if value is None else Interval(value["mean"], value["low"], value["high"])


def _cells(result: Source) -> list[Cell]:
    """The cells of `value/value.json` beside the results, for the time of picture seen."""
    folder = cast("Path | None", getattr(result, "folder", None))
    path = None if folder is None else folder / "value" / "value.json"
    if path is None or not path.is_file():
        raise PlotError(f"result `{result.name}` has no value of drops; `jettison reproduce value/drops` measures it")
    stored = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
    found: list[Cell] = []
    for cell in cast("list[dict[str, Any]]", stored["cells"]):
        labels = cell["labels"]
        for judged in cell["judged"]:
            if judged["measure"] == MEASURE:
                found.append(Cell(labels.get("application", ""), labels.get("queue", ""), judged))
    if not found:
        raise PlotError(f"result `{result.name}` has no value of drops for `{MEASURE}`")
    return found


def _panels(cells: Sequence[Cell]) -> tuple[Figure, dict[str, Axes], list[str]]:
    """A panel per application, with a row per discipline, the first one on top."""
    applications = list(dict.fromkeys(cell.application for cell in cells))
    queues = list(dict.fromkeys(cell.queue for cell in cells))
    size = (2.9 * len(applications) + 1.0, 0.32 * len(queues) + 1.5)
    made, axes = style.panels(1, len(applications), size, sharex=False)
    axes[0].set_yticks(range(len(queues)), queues)
    axes[0].set_ylim(len(queues) - 0.5, -0.5)
    for ax, application in zip(axes, applications, strict=True):
        panel_title(ax, application, above=True)
    return made, dict(zip(applications, axes, strict=True)), queues


@figure("value", "shares", of="shares of drops that hurt and helped", experiments=[STUDY])
def shares(results: Results) -> Figure:
    """Drops that hurt the viewers and that helped them, beyond chance, with 95 % intervals."""
    cells = _cells(results[STUDY])
    made, axes, queues = _panels(cells)
    for cell in cells:
        ax, place = axes[cell.application], queues.index(cell.queue)
        for name, sign, colour in (("hurt", -1.0, HURT), ("helped", 1.0, HELPED)):
            share = cell.interval(name)
            if share is None:
                continue
            ends = [[share.mean - share.low], [share.high - share.mean]]
            ax.barh(place, sign * share.mean, color=colour, height=0.62, label=name)
            ax.errorbar(sign * share.mean, place, xerr=ends if sign > 0 else ends[::-1], color="#444444", linewidth=0.8)
    for ax in axes.values():
        ax.axvline(0.0, color="#999999", linewidth=0.8)
        ax.set_xlim(-105, 105)
        ax.set_xticks([-100, -50, 0, 50, 100], ["100", "50", "0", "50", "100"])
        ax.set_xlabel("Share of drops (%)")
    shared_legend(made, list(axes.values()))
    return made


@figure("value", "regret", of="what hindsight and a rule would gain", experiments=[STUDY])
def regret(results: Results) -> Figure:
    """What another decision in place of each drop would have gained: with hindsight, and by the best learned rule."""
    cells = _cells(results[STUDY])
    made, axes, queues = _panels(cells)
    looks = (("regret", -0.14, REGRET, "o", "hindsight"), ("learned", 0.14, RULE, "s", "learned rule"))
    for cell in cells:
        ax, place = axes[cell.application], queues.index(cell.queue)
        for name, shift, colour, marker, label in looks:
            gain = cell.interval(name)
            if gain is None:
                continue
            ends = [[gain.mean - gain.low], [gain.high - gain.mean]]
            ax.errorbar(
                gain.mean,
                place + shift,
                xerr=ends,
                color=colour,
                marker=marker,
                markersize=3.6,
                linewidth=0.9,
                linestyle="none",
                label=label,
            )
    for ax in axes.values():
        ax.axvline(0.0, color="#999999", linewidth=0.8)
        low, high = ax.get_xlim()
        ax.set_xlim(min(low, -20.0), max(high, 20.0))
        ax.set_xlabel("Gain per drop (ms of picture)")
    shared_legend(made, list(axes.values()))
    return made


__all__ = ["regret", "shares"]
