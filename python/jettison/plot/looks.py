"""How the variants of one plot are drawn: the colour is the scheme's, the rest tells settings apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .palette import appearance, colour
from .shades import graded
from .words import pretty

__all__ = ["DASHES", "HATCHES", "MARKERS", "SCHEME_AXES", "Look", "looks"]

#: The labels that name a scheme, the first that varies deciding.
SCHEME_AXES = (
    "scheme",
    "queue",
    "discipline",
    "tcp",
    "congestion",
    "transport",
    "controller",
    "encoder",
    "abr",
    "player",
    "rule",
)

#: Those of the catalogue's markers first: circle, square, triangle, diamond.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
#: Those of the catalogue's lines first: solid, dashed, dotted, dash-dot.
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1.2, 1.6)),
    (0, (6, 1.6, 1.2, 1.6)),
    (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)),
)
LINES = ("solid", "dashed", "dotted", "dash-dot")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++")


@dataclass(frozen=True)
class Look:
    """How one variant is drawn, and what the legend calls it."""

    label: str
    colour: str
    dashes: Any
    marker: str
    hatch: str
    hollow: bool = False


def looks(variants: Sequence[str], labels: Mapping[str, Mapping[str, str]]) -> dict[str, Look]:
    """How each of the variants of one plot is drawn.

    A scheme has the colour and the line of its entry in the catalogue. Where schemes come under several settings,
    dashes, markers and hatches tell the settings apart; where two schemes share a colour they tell these apart. Labels that are the same for all variants are not repeated in the
    legend. Where quantities take the scheme's place (`5 ms`, `20 ms`) their colours are graded by value, among all
    values that `labels` has of them: these may be of more variants than are drawn.
    """
    own = {variant: dict(labels.get(variant) or {"variant": variant}) for variant in variants}
    axes = list(dict.fromkeys(axis for of in own.values() for axis in of))
    varying = [axis for axis in axes if len({of.get(axis) for of in own.values()}) > 1]
    candidates = (
        [axis for axis in SCHEME_AXES if axis in varying] or varying or [a for a in SCHEME_AXES if a in axes] or axes
    )
    scheme_axis = candidates[0] if candidates else ""
    others = [axis for axis in varying if axis != scheme_axis]
    settings = _places(tuple(of.get(axis, "") for axis in others) for of in own.values())
    schemes = _places(of.get(scheme_axis, "") for of in own.values())
    shades = graded([*schemes, *(of[scheme_axis] for of in labels.values() if scheme_axis in of)])
    colours = {scheme: shades.get(scheme) or colour(scheme) for scheme in schemes}
    known = {scheme: appearance(scheme) for scheme in schemes}
    places: dict[str, int] = {}
    taken: set[tuple[str, int]] = set()
    # Those with an appearance of their own first: what else is drawn does not change them.
    for variant in sorted(own, key=lambda variant: known[own[variant].get(scheme_axis, "")] is None):
        of = own[variant]
        scheme = of.get(scheme_axis, "")
        scheme_look = known[scheme]
        line = LINES.index(scheme_look.line) if scheme_look else 0
        wanted = line + settings[tuple(of.get(axis, "") for axis in others)]
        places[variant] = _free(colours[scheme], wanted, taken)
    found: dict[str, Look] = {}
    for variant, of in own.items():
        scheme = of.get(scheme_axis, "")
        place = places[variant]
        scheme_look = known[scheme]
        words = [pretty(of[axis]) for axis in ([scheme_axis, *others] if varying else [scheme_axis]) if of.get(axis)]
        found[variant] = Look(
            label=", ".join(words) or variant,
            colour=colours[scheme],
            dashes=DASHES[place % len(DASHES)],
            marker=MARKERS[place % len(MARKERS)],
            hatch=HATCHES[place % len(HATCHES)],
            hollow=scheme_look is not None and scheme_look.line != LINES[0],
        )
    return found


def _free(colour: str, wanted: int, taken: set[tuple[str, int]]) -> int:
    """The place that is wanted among dashes and markers, or the next that nothing of that colour has."""
    place = next((p for p in range(wanted, wanted + len(MARKERS)) if (colour, p % len(MARKERS)) not in taken), wanted)
    taken.add((colour, place % len(MARKERS)))
    return place % len(MARKERS)


def _places(values: Iterable[Any]) -> dict[Any, int]:
    """Each value's place among those that differ."""
    return {value: place for place, value in enumerate(dict.fromkeys(values))}
