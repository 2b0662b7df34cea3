"""Colours: one for one scheme, wherever it is drawn.

A colour goes by the scheme's *name*, never by its place in an experiment. What stands beside each other in a plot
is of one kind: each queue discipline has a colour of its own among these (but `fifo` and `baseline`, which are tail
drop), so has each congestion control (`reno` is NewReno), each scheme of real-time video and each player's rule.
Across kinds colours come again: CUBIC has CoDel's. A scheme that comes in sizes (`ired-64` … `ired-1024`) has
one hue, darker with size. A name that is not known has a colour that follows from it, which may be another's.
The reason of a drop has the hue of the discipline whose reason it is.

The hues that papers need most are those of Okabe and Ito (*Color Universal Design*, 2008): readers who do not see red
from green tell them apart. So many schemes need more, of which some are from Paul Tol's schemes; for these the
dashes, markers and hatches of :mod:`jettison.plot.looks` help.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping

from matplotlib.colors import to_hex, to_rgb

from .. import _jettison

__all__ = ["ALIASES", "KINDS", "PARTS", "SCHEMES", "colour", "part_colour", "sized"]

BLUE, VERMILION, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
ORANGE, SKY, GREY, OLIVE = "#e69f00", "#56b4e9", "#3c3c3c", "#968c00"
INDIGO, WINE, FOREST, TEAL = "#332288", "#882255", "#117733", "#44aa99"
BROWN, ROSE, LAVENDER, SILVER = "#8c510a", "#cc6677", "#8c7fd0", "#8f8f8f"
RED, MAGENTA, PURPLE, NAVY = "#bb1122", "#ee3377", "#aa4499", "#004488"
LIME, SALMON, MAROON, VIOLET = "#a5c023", "#ee8866", "#5c1a0a", "#7b3fc4"
SEA, MOSS, MINT, BRIGHT = "#0b5a66", "#55631a", "#5fd0b5", "#3a5be0"
LEAF, MAUVE = "#3fae2a", "#7a5c78"

#: Queue disciplines.
QUEUES: Mapping[str, str] = {
    "tail-drop": GREY, "red": PINK, "codel": BLUE, "codel-head": INDIGO, "pi2": GREEN, "dualpi2": TEAL,
    "pie": ORANGE, "fq-codel": SKY, "fred": OLIVE, "cake": BROWN, "blue": LIME, "sfq": MINT,
    "ired": VERMILION, "ired-direct": BRIGHT, "ired-culprit": PURPLE, "red-dpm": NAVY,
    "red-dpm-share": LAVENDER, "codel++": WINE, "priority": VIOLET, "abc": SALMON, "octopus": FOREST,
    "octopus-authors": SEA, "octopus-options": LEAF, "pdrop": MAROON, "bmv2": MAGENTA, "packet-rate": RED,
}  # fmt: skip
#: Congestion control, and what goes with it.
CONTROLLERS: Mapping[str, str] = {
    "newreno": GREY, "cubic": BLUE, "bbr": VERMILION, "dctcp": LAVENDER, "newcwv": ORANGE,
    "newcwv paced": WINE, "newcwv paced as Linux": MINT, "prague": LEAF, "cubic+codel": SKY, "abc": SALMON,
    "oracle": NAVY, "stale oracle": VIOLET, "gcc": MOSS, "scream": MAUVE, "sprout": PINK,
    "sprout-ewma": OLIVE,
}  # fmt: skip
#: Real-time video: encoder, transport and queue together.
VIDEOS: Mapping[str, str] = {
    "octopus": FOREST, "octopus-authors": SEA, "octopus-options": LEAF, "octobbr": ORANGE, "pdrop": MAROON,
    "awstream": BROWN, "awstream-cubic": BLUE, "awstream-bbr": SKY, "salsify": PINK, "salsify-idle": INDIGO,
    "salsify-send-gap": RED, "gcc-nack": GREY, "gcc-fec": SILVER, "scream": MAUVE, "vivo": MAGENTA, "follow": LIME,
    "vivo-cubic": VIOLET, "vivo-bbr": MINT,
    "svc-spatial": GREEN, "svc-temporal": PURPLE, "svc-volumetric": SALMON,
}  # fmt: skip
#: How players choose a representation.
RULES: Mapping[str, str] = {
    "bola": BLUE, "dynamic": ORANGE, "fixed": WINE, "throughput": GREEN, "vlc-rate": GREY,
}  # fmt: skip

#: Other names of the same thing.
ALIASES: Mapping[str, str] = {
    "fifo": "tail-drop", "baseline": "tail-drop", "reno": "newreno", "newcwv-paced": "newcwv paced",
    "newcwv_paced": "newcwv paced",
}  # fmt: skip

KINDS = (QUEUES, CONTROLLERS, VIDEOS, RULES)
#: Every scheme with a colour of its own. What is of several kinds has one colour in all of them.
SCHEMES: Mapping[str, str] = {name: own for kind in KINDS for name, own in kind.items()}

#: For names that are not known: chosen by a hash of the name, so that it is the same in every picture.
OTHERS = (BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, OLIVE, INDIGO, WINE, TEAL, BROWN, LAVENDER)


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


def _of_owners() -> dict[str, tuple[str, str, float]]:
    """Each reason with its owner and its shade of the owner's colour. A drop and a mark of one name share theirs."""
    shades: dict[str, int] = {}
    found: dict[str, tuple[str, str, float]] = {}
    for _, name, owner, _, _ in _jettison.reasons():
        if name not in found:
            place = shades.get(owner, 0)
            shades[owner] = place + 1
            found[name] = (owner, *SHADES[place % len(SHADES)])
    return found


_REASONS = _of_owners()
#: Reasons that are a discipline's own, with what is mixed into its colour: the hue is the discipline's.
OF_DISCIPLINES: Mapping[str, tuple[str, str, float]] = {
    reason: shade for reason, shade in _REASONS.items() if shade[0] in SCHEMES
}
#: Reasons of drops and marks, each with its own; they share a plot with no scheme.
PARTS: Mapping[str, str] = {
    reason: _mixed(OWNERS.get(owner) or SCHEMES[owner], other, weight)
    for reason, (owner, other, weight) in _REASONS.items()
}

_SIZED = re.compile(r"(?P<family>.+)-(?P<size>[0-9]+)")


def sized(name: str) -> tuple[str, int] | None:
    """A name as a known family and a size: `ired-64` is ired and 64."""
    match = _SIZED.fullmatch(name)
    if match is None or ALIASES.get(match["family"], match["family"]) not in SCHEMES:
        return None
    return match["family"], int(match["size"])


def colour(scheme: str) -> str:
    """The colour of a scheme, as `#rrggbb`: the same for the same name in every plot."""
    scheme = ALIASES.get(scheme, scheme)
    if scheme in SCHEMES:
        return SCHEMES[scheme]
    family = sized(scheme)
    if family is not None:
        return _shade(SCHEMES[ALIASES.get(family[0], family[0])], family[1])
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
