"""Reasons for drops."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from .. import _jettison
from . import remarks, style, ticks
from .counts import absent
from .counts import runs as runs_of
from .errors import PlotError
from .interval import required, summary_object
from .looks import looks
from .palette import PARTS, part_colour
from .reading import pick_variants, unit_of
from .rows import columns
from .source import Summarised, Variants
from .words import axis_label, metric_name

__all__ = ["drop_reasons"]

#: Drops that are not losses: clones made by a switch do not belong to flows.
CLONES = tuple(name for kind, name, _, is_loss, _ in _jettison.reasons() if kind == "drop" and not is_loss)


@style.styled
def drop_reasons(
    result: Summarised,
    object: str | None = None,  # noqa: A002
    *,
    metric: str = "drops",
    variants: Variants = None,
    share: bool = False,
    clones: bool = False,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Draws the drops of a queue by reason, one stacked bar per variant: the mean over seeds.

    By default the queue is the bottleneck. `metric` may be `"marks"` or, for a video flow, `"message_drops"`. With
    `share`, each bar totals 100 %. Clones are excluded unless `clones` is set.
    """
    name = object or summary_object(result, metric)
    chosen = pick_variants(result, variants)
    required(result, metric, [name])
    rows = columns(result.summary, ("variant", "part", "mean", "n"), metric=metric, object=name)
    counts: dict[str, dict[str, float]] = {variant: {} for variant in chosen}
    seeds = dict.fromkeys(chosen, 0)
    for variant, part, mean, n in zip(rows["variant"], rows["part"], rows["mean"], rows["n"], strict=True):
        if variant in seeds:
            seeds[str(variant)] = max(seeds[str(variant)], int(n))
        if variant in counts and part and (clones or part not in CLONES):
            counts[str(variant)][str(part)] = float(mean)
    totals = {variant: sum(parts.values()) for variant, parts in counts.items()}
    parts = sorted({part for of in counts.values() for part, n in of.items() if n > 0}, key=lambda p: (_place(p), p))
    if not parts:
        raise PlotError(f"`{name}` of `{result.name}` has no `{metric}` in these variants")
    ax = style.new_axes(ax, (6.4, min(1.2 + 0.3 * len(chosen), 14.0)))
    own_looks = looks(chosen, result.labels)
    left = np.zeros(len(chosen))
    for part in parts:
        own = np.array([counts[v].get(part, 0.0) for v in chosen])
        if share:
            own = 100.0 * own / np.maximum([totals[v] for v in chosen], 1e-12)
        ax.barh(
            np.arange(len(chosen)),
            own,
            0.72,
            left=left,
            color=part_colour(part),
            edgecolor="white",
            linewidth=0.4,
            label=part,
        )
        left += own
    gone = absent(result, [variant for variant in chosen if not seeds[variant]])
    for place, variant in enumerate(chosen):
        if totals[variant] <= 0:
            ax.annotate(
                gone.get(variant, "none"),
                (0, place),
                (3, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
                color="#888888",
            )
    written = ticks.every_nth([own_looks[v].label for v in chosen])
    ax.set_yticks([place for place, _ in written], [words for _, words in written])
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(f"Share of the {metric_name(metric)} (%)" if share else axis_label(metric, unit_of(result, metric)))
    ax.set_xlim(0, 100 if share else None)
    over = runs_of(seeds.values(), len(result.seeds))
    style.note(ax, name, *remarks.alike(result, chosen), f"mean of {over}")
    if legend:
        style.legend(ax, where="right", title="reason")
    return ax


def _place(part: str) -> int:
    known = list(PARTS)
    return known.index(part) if part in known else len(known)
