"""Remarks above plots, which describe the data. They do not repeat the legend, the ticks and the axes."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from .looks import Look
from .palette import appearance
from .source import Summarised
from .words import PRETTY, pretty

__all__ = ["alike", "missing", "of_objects", "of_part", "of_samples"]

#: Maximum number of names in a remark.
NAMED = 3


def alike(result: Summarised, variants: Sequence[str], *, but: Sequence[str] = ()) -> list[str]:
    """The labels common to all of these variants: `CUBIC`, `rate 10 Mbit/s`. Labels in `but` are shown elsewhere."""
    labels = result.labels
    own = [labels.get(variant, {}) for variant in variants]
    first = own[0] if own else {}
    return [
        _setting(axis, value)
        for axis, value in first.items()
        if axis not in but and all(of.get(axis) == value for of in own)
    ]


def _setting(axis: str, value: str) -> str:
    """A scheme is written by its name, any other value with its axis."""
    known = value in PRETTY or appearance(value) is not None
    return pretty(value) if known else f"{axis} {value}"


def of_objects(
    names: Sequence[str], asked: str | Sequence[str] | None = None, *, combine: str | None = None
) -> list[str]:
    """The objects as requested; for several, with their combination."""
    if not names:
        return []
    listed = ", ".join(names) if len(names) <= NAMED else f"{len(names)} objects"
    words = asked if isinstance(asked, str) else listed
    return [f"{combine} of {words}" if combine is not None and len(names) > 1 else words]


def of_part(part: str) -> list[str]:
    """The part of the metric, such as one reason for drops."""
    return [f"part {part}"] if part else []


def of_samples(samples: int) -> list[str]:
    """The number of successive samples per point."""
    return [f"means of {samples} samples"] if samples > 1 else []


def missing(ax: Axes, gone: Mapping[str, str], looks: Mapping[str, Look], legend: bool) -> list[str]:
    """Names variants without data: in the `legend` if there is one, else as words for the remark."""
    if legend:
        for variant, why in gone.items():
            look = looks[variant]
            ax.plot([], [], color=look.colour, linestyle=look.dashes, alpha=0.4, label=f"{look.label} ({why})")
        return []
    words: list[str] = []
    for why in dict.fromkeys(gone.values()):
        own = [looks[variant].label for variant, reason in gone.items() if reason == why]
        words.append(f"{why} of {', '.join(own) if len(own) <= NAMED else f'{len(own)} variants'}")
    return words
