"""Colours: one for one scheme, wherever it is drawn.

A colour goes by the scheme's *name*, never by its place in an experiment. Name, colour and line of a component are those of
its entry in the catalogue (:func:`jettison.catalogue`), so that the HTML report draws it alike; variations that studies compare
(`red-dpm-share`) have the colour of their component and another line. No two queue disciplines share a colour, and no two
components of another kind share colour and line; across kinds they come again: CUBIC has CoDel's. A scheme that comes in sizes (`ired-64` … `ired-1024`) has one hue, darker
with size. A name that is not known has a colour that follows from it, which may be another's. The reason of a drop has
the hue of the discipline whose reason it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from matplotlib.colors import to_hex, to_rgb

from .. import _jettison

__all__ = ["PARTS", "SCHEMES", "Appearance", "appearance", "colour", "part_colour"]


@dataclass(frozen=True)
class Appearance:
    """How a scheme is drawn, and what legends call it."""

    name: str
    colour: str
    #: `solid`, `dashed`, `dotted` or `dash-dot`.
    line: str
    #: `circle`, `square`, `triangle` or `diamond`.
    marker: str


@cache
def appearance(scheme: str) -> Appearance | None:
    """The appearance of a scheme: its own, or that of its family in a shade by size. `None` for an unknown name."""
    own = _jettison.appearance(scheme)
    return None if own is None else Appearance(*own)


#: Every scheme with an appearance of its own, by id and by alias.
SCHEMES: Mapping[str, Appearance] = {name: own for name in _jettison.schemes() if (own := appearance(name))}
#: For unknown names: chosen by a hash of the name, so that a name has one colour in every picture.
OTHERS = tuple(dict.fromkeys(own.colour for own in SCHEMES.values()))


def _mixed(base: str, towards: str, weight: float) -> str:
    """A colour with so much of another one in it."""
    mixed = [own * (1.0 - weight) + other * weight for own, other in zip(to_rgb(base), to_rgb(towards), strict=True)]
    return to_hex((mixed[0], mixed[1], mixed[2]))


#: Hues of the owners of reasons that are no queue disciplines.
OWNERS: Mapping[str, str] = {
    "link": "#a08a6a",
    "node": "#707070",
    "switch": "#b0653a",
    "python": "#6e5238",
    "script": "#3f6f73",
}
#: What is mixed into the owner's colour for its first reason, its second and so on.
SHADES = (
    ("white", 0.3), ("black", 0.3), ("white", 0.55), ("black", 0.5), ("white", 0.7), ("black", 0.65),
    ("white", 0.0), ("black", 0.15), ("white", 0.82), ("black", 0.8),
)  # fmt: skip


def _base(owner: str) -> str:
    return OWNERS.get(owner) or SCHEMES[owner].colour


def _of_owners() -> dict[str, tuple[str, str, float]]:
    """Each reason with its owner and its shade of the owner's colour. A drop and a mark of one name share theirs."""
    shades: dict[str, int] = {}
    found: dict[str, tuple[str, str, float]] = {}
    for _, name, owner, _, _ in _jettison.reasons():
        if name not in found:
            # Owners that share a colour share its shades too.
            place = shades.get(_base(owner), 0)
            shades[_base(owner)] = place + 1
            found[name] = (owner, *SHADES[place % len(SHADES)])
    return found


_REASONS = _of_owners()
#: Reasons that are a discipline's own, with what is mixed into its colour: the hue is the discipline's.
OF_DISCIPLINES: Mapping[str, tuple[str, str, float]] = {
    reason: shade for reason, shade in _REASONS.items() if shade[0] in SCHEMES
}
#: Reasons of drops and marks, each with its own; they share a plot with no scheme.
PARTS: Mapping[str, str] = {
    reason: _mixed(_base(owner), other, weight) for reason, (owner, other, weight) in _REASONS.items()
}


def colour(scheme: str) -> str:
    """The colour of a scheme, as `#rrggbb`: the same for the same name in every plot."""
    own = appearance(scheme)
    if own is not None:
        return own.colour
    digest = hashlib.sha256(scheme.encode()).digest()
    return OTHERS[int.from_bytes(digest[:4], "big") % len(OTHERS)]


def part_colour(part: str) -> str:
    """The colour of a drop's or a mark's reason."""
    return PARTS.get(part) or colour(part)
