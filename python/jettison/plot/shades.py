"""Graded colours for values that are quantities: one hue, darkest for the lowest value.

They show the order of the values, unlike colours of names.
"""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib import colormaps
from matplotlib.colors import to_hex

from .quantities import ordered

__all__ = ["graded"]

#: The part of the scale that is dark enough for lines on white.
DARK, LIGHT = 0.05, 0.85


def graded(values: Iterable[str]) -> dict[str, str]:
    """A colour for each of these values, by order; empty if they are not quantities of one dimension."""
    found = ordered(list(dict.fromkeys(values)))
    if found is None:
        return {}
    scale, last = colormaps["viridis"], max(len(found) - 1, 1)
    return {value: to_hex(scale(DARK + (LIGHT - DARK) * place / last)) for place, value in enumerate(found)}
