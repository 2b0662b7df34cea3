"""Representations that a player selects, and its stalls."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from . import limits, remarks, style
from .arguments import check_times
from .counts import absent
from .errors import PlotError
from .looks import looks
from .reading import pick_objects, pick_seeds, pick_variants, table_with, unit_of, with_series
from .samples import Series, samples_of
from .source import Floats, Summarised, Variants
from .words import axis_label

__all__ = ["ladder", "stalls_of"]


@style.styled
def ladder(
    result: Summarised,
    object: str | None = None,  # noqa: A002
    *,
    variants: Variants = None,
    seed: int | None = None,
    start: float | None = None,
    stop: float | None = None,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Draws the representation of each segment that a DASH player fetched, as steps, with its stalls shaded.

    A step is at the segment's completion. With several variants, each has a row of bars for its stalls below the steps;
    with one, stalls are shaded over the entire height. Stalls are derived from the frames of each second: they begin
    and end within a second with fewer frames than the one before or after.
    """
    check_times(start, stop)
    result = with_series(result)
    table = table_with(result, "representation_rate", ("flows",))
    names = pick_objects(result, table, "representation_rate", object)
    if len(names) > 1:
        raise PlotError(f"a ladder requires one player; name one of: {', '.join(names)}")
    chosen = pick_variants(result, variants)
    one = pick_seeds(result, seed)[0]
    ax = style.new_axes(ax)
    rungs: set[float] = set()
    own_looks = looks(chosen, result.labels)
    samples = samples_of(table, ("representation_rate", "frames_per_second"), names, chosen, [one])
    highest = 0.0
    any_stall = False
    empty: list[str] = []
    for row, (variant, look) in enumerate(own_looks.items()):
        steps = _between(samples.series("representation_rate", variant, one), start, stop)
        if not len(steps.values):
            empty.append(variant)
            continue
        rungs |= set(steps.values.tolist())
        highest = max(highest, float(steps.values.max()))
        frames = samples.series("frames_per_second", variant, one)
        end = frames.seconds[-1:]
        last = end if stop is None else np.minimum(end, stop)
        seconds, values = (
            np.concatenate([steps.seconds, last]),
            np.concatenate([steps.values, steps.values[-1:]]),
        )
        ax.plot(
            seconds,
            values,
            color=look.colour,
            linestyle=look.dashes,
            # Players often have equal steps: draw the first ones broader, behind the others.
            linewidth=1.3 + 0.9 * min(len(own_looks) - 1 - row, 5),
            drawstyle="steps-post",
            label=look.label,
        )
        for begin, end_of in _stalls_between(stalls_of(frames), start, stop):
            any_stall = True
            if len(own_looks) == 1:
                ax.axvspan(begin, end_of, color="#bbbbbb", alpha=0.6, linewidth=0, zorder=0)
            else:
                low = -0.035 * (row + 1.6)
                ax.axvspan(begin, end_of, low, low + 0.025, color=look.colour, linewidth=0, clip_on=False)
    if not ax.lines:
        raise PlotError(f"result `{result.name}` has no segments of `{names[0]}` for {', '.join(chosen)}")
    if len(own_looks) == 1:
        if any_stall:
            ax.axvspan(np.nan, np.nan, color="#bbbbbb", alpha=0.6, linewidth=0, label="stalled")
            ax.lines[0].set_label("representation")
    elif any_stall:
        ax.tick_params(axis="x", pad=4 + 7.5 * len(own_looks))
        ax.annotate(
            "stalled",
            (0.0, 0.0),
            (-4, -4 - 3.6 * (len(own_looks) + 1)),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=7,
            color="#666666",
        )
    if len(rungs) <= 12:
        ax.set_yticks(_readable(sorted(rungs), highest))
    for rung in rungs:
        ax.axhline(rung, color="#eeeeee", linewidth=0.6, zorder=0)
    ax.set_ylim(0, 1.08 * highest)
    ax.set_xlabel("Time (s)")
    ax.set_ylabel(axis_label("representation_rate", unit_of(result, "representation_rate")))
    ax.margins(x=0.01)
    limits.not_below_zero(ax, 0.0, "x")
    in_legend = legend and len(own_looks) > 1
    gone = remarks.missing(ax, absent(result, empty, [one]), own_looks, in_legend)
    style.note(ax, names[0], *remarks.alike(result, chosen), f"seed {one}", *gone)
    if legend and (len(own_looks) > 1 or len(ax.get_legend_handles_labels()[0]) > 1):
        style.legend(ax, where="above" if len(own_looks) == 1 else "right")
    return ax


def stalls_of(frames: Series) -> list[tuple[float, float]]:
    """Intervals of stalls in seconds, from the frames of each second.

    The initial wait for the first frame is not a stall.
    """
    played = np.flatnonzero(frames.values > 0)
    if not len(played):
        return []
    found: list[tuple[float, float]] = []
    i, n = int(played[0]) + 1, len(frames.values)
    while i < n:
        if frames.values[i] > 0:
            i += 1
            continue
        first = i
        while i < n and frames.values[i] == 0:
            i += 1
        # The second before the first one without frames and the one after the last are partly
        # played.
        begin, end = float(frames.seconds[first]) - 1.0, float(frames.seconds[i - 1])
        if first >= 2 and 0 < frames.values[first - 1] < frames.values[first - 2]:
            begin -= 1.0 - float(frames.values[first - 1] / frames.values[first - 2])
        if i + 1 < n and 0 < frames.values[i] < frames.values[i + 1]:
            end += 1.0 - float(frames.values[i] / frames.values[i + 1])
        found.append((begin, end))
    return found


def _between(series: Series, start: float | None, stop: float | None) -> Series:
    """The steps in the interval; the step in effect at its start is moved to its start."""
    low, high = start if start is not None else -np.inf, stop if stop is not None else np.inf
    keep = (series.seconds >= low) & (series.seconds <= high)
    seconds, values = series.seconds[keep], series.values[keep]
    before = np.flatnonzero(series.seconds < low)
    if start is not None and len(before):
        seconds = np.concatenate([np.array([start]), seconds])
        values = np.concatenate([series.values[before[-1:]], values])
    return Series(seconds, values)


def _stalls_between(
    stalls: Sequence[tuple[float, float]], start: float | None, stop: float | None
) -> list[tuple[float, float]]:
    low, high = start if start is not None else -np.inf, stop if stop is not None else np.inf
    return [(max(a, low), min(b, high)) for a, b in stalls if b > low and a < high]


def _readable(rungs: Sequence[float], highest: float) -> Floats:
    """The rungs that can be labelled at the axis without overlap."""
    kept: list[float] = []
    for rung in reversed(rungs):
        if not kept or kept[-1] - rung > 0.055 * highest:
            kept.append(rung)
    return np.array(sorted(kept))
