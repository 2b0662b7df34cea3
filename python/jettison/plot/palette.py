"""Colours: one for one scheme, wherever it is drawn.

A colour goes by the scheme's *name*, never by its place in an experiment. Name, colour and line of a component are those of
its entry in the catalogue (:func:`jettison.catalogue`), so that the HTML report draws it alike; variations that studies compare
(`red-dpm-share`) have the colour of their component and another line. Within a kind no two have colour and line in common;
across kinds they come again: CUBIC has CoDel's. A scheme that comes in sizes (`ired-64` … `ired-1024`) has one hue, darker
with size. A name that is not known has a colour that follows from it, which may be another's. The reason of a drop has
the hue of the discipline whose reason it is.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.colors import to_hex, to_rgb

from .. import _jettison

__all__ = ["PARTS", "SCHEMES", "Appearance", "appearance", "colour", "part_colour", "sized"]


@dataclass(frozen=True)
class Appearance:
    """How a scheme is drawn, and what legends call it."""

    name: str
    colour: str
    #: `solid`, `dashed`, `dotted` or `dash-dot`.
    line: str
    #: `circle`, `square`, `triangle` or `diamond`.
    marker: str


#: Every scheme with an appearance of its own, by id and by alias.
SCHEMES: Mapping[str, Appearance] = {name: Appearance(*own) for name, *own in _jettison.appearances()}
#: For names that are not known: chosen by a hash of the name, so that it is the same in every picture.
OTHERS = tuple(dict.fromkeys(own.colour for own in SCHEMES.values()))


def _mixed(base: str, towards: str, weight: float) -> str:
    """A colour with so much of another one in it."""
    mixed = [own * (1.0 - weight) + other * weight for own, other in zip(to_rgb(base), to_rgb(towards), strict=True)]
    return to_hex((mixed[0], mixed[1], mixed[2]))


#: Hues of the owners of reasons that are no queue disciplines.
OWNERS: Mapping[str, str] = {"link": "#a08a6a", "node": "#707070", "switch": "#b0653a", "python": "#6e5238"}
#: What is mixed into the owner's colour for its first reason, its second and so on.
SHADES = (
    ("white", 0.3), ("black", 0.3), ("white", 0.55), ("black", 0.5), ("white", 0.7), ("black", 0.65),
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

_SIZED = re.compile(r"(?P<family>.+)-(?P<size>[0-9]+)")


def sized(name: str) -> tuple[str, int] | None:
    """A name as a known family and a size: `ired-64` is ired and 64."""
    match = _SIZED.fullmatch(name)
    if match is None or match["family"] not in SCHEMES:
        return None
    return match["family"], int(match["size"])


def appearance(scheme: str) -> Appearance | None:
    """How a scheme is drawn: as its own entry says, or as that of its family. `None` for a name that is not known."""
    family = sized(scheme)
    own = SCHEMES.get(scheme if family is None else family[0])
    if own is None or family is None:
        return own
    return Appearance(f"{own.name} {family[1]:,}", _shade(own.colour, family[1]), own.line, own.marker)


def colour(scheme: str) -> str:
    """The colour of a scheme, as `#rrggbb`: the same for the same name in every plot."""
    own = appearance(scheme)
    if own is not None:
        return own.colour
    digest = hashlib.sha256(scheme.encode()).digest()
    return OTHERS[int.from_bytes(digest[:4], "big") % len(OTHERS)]


def _shade(base: str, size: int) -> str:
    """The family's hue: light for 32 of whatever it is, dark for 1,024.

    A hue that is dark itself only gets lighter.
    """
    share = min(max((math.log2(max(size, 1)) - 5.0) / 5.0, 0.0), 1.0)
    if sum(to_rgb(base)) < 1.05:
        return _mixed(base, "white", 0.75 * (1.0 - share))
    if share < 0.5:
        return _mixed(base, "white", 0.62 * (1.0 - 2.0 * share))
    return _mixed(base, "black", 1.1 * (share - 0.5))


def part_colour(part: str) -> str:
    """The colour of a drop's or a mark's reason."""
    return PARTS.get(part) or colour(part)
