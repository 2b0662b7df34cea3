"""Ticks that remain readable."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogFormatter

from .source import Floats

__all__ = ["every_nth", "logarithmic", "of_numbers", "of_words", "thousands"]

#: Maximum number of words on an axis.
WRITTEN = 40


def every_nth(words: Sequence[str]) -> list[tuple[int, str]]:
    """Words with their places; if there are too many, every second, third and so on."""
    step = math.ceil(len(words) / WRITTEN) or 1
    return list(enumerate(words))[::step]


def of_words(ax: Axes, places: Sequence[float], words: Sequence[str]) -> None:
    """Labels the horizontal axis with words, slanted if they would touch."""
    kept = every_nth(words)
    longest = max(len(word) for _, line in kept for word in line.split("\n"))
    crowded = sum(len(word) for _, word in kept) > 60 or (len(kept) > 5 and longest > 7)
    ax.set_xticks(
        [places[at] for at, _ in kept],
        [word for _, word in kept],
        rotation=38 if crowded else 0,
        ha="right" if crowded else "center",
        rotation_mode="anchor" if crowded else None,
    )


def of_numbers(ax: Axes, values: Floats, log: bool) -> None:
    """Places ticks at the values, labelled if there is room; many or irregular values are left to matplotlib."""
    values = np.unique(values)
    if len(values) > WRITTEN or any(len(f"{value:g}") > 6 for value in values):
        return
    at = np.log(values) if log else values
    room = 0.035 * float(np.ptp(at)) if len(at) > 1 else 0.0
    written: list[str] = []
    last = -math.inf
    for place, value in zip(at.tolist(), values.tolist(), strict=True):
        word = f"{value:,g}"
        fits = place - last >= room * (1 + len(word) / 3) or not written
        written.append(word if fits else "")
        last = place if fits else last
    ax.set_xticks(values, written)
    ax.minorticks_off()


class _Plain(LogFormatter):
    """Formats powers of ten and intermediate ticks as plain numbers: 20, 500, 1,000."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return f"{x:,g}" if super().__call__(x, pos) else ""


def logarithmic(axis: Axis) -> None:
    """Formats ticks of a logarithmic axis as plain numbers, unless they need an exponent."""
    low, high = sorted(axis.get_view_interval())
    if low >= 1e-4 and high < 1e6:
        axis.set_major_formatter(_Plain(labelOnlyBase=False))
        axis.set_minor_formatter(_Plain(labelOnlyBase=False, minor_thresholds=(1.2, 0.5)))


def _kilobytes(value: float, _: int | None = None) -> str:
    return f"{value / 1000:,g}"


def thousands(ax: Axes, unit: str, *, axis: str = "y") -> None:
    """Formats ticks of bytes in kB to match the axis' label; the data stays in bytes."""
    if unit == "bytes":
        written = FuncFormatter(_kilobytes)
        (ax.yaxis if axis == "y" else ax.xaxis).set_major_formatter(written)
