"""What the small remark above a plot says: of what it is. What the legend, the ticks and the axes say is not repeated."""

# pyright: reportUnknownMemberType=false
# The types of matplotlib leave its keyword arguments open.
from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from .looks import Look
from .palette import appearance
from .source import Summarised
from .words import PRETTY, pretty

__all__ = ["alike", "missing", "of_objects", "of_part", "of_samples"]

#: No more names than these stand in a remark.
NAMED = 3


def alike(result: Summarised, variants: Sequence[str], *, but: Sequence[str] = ()) -> list[str]:
    """The labels that all of these variants have alike: `CUBIC`, `rate 10 Mbit/s`. Those `but` are said elsewhere."""
    labels = result.labels
    own = [labels.get(variant, {}) for variant in variants]
    first = own[0] if own else {}
    return [
        _setting(axis, value)
        for axis, value in first.items()
        if axis not in but and all(of.get(axis) == value for of in own)
    ]


def _setting(axis: str, value: str) -> str:
    """A scheme is known by its name; any other value needs to be said what of."""
    known = value in PRETTY or appearance(value) is not None
    return pretty(value) if known else f"{axis} {value}"


def of_objects(
    names: Sequence[str], asked: str | Sequence[str] | None = None, *, combine: str | None = None
) -> list[str]:
    """Of which objects it is, as they were asked for; of several, how they are `combine`d."""
    if not names:
        return []
    listed = ", ".join(names) if len(names) <= NAMED else f"{len(names)} objects"
    words = asked if isinstance(asked, str) else listed
    return [f"{combine} of {words}" if combine is not None and len(names) > 1 else words]


def of_part(part: str) -> list[str]:
    """Of which part of the metric it is, such as one reason of drops."""
    return [f"part {part}"] if part else []


def of_samples(samples: int) -> list[str]:
    """Of how many successive samples each point is."""
    return [f"means of {samples} samples"] if samples > 1 else []


def missing(ax: Axes, gone: Mapping[str, str], looks: Mapping[str, Look], legend: bool) -> list[str]:
    """Names what has nothing to be drawn: in the `legend` if there will be one, else in words for the remark."""
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
