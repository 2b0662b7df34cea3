"""Colours of values that are quantities: one graded hue, darkest for the lowest.

They say the order of the values, which a name's own colour cannot.
"""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib import colormaps
from matplotlib.colors import to_hex

from .quantities import ordered

__all__ = ["graded"]

#: The part of the scale that is dark enough for a line on white.
DARK, LIGHT = 0.05, 0.85


def graded(values: Iterable[str]) -> dict[str, str]:
    """A colour for each of these values, in their order; none if they are not quantities of one kind."""
    found = ordered(list(dict.fromkeys(values)))
    if found is None:
        return {}
    scale, last = colormaps["viridis"], max(len(found) - 1, 1)
    return {value: to_hex(scale(DARK + (LIGHT - DARK) * place / last)) for place, value in enumerate(found)}
