"""What a household feels under each queue discipline, per line. No paper's figure: the book's chapter on home lines has it."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import style
from ..errors import PlotError
from ..source import Source
from .common import panel_title
from .registry import Results, figure

HOME = "home"
LINES = {"adsl": "ADSL", "cable": "cable", "fibre": "fibre", "lte": "LTE"}
#: Student's 97.5 % quantiles, by the number of seeds.
STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
#: Colours go to this many octaves better or worse than the first discipline.
OCTAVES = 3.0
COLOURS = "PuOr"


@dataclass(frozen=True)
class Felt:
    """A measure: its words, flow, values that are added up, factor, and what is bad of it."""

    words: str
    flow: str
    parts: Sequence[tuple[str, str, str]]
    scale: float
    bad: Callable[[float], float]


def _itself(value: float) -> float:
    return value


def _missing(value: float) -> float:
    # A tenth of a per cent is not felt.
    return 100.1 - value


def _share(value: float) -> float:
    return value + 0.1


def _inverse(value: float) -> float:
    return 1.0 / max(value, 1e-3)


FELT = (
    Felt("page, median (s)", "web", [("page_load_time", "", "p50")], 1e-3, _itself),
    Felt("page, p95 (s)", "web", [("page_load_time", "", "p95")], 1e-3, _itself),
    Felt("own picture in time (%)", "call-up", [("frames_in_time", "200 ms", "mean")], 1, _missing),
    Felt("own picture (Mbit/s)", "call-up", [("goodput", "", "mean")], 1, _inverse),
    Felt("friend's in time (%)", "call-down", [("frames_in_time", "200 ms", "mean")], 1, _missing),
    Felt("friend's picture (Mbit/s)", "call-down", [("goodput", "", "mean")], 1, _inverse),
    Felt("TV (Mbit/s)", "tv", [("representation_rate", "", "mean")], 1e-3, _inverse),
    Felt("TV stalled (%)", "tv", [("stall_ratio", "", "mean")], 1, _share),
    Felt("game response, p95 (ms)", "game", [("response_time", "", "p95")], 1, _itself),
    Felt("updates late or lost (%)", "game", [("deadline_miss", "50 ms", "mean"), ("loss", "", "mean")], 1, _share),
    Felt("upload (Mbit/s)", "upload", [("goodput", "", "mean")], 1, _inverse),
    Felt("download (Mbit/s)", "download", [("goodput", "", "mean")], 1, _inverse),
)


def _runs(result: Source) -> dict[tuple[str, int, str, str, str, str], float]:
    columns = ["variant", "seed", "object", "metric", "part", "mean", "p50", "p95"]
    flows = sorted({felt.flow for felt in FELT})
    table = result.runs.filter(object=flows).select(columns)
    rows = cast("list[dict[str, Any]]", table.to_pylist())
    return {
        (row["variant"], row["seed"], row["object"], row["metric"], row["part"], statistic): row[statistic]
        for row in rows
        for statistic in ("mean", "p50", "p95")
        if row[statistic] is not None
    }


def _value(runs: dict[Any, float], variant: str, seed: int, felt: Felt) -> float:
    """The measure in a run; NaN if it was not measured."""
    found = [runs.get((variant, seed, felt.flow, *part), math.nan) for part in felt.parts]
    # A loss that was not reported is none.
    return (found[0] + sum(value for value in found[1:] if not math.isnan(value))) * felt.scale


def _written(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.95 else f"{value:.2f}"


def _ink(octaves: float) -> str:
    """Black or white, whichever has more contrast with the colour (relative luminance as in WCAG 2)."""
    red, green, blue, _ = colormaps[COLOURS]((octaves + OCTAVES) / (2 * OCTAVES))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "white" if luminance < 0.179 else "black"


def _panel(ax: Axes, result: Source, runs: dict[Any, float], variants: dict[str, str]) -> Any:
    first = next(iter(variants.values()))
    colours = np.zeros((len(FELT), len(variants)))
    for row, felt in enumerate(FELT):
        base = [_value(runs, first, seed, felt) for seed in result.seeds]
        for column, variant in enumerate(variants.values()):
            own = [_value(runs, variant, seed, felt) for seed in result.seeds]
            seen = [value for value in own if not math.isnan(value)]
            mean = sum(seen) / len(seen) if seen else math.nan
            pairs = [(a, b) for a, b in zip(own, base, strict=True) if not math.isnan(a + b)]
            beyond = bool(pairs) and _is_beyond_chance([a - b for a, b in pairs])
            if beyond:
                other = sum(b for _, b in pairs) / len(pairs)
                worse = math.log2(felt.bad(mean) / felt.bad(other))
                colours[row, column] = max(-OCTAVES, min(OCTAVES, -worse))
            shade = _ink(colours[row, column]) if beyond or column == 0 else "#6a6a69"
            ax.text(column, row, _written(mean), ha="center", va="center", fontsize=6.5, color=shade)
    mesh = ax.imshow(colours, cmap=COLOURS, vmin=-OCTAVES, vmax=OCTAVES, aspect="auto")
    ax.set_xticks(range(len(variants)), list(variants), rotation=30, ha="right", fontsize=7)
    ax.set_yticks(range(len(FELT)), [felt.words for felt in FELT], fontsize=7)
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    return mesh


def _is_beyond_chance(differences: Sequence[float]) -> bool:
    """Whether Student's 95 % interval of the mean excludes 0; with one seed, whether there is a difference."""
    count = len(differences)
    mean = sum(differences) / count
    if count < 2:
        return mean != 0.0
    deviation = math.sqrt(sum((one - mean) ** 2 for one in differences) / (count - 1))
    return abs(mean) > STUDENT.get(count, 2.2) * deviation / math.sqrt(count)


@figure("aqm", "home", of="what a household feels", experiments=[HOME])
def home(results: Results) -> Figure:
    """Home lines: what a household feels beside an upload and a download, against tail drop."""
    result = results[HOME]
    runs = _runs(result)
    by_line: dict[str, dict[str, str]] = {}
    for variant in result.variants:
        labels = result.labels[variant]
        if labels.get("load") == "full" and "line" in labels:
            by_line.setdefault(labels["line"], {})[labels.get("discipline", variant)] = variant
    if not by_line:
        raise PlotError(f"result `{result.name}` has no variants with the labels `line` and `load=full`")
    made, axes = style.panels(-(-len(by_line) // 2), min(2, len(by_line)), (9.2, 7.6))
    meshes: list[Any] = []
    for ax, (line, variants) in zip(axes, by_line.items(), strict=False):
        meshes.append(_panel(ax, result, runs, variants))
        panel_title(ax, LINES.get(line, line), above=True)
        ax.label_outer()
    for ax in list(axes)[len(by_line) :]:
        ax.remove()
    bar = made.colorbar(meshes[0], ax=list(axes), shrink=0.5, pad=0.01)
    bar.set_ticks([-OCTAVES, 0, OCTAVES], labels=["8 times\nworse", "alike", "8 times\nbetter"])
    bar.ax.tick_params(labelsize=7, length=0)
    return made


__all__ = ["home"]
